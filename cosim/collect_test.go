package cosim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// counting is a constant whose output is one more after each step.
type counting struct{ constant }

func (c *counting) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	c.out.Cells[0]++
	return cosim.Advance{Reached: s.End}, nil
}

// TestRun_ValueOutOfRangeLater: a value that no longer fits during the run ends it, at the input
// that cannot take it, whether the participants step in turn or at the same time.
func TestRun_ValueOutOfRangeLater(t *testing.T) {
	for algorithm, step := range map[cosim.Algorithm]int64{cosim.Sequential: 2,
		cosim.Parallel: 3} {
		spec := spec(9)
		spec.Algorithm = algorithm
		e := cosim.New(spec)
		e.Add("a", &counting{constant{from: cosim.Int64, to: cosim.Float64, value: 126,
			items: true}})
		e.Add("b", &constant{from: cosim.Float64, to: cosim.Int8})
		e.Connect("a.out", "b.in")
		r, err := e.Run(t.Context())
		require.ErrorIs(t, err, cosim.ErrRange)
		var failed *cosim.RunError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, "b", failed.Participant)
		require.Equal(t, step, failed.Step)
		require.Equal(t, step-1, r.Steps)
		require.Equal(t, timebase.Time(step-1)*timebase.Second, failed.Time)
	}
}

// thirds has an event at a third of each step, which is not a whole number of nanoseconds.
type thirds struct{ clockwork }

func (c *thirds) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if s.Start%timebase.Second != 0 {
		return cosim.Advance{Reached: s.End}, nil
	}
	return cosim.Advance{Reached: s.Start + s.Length()/3, Seconds: s.Start.Seconds() + 1.0/3,
		Event: true}, nil
}

// rowTimes records the seconds of each row.
type rowTimes struct {
	result *cosim.Result
	list   []float64
}

func (x *rowTimes) Begin(r *cosim.Result) error { x.result = r; return nil }
func (x *rowTimes) End(*cosim.Result) error     { return nil }

func (x *rowTimes) Row(t timebase.Time, _ cosim.Row) error {
	x.list = append(x.list, x.result.Seconds(t))
	return nil
}

// TestRun_SecondsOfEvents: the rows of an event have the seconds that the participant states.
func TestRun_SecondsOfEvents(t *testing.T) {
	c := &thirds{clockwork{last: 9}}
	c.direct = []float64{0}
	e := cosim.New(spec(2))
	e.Add("clock", c)
	times := &rowTimes{}
	e.Observe(times)
	_, err := e.Run(t.Context())
	require.NoError(t, err)
	const third = 1.0 / 3
	require.Equal(t, []float64{0, third, third, 1, 1 + third, 1 + third, 2}, times.list)
}

// TestDrive_ElementsOfArrays: a control sets the elements of its own input only, and an element
// that the input does not have is a mistake of the program.
func TestDrive_ElementsOfArrays(t *testing.T) {
	e := cosim.New(spec(1))
	b := &block{name: "b"}
	e.Add("b", b)
	one, three := e.Drive("b.in"), e.Drive("b.three")
	e.Drive("b.wide")
	_, err := e.Run(t.Context())
	require.NoError(t, err)
	one.SetFloat(0, 1)
	for k := range 3 {
		three.SetFloat(k, float64(k+2))
	}
	values := map[int][]float64{}
	for k, p := range b.in.Ports {
		for n := range p.Size {
			values[p.Variable] = append(values[p.Variable], b.in.Float(k, n))
		}
	}
	require.Equal(t, map[int][]float64{0: {1}, 4: {0}, 6: {2, 3, 4}}, values)
	for _, k := range []int{-1, 3} {
		require.PanicsWithValue(t, "cosim: element "+map[int]string{-1: "-1", 3: "3"}[k]+
			" of three, which has 3", func() { three.SetFloat(k, 0) })
	}
}
