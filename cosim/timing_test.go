package cosim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// ring returns an engine with three plants a, b, c, connected in a ring and added in this order.
func ring(order string, a cosim.Algorithm, timings [3]cosim.Timing) *cosim.Engine {
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1), Algorithm: a})
	for _, name := range order {
		e.Add(string(name), &plant{weights: []float64{1}, direct: []float64{0}})
	}
	e.ConnectAs(cosim.Connection{From: "a.y0", To: "b.u0", Timing: timings[0]})
	e.ConnectAs(cosim.Connection{From: "b.y0", To: "c.u0", Timing: timings[1]})
	e.ConnectAs(cosim.Connection{From: "c.y0", To: "a.u0", Timing: timings[2]})
	return e
}

// A cycle is cut at the connection that lags, regardless of the order in which participants are
// added.
func TestTiming_DecidesWhereACycleIsCut(t *testing.T) {
	ctx := context.Background()
	for _, order := range []string{"abc", "acb", "bac", "bca", "cab", "cba"} {
		for cut, want := range map[int][]string{0: {"b", "c", "a"}, 1: {"c", "a", "b"},
			2: {"a", "b", "c"}} {
			timings := [3]cosim.Timing{cosim.Prompt, cosim.Prompt, cosim.Prompt}
			timings[cut] = cosim.Lagging
			e := ring(order, cosim.Sequential, timings)
			r, err := e.Run(ctx)
			require.NoError(t, err)
			require.Equal(t, want, r.Order, order)
			require.Equal(t, []string{[]string{"a.y0 = b.u0", "b.y0 = c.u0", "c.y0 = a.u0"}[cut]},
				r.Cuts)
		}
	}
}

func TestTiming_RefusesWhatCannotBe(t *testing.T) {
	ctx := context.Background()
	prompt, lagging := cosim.Prompt, cosim.Lagging
	for want, e := range map[string]*cosim.Engine{
		"use the algorithm sequential": ring("abc", cosim.Parallel, [3]cosim.Timing{prompt}),
		"a step order in which it lags": ring("abc", cosim.Sequential,
			[3]cosim.Timing{prompt, prompt, prompt}),
		"contradict this order": ring("abc", cosim.Sequential,
			[3]cosim.Timing{lagging, lagging, lagging}),
	} {
		_, err := e.Run(ctx)
		require.ErrorIs(t, err, cosim.ErrSpec, want)
		require.ErrorContains(t, err, want)
	}
	_, err := ring("abc", cosim.Parallel, [3]cosim.Timing{lagging}).Run(ctx)
	require.NoError(t, err)
}

// timed is a participant that records the times of its input values.
type timed struct {
	plant
	seen []timebase.Time
}

func (p *timed) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	in, out, err = p.plant.Bind(inputs, outputs)
	in.Times = make([]timebase.Time, len(in.Ports))
	return in, out, err
}

func (p *timed) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	p.seen = append(p.seen, p.in.Times[0]/(100*timebase.Millisecond))
	return p.plant.Step(ctx, s)
}

// A participant can ask when a value was produced: for a slow producer, this is the end of its last
// step.
func TestFrame_Times(t *testing.T) {
	for every, want := range map[float64][]timebase.Time{0.1: {1, 2, 3, 4, 5, 6},
		0.3: {0, 0, 3, 3, 3, 6}} {
		e := cosim.New(cosim.Spec{Stop: 600 * timebase.Millisecond, Step: cosim.Every(0.1)})
		p := &timed{plant: plant{weights: []float64{1}, direct: []float64{0}}}
		e.Add("b", p)
		e.AddEvery("a", &plant{weights: []float64{1}, direct: []float64{0}}, cosim.Every(every))
		e.ConnectAs(cosim.Connection{From: "a.y0", To: "b.u0", Timing: cosim.Prompt})
		_, err := e.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, want, p.seen)
	}
}
