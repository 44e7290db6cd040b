package cosim_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// broad has many inputs u0, u1 and so on, and an output y0, y1 and so on for each of them, which is
// larger by one.
type broad struct {
	hollow
	count   int
	in, out *cosim.Frame
	inputs  []int
	outputs []int
}

func (b *broad) Variables() []cosim.Variable {
	list := make([]cosim.Variable, 2*b.count)
	for k := range b.count {
		list[k] = cosim.Variable{Name: fmt.Sprintf("u%d", k), Kind: cosim.Float64,
			Role: cosim.Input, Size: 1}
		list[b.count+k] = cosim.Variable{Name: fmt.Sprintf("y%d", k), Kind: cosim.Float64,
			Role: cosim.Output, Size: 1}
	}
	return list
}

func (b *broad) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	b.inputs, b.outputs = inputs, outputs
	b.in, b.out = cosim.NewFrame(b.Variables(), inputs), cosim.NewFrame(b.Variables(), outputs)
	return b.in, b.out, nil
}

func (b *broad) Depends(int) (inputs []int, known bool) { return nil, true }
func (b *broad) Exchange(context.Context) error         { return nil }
func (b *broad) Leave(context.Context) error            { return nil }

func (b *broad) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	values := map[int]float64{}
	for k, n := range b.inputs {
		values[n] = b.in.Float(k, 0)
	}
	for k, n := range b.outputs {
		b.out.SetFloat(k, 0, values[n-b.count]+1)
	}
	return cosim.Advance{Reached: s.End}, nil
}

// A hundred thousand inputs, connections and results take seconds. When a variable was searched in
// lists, the long form of this test took minutes.
func TestRun_ManyVariables(t *testing.T) {
	count := 100_000
	if testing.Short() {
		count = 2000
	}
	e := cosim.New(spec(3))
	first, second := &broad{count: count}, &broad{count: count}
	var header, row strings.Builder
	header.WriteString("time")
	row.WriteString("0")
	for k := range count {
		fmt.Fprintf(&header, ",u%d", count-1-k)
		fmt.Fprintf(&row, ",%d", count-1-k)
	}
	table, err := cosim.ReadTable(strings.NewReader(header.String()+"\n"+row.String()+"\n"),
		"in.csv", first.Variables()[:count])
	require.NoError(t, err)
	e.AddSource("table", table)
	e.Add("first", first)
	e.Add("second", second)
	var signals []*cosim.Signal
	for k := range count {
		e.Connect(fmt.Sprintf("table.u%d", k), fmt.Sprintf("first.u%d", k))
		e.Connect(fmt.Sprintf("first.y%d", (7*k)%count), fmt.Sprintf("second.u%d", k))
		signals = append(signals, e.Watch(fmt.Sprintf("second.y%d", k)),
			e.Watch(fmt.Sprintf("first.y%d", k)))
	}
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	for k := range count {
		cell, _ := signals[2*k].First()
		require.InDelta(t, (7*k)%count+2, math.Float64frombits(cell), 0)
		cell, _ = signals[2*k+1].First()
		require.InDelta(t, k+1, math.Float64frombits(cell), 0)
	}
}

// A table of results has many columns that are not inputs. The warning names the first ones, and only
// they are compared with all inputs.
func TestReadTable_ManyOtherColumns(t *testing.T) {
	var head bytes.Buffer
	head.WriteString("time,speed")
	for k := range 2000 {
		fmt.Fprintf(&head, ",spead%d", k)
	}
	row := "0" + strings.Repeat(",1", 2001)
	table, err := cosim.ReadTable(strings.NewReader(head.String()+"\n"+row+"\n"), "in.csv",
		[]cosim.Variable{{Name: "speed", Kind: cosim.Float64, Size: 1}})
	require.NoError(t, err)
	require.Len(t, table.Warnings, 1)
	require.Contains(t, table.Warnings[0], `"spead4" and 1995 more are ignored`)
}
