package cosim_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// shifter outputs an array whose elements are one more than the elements of its input.
type shifter struct {
	plant
	size       int
	dimensions []int
}

func (s *shifter) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "u", Kind: cosim.Float64, Role: cosim.Input, Size: s.size,
		Dimensions: s.dimensions},
		{Name: "y", Kind: cosim.Float64, Role: cosim.Output, Size: s.size}}
}

func (s *shifter) Depends(int) (inputs []int, known bool) { return []int{0}, true }

func (s *shifter) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	s.in, s.out = cosim.NewFrame(s.Variables(), inputs), cosim.NewFrame(s.Variables(), outputs)
	return s.in, s.out, nil
}

func (s *shifter) publish() {
	for k := range s.out.Cells {
		u := 0.0
		if len(s.in.Cells) > 0 {
			u = s.in.Float(0, k)
		}
		s.out.SetFloat(0, k, u+1)
	}
}

func (s *shifter) Exchange(context.Context) error { s.publish(); return nil }
func (s *shifter) Leave(context.Context) error    { s.publish(); return nil }
func (s *shifter) Step(_ context.Context, span timebase.Span) (cosim.Advance, error) {
	s.publish()
	return cosim.Advance{Reached: span.End}, nil
}

// If each of many elements of one array has its own connection, the time to prepare the run grows
// linearly with their number, not quadratically.
func TestConnect_ManyElementsOfOneArray(t *testing.T) {
	const n = 40_000
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(1)})
	e.Add("a", &shifter{size: n})
	e.Add("b", &shifter{size: n})
	for k := range n {
		e.ConnectAs(cosim.Connection{From: "a.y", To: "b.u", FromIndices: []int{k + 1},
			ToIndices: []int{n - k}})
	}
	y := e.Watch("b.y")
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, slices.Repeat([]uint64{math.Float64bits(2)}, n), y.Cells())
}

func TestConnect_RefusesASecondSource(t *testing.T) {
	whole, first, second := cosim.Connection{From: "a.y", To: "b.u"}, cosim.Connection{From: "a.y",
		To: "b.u", FromIndices: []int{1}, ToIndices: []int{1}},
		cosim.Connection{From: "a.y", To: "b.u", FromIndices: []int{1}, ToIndices: []int{2}}
	for k, c := range []struct {
		connections []cosim.Connection
		other       string
		drive       bool
	}{
		{connections: []cosim.Connection{first, second}},
		{connections: []cosim.Connection{whole, whole}, other: "a.y"},
		{connections: []cosim.Connection{whole, second}, other: "a.y"},
		{connections: []cosim.Connection{second, first, whole}, other: "a.y[1]"},
		{connections: []cosim.Connection{first, second, first}, other: "a.y[1]"},
		{connections: []cosim.Connection{first}, other: "outside", drive: true},
	} {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(1)})
			e.Add("a", &shifter{size: 2})
			e.Add("b", &shifter{size: 2})
			for _, x := range c.connections {
				e.ConnectAs(x)
			}
			if c.drive {
				e.Drive("b.u")
			}
			_, err := e.Run(context.Background())
			if c.other == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "the first one is from "+c.other+",")
			}
		})
	}
}

// TestConnect_Matrix: elements of a matrix are in row-major order.
func TestConnect_Matrix(t *testing.T) {
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(1)})
	e.Add("a", &shifter{size: 6})
	e.Add("b", &shifter{size: 6, dimensions: []int{2, 3}})
	for k, to := range [][]int{{2, 3}, {1, 2}, {2, 1}, {1, 1}, {1, 3}, {2, 2}} {
		e.ConnectAs(cosim.Connection{From: "a.y", To: "b.u", FromIndices: []int{k + 1},
			ToIndices: to})
	}
	u, y := e.Drive("a.u"), e.Watch("b.y")
	ctx := context.Background()
	require.NoError(t, e.Start(ctx))
	for k := range 6 {
		u.SetFloat(k, float64(k))
	}
	_, err := e.Step(ctx)
	require.NoError(t, err)
	var got []float64
	for _, cell := range y.Cells() {
		got = append(got, math.Float64frombits(cell))
	}
	require.Equal(t, []float64{5, 3, 6, 4, 7, 2}, got)
	_, err = e.Finish(ctx)
	require.NoError(t, err)
}
