package cosim

import (
	"context"

	"gosmp/timebase"
)

// keepPace waits until the clock reaches the communication point that the run has reached.
func (e *Engine) keepPace(ctx context.Context) {
	if e.pace.Speed == 0 {
		return
	}
	if e.pace.Wait(ctx, e.result.Reached) {
		e.forgetSpent()
	}
	*e.result.Lag = e.pace.Lag()
}

// beginPace lets the run go with the clock from the point that it has reached, unless it does
// already.
func (e *Engine) beginPace() {
	if e.pace.Speed != 0 && e.pace.Begin(e.result.Reached) {
		e.forgetSpent()
	}
}

// forgetSpent begins to measure what participants need after an instant at which the run is in
// time.
func (e *Engine) forgetSpent() {
	for _, m := range e.order {
		m.spentBefore = m.spent
	}
}

// resetPace forgets the lag of the run.
func (e *Engine) resetPace() {
	e.pace.Reset()
	if e.result.Lag != nil {
		*e.result.Lag = timebase.Lag{}
	}
}

// stepOf lets a participant step, and measures the time that this takes of the clock of the run.
func (e *Engine) stepOf(ctx context.Context, m *member, o *outcome) {
	s := timebase.Span{Start: m.now, End: m.end}
	if e.pace.Speed == 0 {
		o.advance, o.err = m.participant.Step(ctx, s)
		return
	}
	begin := e.pace.Clock.Now()
	o.advance, o.err = m.participant.Step(ctx, s)
	m.spent += e.pace.Clock.Now() - begin
}

// behind adds to a delay what took most of the time: a participant, or everything else.
func (e *Engine) behind(d timebase.Delay) {
	most, rest := timebase.Duration(0), d.Taken
	for _, m := range e.order {
		took := m.spent - m.spentBefore
		rest -= took
		if took > most {
			d.Slowest, most = m.name, took
		}
	}
	if rest > most {
		d.Slowest, most = "charts, recordings, views and bridges", rest
	}
	d.Share = float64(most) / float64(max(1, d.Taken))
	e.spec.Behind(d)
}
