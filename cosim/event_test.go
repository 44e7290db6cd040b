package cosim_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// clockwork has an event in the middle of each step, and fails or ends at one of them.
type clockwork struct {
	plant
	events, last int
	fails, ends  bool
}

var errSpring = errors.New("the spring has broken")

func (c *clockwork) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if middle := (s.Start + s.End) / 2; s.End-s.Start == 100*timebase.Millisecond {
		return cosim.Advance{Reached: middle, Event: true}, nil
	}
	return cosim.Advance{Reached: s.End}, nil
}

// Event implements cosim.EventHandler.
func (c *clockwork) Event(context.Context, timebase.Time) (cosim.Advance, error) {
	c.events++
	if c.events < c.last {
		return cosim.Advance{}, nil
	}
	if c.fails {
		return cosim.Advance{}, errSpring
	}
	return cosim.Advance{Ended: c.ends}, nil
}

// TestRun_AnEventThatFailsEndsTheRun, at its own time, and so does one with which the participant
// ends; further steps are not made.
func TestRun_AnEventThatFailsEndsTheRun(t *testing.T) {
	for _, alone := range []bool{true, false} {
		run := func(c *clockwork) (*cosim.Result, error) {
			c.direct = []float64{0}
			e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
			e.Add("clock", c)
			if !alone {
				e.Add("other", &plant{direct: []float64{0}})
			}
			e.Watch("clock.y0")
			require.NoError(t, e.Start(t.Context()))
			for more := true; more; {
				var err error
				if more, err = e.Step(t.Context()); err != nil {
					return nil, err
				}
			}
			return e.Finish(t.Context())
		}
		failing := &clockwork{last: 3, fails: true}
		_, err := run(failing)
		require.ErrorIs(t, err, errSpring)
		require.ErrorContains(t, err, "clock")
		require.Equal(t, 3, failing.events)

		ending := &clockwork{last: 3, ends: true}
		r, err := run(ending)
		require.NoError(t, err)
		require.Equal(t, "clock", r.EndedBy)
		require.Equal(t, 3, ending.events)
		require.EqualValues(t, 3, r.Events)

		whole := &clockwork{last: 100}
		r, err = run(whole)
		require.NoError(t, err)
		require.EqualValues(t, 10, r.Events)
	}
}
