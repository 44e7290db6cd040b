package cosim_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// fixed is a plant that accepts only steps of one length.
type fixed struct{ plant }

func (*fixed) Traits() cosim.Traits { return cosim.Traits{Restores: true} }

// TestHalving_EndsAtANanosecond: a step that is always discarded is tried down to a nanosecond, or
// 20 times, and the error states the last length.
func TestHalving_EndsAtANanosecond(t *testing.T) {
	const second = timebase.Second
	for _, c := range []struct {
		step, own float64 // seconds
		first     timebase.Time
		asked     int
		last      string
	}{
		{8e-9, 8e-9, 8, 4, "a step of 0.000000001s"},
		{8e-9, 16e-9, 16, 5, "a step of 0.000000001s"},
		{1, 1, second, 21, "a step of 0.000000953s"},
		{1, 2, 2 * second, 21, "a step of 0.000001907s"},
	} {
		p := &choosy{}
		p.direct, p.refuses = []float64{0}, -1 // all of them
		e := cosim.New(cosim.Spec{Stop: 4 * second, Step: cosim.Every(c.step), Rollback: true})
		e.AddEvery("p", p, cosim.Every(c.own))
		_, err := e.Run(t.Context())
		require.ErrorIs(t, err, cosim.ErrDiscarded)
		require.ErrorContains(t, err, c.last)
		require.ErrorContains(t, err, "even the smallest step was refused")
		require.Len(t, p.asked, c.asked, "%v", c)
		for _, s := range p.asked {
			require.Equal(t, c.first, s.Length())
			c.first /= 2
		}
	}
}

// TestHalving_NeedsVariableStepsOfThoseItShortens: participants whose steps stay as long as they
// were may be of fixed steps.
func TestHalving_NeedsVariableStepsOfThoseItShortens(t *testing.T) {
	const ms = timebase.Millisecond
	refuses := plant{direct: []float64{0}, refuses: 60 * ms}
	for _, c := range []struct {
		refusing, other float64
		want            string
	}{
		{0.2, 0.1, ""}, // only the longer step is halved
		{0.1, 0.2, ""}, // only the base step is halved
		{0.1, 0.1, "not all participants can do steps of different lengths"},
	} {
		p := refuses
		e := cosim.New(cosim.Spec{Stop: 400 * ms, Step: cosim.Every(0.1), Rollback: true})
		e.AddEvery("refuses", &p, cosim.Every(c.refusing))
		e.AddEvery("fixed", &fixed{plant{direct: []float64{0}}}, cosim.Every(c.other))
		e.AddEvery("base", &plant{direct: []float64{0}}, cosim.Every(0.1))
		_, err := e.Run(t.Context())
		if c.want == "" {
			require.NoError(t, err, "%v", c)
			require.Equal(t, 50*ms, p.spans[0].Length())
			continue
		}
		require.ErrorIs(t, err, cosim.ErrDiscarded)
		require.ErrorContains(t, err, c.want)
	}
}

// TestHalving_EndsInTheFirstHalf: a run that ends in the first half of a step does not do the other.
func TestHalving_EndsInTheFirstHalf(t *testing.T) {
	var log []string
	s := spec(2)
	s.Rollback = true
	e := cosim.New(s)
	e.Add("a", &block{name: "a", log: &log, ends: 200 * timebase.Millisecond})
	e.Add("b", &block{name: "b", refuse: 300 * timebase.Millisecond})
	r, err := e.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 200*timebase.Millisecond, r.Reached)
	steps := 0
	for _, line := range log {
		if line == "a.step" {
			steps++
		}
	}
	require.Equal(t, 3, steps, "1 s, 0.5 s and 0.25 s")
}

// ringer has an event in the middle of each step.
type ringer struct{ plant }

func (*ringer) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if middle := s.Start + s.Length()/2; s.Length() >= 100*timebase.Millisecond {
		return cosim.Advance{Reached: middle, Event: true}, nil
	}
	return cosim.Advance{Reached: s.End}, nil
}

// Event implements cosim.EventHandler.
func (*ringer) Event(context.Context, timebase.Time) (cosim.Advance, error) {
	return cosim.Advance{}, nil
}

// TestHalving_CountsEventsOnce: events of attempts that were taken back do not count, and an error
// after such a step names that step.
func TestHalving_CountsEventsOnce(t *testing.T) {
	const ms = timebase.Millisecond
	events := func(refuses timebase.Time) int64 {
		e := cosim.New(cosim.Spec{Stop: 400 * ms, Step: cosim.Every(0.2), Rollback: true})
		e.Add("ringer", &ringer{plant{direct: []float64{0}}})
		e.Add("refuses", &refusing{plant{direct: []float64{0}, refuses: refuses}, "stop"})
		_, err := e.Run(t.Context())
		var failed *cosim.RunError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, int64(2), failed.Step)
		return e.Result().Events
	}
	require.Equal(t, int64(4), events(0))
	require.Equal(t, int64(4), events(100*ms))
}

var errBack = errors.New("cannot go back")

// stuck fails to save or to restore its state within a step.
type stuck struct {
	plant
	fail  string
	stops int
}

func (s *stuck) at(method string) error {
	if s.fail == method {
		return errBack
	}
	return nil
}
func (s *stuck) Save(context.Context) error    { return s.at("save") }
func (s *stuck) Restore(context.Context) error { return s.at("restore") }
func (s *stuck) Stop(context.Context) error    { s.stops++; return nil }

// TestHalving_FailsToGoBack: the error names the participant, which is then closed without a stop;
// the observers see the cause.
func TestHalving_FailsToGoBack(t *testing.T) {
	for _, method := range []string{"save", "restore"} {
		p := &stuck{plant: plant{direct: []float64{0}, refuses: 600 * timebase.Millisecond},
			fail: method}
		s := spec(1)
		s.Rollback = true
		e := cosim.New(s)
		e.Add("p", p)
		seen := &lastCause{}
		e.Observe(seen)
		_, err := e.Run(t.Context())
		require.ErrorIs(t, err, errBack)
		require.ErrorContains(t, err, "p: at 0.0 s, step 1: ")
		require.Zero(t, p.stops)
		require.True(t, p.closed)
		require.ErrorIs(t, seen.cause, errBack)
	}
	e := cosim.New(spec(1))
	e.Add("p", &refusing{plant{direct: []float64{0}}, "stop"})
	seen := &lastCause{}
	e.Observe(seen)
	_, err := e.Run(t.Context())
	require.Error(t, err)
	require.Equal(t, err, seen.cause, "observers see why a run ended, also for its stop")
}

// lastCause is an observer that keeps the cause of the end.
type lastCause struct{ cause error }

func (*lastCause) Begin(*cosim.Result) error          { return nil }
func (*lastCause) Row(timebase.Time, cosim.Row) error { return nil }
func (l *lastCause) End(r *cosim.Result) error        { l.cause = r.Cause; return nil }
