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
		for _, m := range e.order {
			m.spentBefore = m.spent
		}
	}
	*e.result.Lag = e.pace.Lag()
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
	d.Share = min(1, float64(most)/float64(max(1, d.Taken)))
	e.spec.Behind(d)
}
