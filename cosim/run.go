package cosim

import (
	"context"
	"fmt"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

const (
	halvings   = 20   // of a discarded step
	events     = 1000 // at one time
	emptySteps = 1000 // without any advance
)

// row calls the observers. If an event has just been handled at a point, the row for that point
// already exists; the same applies to the moment before an event at a point.
func (e *Engine) row(t timebase.Time, r Row) error {
	if e.lastTime == t && (r == AtPoint && e.lastRow == AfterEvent ||
		r == BeforeEvent && e.lastRow == AtPoint) {
		return nil
	}
	e.lastRow, e.lastTime = r, t
	for _, o := range e.observers {
		if err := o.Row(t, r); err != nil {
			return err
		}
	}
	return nil
}

// tooShort reports whether the step to end, which lies beyond the stop time, would be cut to a
// length that some participant does not accept.
func (e *Engine) tooShort(end timebase.Time) bool {
	for _, m := range e.order {
		if m.now < end && !m.traits.VariableSteps && e.own(m, end) > e.spec.Stop {
			return true
		}
	}
	return false
}

// own returns the end of the step that a participant is in, or must begin, when the run steps to
// the instant end.
func (e *Engine) own(m *member, end timebase.Time) timebase.Time {
	if m.every == 1 {
		return end
	}
	return e.scale.Point((m.grid + 1) * m.every)
}

// step advances all participants over a span: in one step, or in halves if a participant discards
// it.
func (e *Engine) step(ctx context.Context, s timebase.Span) error {
	e.stepping = true
	if err := e.feed(s.Start); err != nil {
		return err
	}
	if e.spec.Rollback {
		if err := e.save(ctx); err != nil {
			return err
		}
	}
	refused, err := e.advanceAll(ctx, s)
	if err != nil {
		return err
	}
	if refused != nil {
		return e.halve(ctx, refused, s)
	}
	e.result.Reached = s.End
	kind := AtPoint
	if e.result.EndedBy != "" {
		kind = AtEnd
		for _, m := range e.order {
			e.result.Reached = min(e.result.Reached, m.now)
		}
	}
	if e.trial == 0 {
		e.result.Steps++
		e.stepping = false
	}
	return e.row(e.result.Reached, kind)
}

// advanceAll advances the participants that have not reached the end of a span to that time, or to
// the end of their own longer step. It returns the first one that discards its step.
func (e *Engine) advanceAll(ctx context.Context, s timebase.Span) (refused *member, err error) {
	for _, m := range e.order {
		m.due, m.begun, m.outcome = m.now < s.End, false, outcome{}
	}
	e.agenda.held = false
	if e.spec.Algorithm == Parallel {
		return e.advanceTogether(ctx, s)
	}
	for k, m := range e.order {
		e.beginEarly(k, s)
		if m.announce(s); m.due {
			if err := m.provide(); err != nil {
				return nil, m.wrap(e, err)
			}
			e.advance(ctx, m, s)
		}
		if refuses, err := e.collect(m, s); refuses || err != nil {
			return m, err
		}
	}
	return nil, nil
}

// advanceTogether steps all participants that are due at the same time, with the values from before
// the step.
func (e *Engine) advanceTogether(ctx context.Context, s timebase.Span) (refused *member,
	err error) {
	for _, m := range e.order {
		if m.due {
			m.show()
		}
	}
	for _, m := range e.order {
		if m.due {
			if err := m.fetch(); err != nil {
				return nil, m.wrap(e, err)
			}
		}
	}
	for _, m := range e.order {
		m.announce(s)
	}
	e.beginTogether(s)
	e.ctx, e.span = ctx, s
	e.team.run(len(e.order), e.job)
	for _, m := range e.order {
		if m.begun {
			e.advance(ctx, m, s)
		}
		refuses, wrong := e.collect(m, s)
		if refuses && refused == nil {
			refused = m
		}
		err = firstOf(err, wrong)
	}
	return refused, err
}

// work executes the step of one participant, on any thread.
func (e *Engine) work(k int) {
	if m := e.order[k]; m.due && !m.begun {
		e.advance(e.ctx, m, e.span)
	}
}

// collect records the outcome of a participant's step.
func (e *Engine) collect(m *member, s timebase.Span) (refuses bool, err error) {
	o := &m.outcome
	e.result.Events += o.events
	switch {
	case o.err != nil:
		m.failed = true
		return false, m.wrap(e, o.err)
	case o.advance.Discarded:
		return true, nil
	case o.ended && e.result.EndedBy == "":
		e.result.EndedBy = m.name
	}
	if m.now <= s.End {
		m.show()
	}
	return false, nil
}

// advance advances one participant to the end of a span or of its own step, unless the participant
// discards the step. It changes only this participant.
func (e *Engine) advance(ctx context.Context, m *member, s timebase.Span) {
	o := &m.outcome
	for m.now < s.End && !o.ended {
		own := e.own(m, s.End)
		m.end = min(own, e.spec.Stop)
		if m.shrink > 0 {
			whole := own - e.scale.Point(m.grid*m.every)
			m.end = min(m.end, m.now+max(1, whole>>m.shrink))
		}
		if e.advanceTo(ctx, m, o); o.err != nil || o.advance.Discarded {
			return
		}
		if m.every > 1 && m.now == own {
			m.grid++
			m.shrink = 0
		}
	}
}

// advanceTo advances one participant to m.end.
func (e *Engine) advanceTo(ctx context.Context, m *member, o *outcome) {
	for idle := 0; m.now < m.end; {
		if o.err = e.refresh(m, m.end); o.err != nil {
			return
		}
		m.follow()
		if e.stepOf(ctx, m, o); o.err != nil || o.advance.Discarded {
			return
		}
		if o.advance.Reached > m.now {
			idle, o.moved = 0, true
		} else if idle++; idle > emptySteps && !o.advance.Ended {
			o.err = fault.New(ErrStalled, fault.Place{},
				fmt.Sprintf("%d steps to the same time", idle), "steps that advance")
			return
		}
		m.now = o.advance.Reached
		if o.ended = o.advance.Ended; o.ended {
			return
		}
		if o.advance.Event {
			if e.event(ctx, m, o); o.err != nil || o.ended {
				return
			}
		}
	}
}

// event records the values before an event, lets the participant handle it, and records the values
// after it. It records only if this is the only participant, because other participants would be at
// different times.
func (e *Engine) event(ctx context.Context, m *member, o *outcome) {
	if o.err = e.refresh(m, m.end); o.err != nil {
		return
	}
	h := m.participant.(EventHandler)
	alone := len(e.order) == 1 && m.every == 1
	if alone {
		e.scale.Mark(m.now, o.advance.Seconds)
		if o.err = e.row(m.now, BeforeEvent); o.err != nil {
			return
		}
	}
	for k := 0; ; k++ {
		a, err := h.Event(ctx, m.now)
		if err != nil {
			o.err = err
			return
		}
		o.events++
		o.ended = o.ended || a.Ended
		if a.Ended || !a.Event {
			break
		}
		if k == events {
			o.err = fault.New(ErrStalled, fault.Place{}, fmt.Sprintf("%d events at one time", k),
				"events to end")
			return
		}
	}
	if alone && !o.ended {
		o.err = e.row(m.now, AfterEvent)
	}
}
