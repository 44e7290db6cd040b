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

// TestRun_AnEventThatFailsEndsTheRun checks that the run ends at the time of the event, as it does
// if the participant ends with the event; no further steps are made.
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

// TestRun_NoEventAfterTheEnd checks that a participant that ends with an event does not receive a
// further event, even if it asks for one.
func TestRun_NoEventAfterTheEnd(t *testing.T) {
	c := &asking{}
	c.direct = []float64{0}
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	e.Add("clock", c)
	r, err := e.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, c.events)
	require.Equal(t, "clock", r.EndedBy)
	require.Equal(t, 50*timebase.Millisecond, r.Reached)
}

// asking ends with its first event, and asks for another one.
type asking struct{ clockwork }

func (a *asking) Event(context.Context, timebase.Time) (cosim.Advance, error) {
	a.events++
	return cosim.Advance{Ended: true, Event: true}, nil
}

// lazy makes some steps to the same time before each step that advances.
type lazy struct {
	plant
	empty, made int
	fails       bool
}

func (l *lazy) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if l.made++; l.made%(l.empty+1) != 0 {
		return cosim.Advance{Reached: s.Start}, nil
	}
	if l.fails {
		return cosim.Advance{}, errSpring
	}
	return cosim.Advance{Reached: s.Start + timebase.Millisecond*50}, nil
}

// TestRun_StepsThatDoNotAdvance checks that the run tolerates a thousand such steps in a row at any
// one time, but no more.
func TestRun_StepsThatDoNotAdvance(t *testing.T) {
	run := func(l *lazy) (*cosim.Result, error) {
		l.direct = []float64{0}
		e := cosim.New(cosim.Spec{Stop: timebase.Second / 5, Step: cosim.Every(0.1)})
		e.Add("lazy", l)
		return e.Run(t.Context())
	}
	patient := &lazy{empty: 1000}
	r, err := run(patient)
	require.NoError(t, err)
	require.Equal(t, timebase.Second/5, r.Reached)
	require.Equal(t, 4*1001, patient.made)
	_, err = run(&lazy{empty: 1001})
	require.ErrorIs(t, err, cosim.ErrStalled)
	require.ErrorContains(t, err, "1001 steps to the same time")
}

// TestRunError_NamesTheStep checks the number of the failed step, which counts from 1; 0 means
// before the first step.
func TestRunError_NamesTheStep(t *testing.T) {
	for step := range int64(3) {
		e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.05)})
		b := &breaking{at: int(step) + 1}
		b.direct = []float64{0}
		e.Add("breaks", b)
		_, err := e.Run(t.Context())
		var failed *cosim.RunError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, step+1, failed.Step)
		require.Equal(t, "breaks", failed.Participant)
		require.Equal(t, timebase.Time(step)*50*timebase.Millisecond, failed.Time)
	}
}

// breaking fails at its n-th step.
type breaking struct {
	lazy
	at int
}

func (b *breaking) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	b.fails = b.made+1 == b.at
	return b.lazy.Step(ctx, s)
}
