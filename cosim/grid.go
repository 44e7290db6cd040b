package cosim

import "gosmp/timebase"

// Grid is a regular spacing of communication points.
type Grid = timebase.Grid

// Every returns a spacing of the given number of seconds; see [timebase.Every].
func Every(seconds float64) Grid { return timebase.Every(seconds) }

// Scale returns the scale that converts the instants of a run to seconds. It uses the stated start
// and stop if they match the instants of the run.
func (s *Spec) Scale() timebase.Scale {
	start := s.Start.Exactly()
	if s.From.Time() == s.Start {
		start = s.From
	}
	scale := timebase.NewScale(start, s.Step)
	switch {
	case s.Stop == timebase.EndOfTime:
		return scale
	case s.Until.Time() == s.Stop:
		return scale.Until(s.Until)
	}
	return scale.Until(s.Stop.Exactly())
}

// Seconds returns an instant of the run in seconds; for the k-th point this is start + k·h, rounded
// once.
func (r *Result) Seconds(t timebase.Time) float64 { return r.scale.Seconds(t) }

// scaled is a source that computes with differences between times.
type scaled interface{ setScale(*timebase.Scale) }

// useScale determines the scale of the run and passes it to everything that needs it.
func (e *Engine) useScale() {
	e.result.scale = e.spec.Scale()
	e.scale = &e.result.scale
	for _, m := range e.members {
		if s, is := m.source.(scaled); is {
			s.setScale(e.scale)
		}
	}
}
