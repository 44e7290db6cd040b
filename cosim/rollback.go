package cosim

import (
	"context"
	"fmt"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// save makes all participants save their states.
func (e *Engine) save(ctx context.Context) error {
	for _, m := range e.order {
		if err := m.participant.(Restorer).Save(ctx); err != nil {
			m.failed = true
			return m.wrap(e, err)
		}
		m.keep()
	}
	return nil
}

// restore returns all participants to the beginning of the step.
func (e *Engine) restore(ctx context.Context) error {
	for _, m := range e.order {
		if err := m.participant.(Restorer).Restore(ctx); err != nil {
			m.failed = true
			return m.wrap(e, err)
		}
		m.back()
	}
	return nil
}

// halve retries with a shorter step after m has discarded one: half the common step, or half its
// own step if that is longer. Participants that have completed their steps go back.
func (e *Engine) halve(ctx context.Context, m *member, s timebase.Span) error {
	if err := e.mayHalve(m, s); err != nil {
		return m.wrap(e, err)
	}
	if e.spec.Rollback {
		if err := e.restore(ctx); err != nil {
			return err
		}
		e.result.EndedBy = "" // a participant that ended in this attempt has also gone back
		for _, other := range e.order {
			e.result.Events -= other.outcome.events
		}
	}
	if m.every > 1 {
		m.shrink++
		return e.step(ctx, s)
	}
	half := s.Start + s.Length()/2
	e.trial++
	err := e.step(ctx, timebase.Span{Start: s.Start, End: half})
	if err == nil && e.result.EndedBy == "" {
		err = e.step(ctx, timebase.Span{Start: half, End: s.End})
	}
	e.trial--
	if err == nil && e.trial == 0 {
		e.result.Steps++
		e.stepping = false
	}
	return err
}

// mayHalve returns the reason why a discarded step cannot be retried with half its length, if there
// is one.
func (e *Engine) mayHalve(m *member, s timebase.Span) error {
	refuse := func(hint string) error {
		return fault.New(ErrDiscarded, fault.Place{}, fmt.Sprintf("a step of %v", m.end-m.now), "").
			WithHint(hint)
	}
	shortest := e.trial == halvings || s.Length() < 2
	if m.every > 1 {
		shortest = m.shrink == halvings || m.end-m.now < 2
	}
	switch {
	case !e.shortens(m):
		return refuse("not all participants can do steps of different lengths")
	case shortest:
		return refuse("even the smallest step was refused")
	case !e.spec.Rollback && (!m.outcome.advance.Sound || e.moved()):
		return refuse("run with rollback, if all FMUs can restore states, or with a smaller step")
	}
	return nil
}

// shortens reports whether all participants whose step would be halved after m has discarded it
// accept a step of that length.
func (e *Engine) shortens(m *member) bool {
	if m.every > 1 {
		return m.traits.VariableSteps
	}
	for _, other := range e.order {
		if other.every == 1 && !other.traits.VariableSteps {
			return false
		}
	}
	return true
}

// moved reports whether a participant has advanced since the step began, or is about to advance.
func (e *Engine) moved() bool {
	for _, m := range e.order {
		if m.outcome.moved || m.begun {
			return true
		}
	}
	return false
}
