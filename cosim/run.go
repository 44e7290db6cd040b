package cosim

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gosmp/timebase"
)

const (
	loops      = 100  // rounds of a cycle during initialization
	settled    = 1e-9 // relative change of a float that counts as none
	halvings   = 20   // of a discarded step
	events     = 1000 // at one time
	emptySteps = 1000 // without any advance
)

// simulate initializes and steps until the end.
func (e *Engine) simulate(ctx context.Context) error {
	if err := e.initialize(ctx); err != nil {
		return err
	}
	for _, o := range e.observers {
		if err := o.Begin(&e.result); err != nil {
			return err
		}
	}
	if err := e.row(e.spec.Start, AtPoint); err != nil {
		return err
	}
	p := newPace(&e.spec)
	for k := int64(1); e.result.Reached < e.spec.Stop && e.result.EndedBy == ""; k++ {
		end := e.spec.Step.Point(e.spec.Start, k)
		if end > e.spec.Stop {
			if !e.mayShorten() {
				e.result.Early = true
				return nil
			}
			end = e.spec.Stop
			e.result.Shortened = true
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := e.step(ctx, timebase.Span{Start: e.result.Reached, End: end}); err != nil {
			return err
		}
		e.result.Late = max(e.result.Late, p.wait(ctx, e.result.Reached))
	}
	return nil
}

func (e *Engine) mayShorten() bool {
	return !slices.ContainsFunc(e.order, func(m *member) bool { return !m.traits.VariableSteps })
}

// initialize follows the connections, and repeats cycles until nothing changes.
func (e *Engine) initialize(ctx context.Context) error {
	for _, m := range e.order {
		m.now = e.spec.Start
		s := Setup{Name: m.name, Start: e.spec.Start, Stop: e.spec.Stop, Step: e.spec.Step, KeepState: e.spec.Rollback}
		if err := m.participant.Enter(ctx, s); err != nil {
			m.failed = true
			return m.wrap(e, err)
		}
		m.entered = true
	}
	if err := e.feed(e.spec.Start); err != nil {
		return err
	}
	for _, m := range e.order {
		if len(m.links) == 0 && !m.feeds {
			continue // nobody gives or wants a value during initialization
		}
		if err := e.exchange(ctx, m); err != nil {
			return err
		}
	}
	for _, set := range e.cycles {
		if err := e.settle(ctx, set); err != nil {
			return err
		}
	}
	for _, m := range e.order {
		for _, l := range m.links {
			l.copy()
		}
		if err := m.participant.Leave(ctx); err != nil {
			m.failed = true
			return m.wrap(e, err)
		}
	}
	return nil
}

// exchange hands a participant its inputs during initialization and takes its outputs.
func (e *Engine) exchange(ctx context.Context, m *member) error {
	for _, l := range m.links {
		l.copy()
	}
	if err := m.participant.Exchange(ctx); err != nil {
		m.failed = true
		return m.wrap(e, err)
	}
	return nil
}

// settle repeats the exchange of a cycle.
func (e *Engine) settle(ctx context.Context, set []*member) error {
	var before []uint64
	for range loops {
		before = before[:0]
		for _, m := range set {
			before = append(before, m.out.Cells...)
		}
		for _, m := range e.order {
			if !slices.Contains(set, m) {
				continue
			}
			if err := e.exchange(ctx, m); err != nil {
				return err
			}
		}
		if !changed(set, before) {
			return nil
		}
	}
	return nil // the standard has no answer for a loop without a solution: the last values count
}

func changed(set []*member, before []uint64) bool {
	k := 0
	for _, m := range set {
		for _, p := range m.out.Ports {
			if p.Kind.IsBlob() {
				continue
			}
			for j, v := range m.out.Cells[p.Offset : p.Offset+p.Size] {
				if !near(p.Kind, v, before[k+p.Offset+j]) {
					return true
				}
			}
		}
		k += len(m.out.Cells)
	}
	return false
}

func near(k Kind, a, b uint64) bool {
	if a == b || k != Float64 {
		return a == b
	}
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	return math.Abs(x-y) <= settled*max(math.Abs(x), math.Abs(y))
}

// feed lets the sources give their values at t.
func (e *Engine) feed(t timebase.Time) error {
	for _, m := range e.sources {
		if err := m.source.At(t); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// row calls the observers. A point at which an event was just handled has its row.
func (e *Engine) row(t timebase.Time, r Row) error {
	if r == AtPoint && e.lastRow == AfterEvent && e.lastTime == t {
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

// step takes all participants over a span, once, or by halves where one discards it.
func (e *Engine) step(ctx context.Context, s timebase.Span) error {
	e.stepping = true
	if err := e.feed(s.Start); err != nil {
		return err
	}
	if e.spec.Rollback {
		for _, m := range e.order {
			if err := m.participant.(Restorer).Save(ctx); err != nil {
				m.failed = true
				return m.wrap(e, err)
			}
		}
	}
	for k, m := range e.order {
		a, err := e.advance(ctx, m, s)
		if err != nil {
			return err
		}
		if a.Discarded {
			return e.halve(ctx, k, s, a)
		}
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

// advance takes one participant to the end of a span, unless it discards a step.
func (e *Engine) advance(ctx context.Context, m *member, s timebase.Span) (a Advance, err error) {
	for _, l := range m.links {
		l.copy()
	}
	for idle := 0; m.now < s.End; {
		if a, err = m.participant.Step(ctx, timebase.Span{Start: m.now, End: s.End}); err != nil {
			m.failed = true
			return a, m.wrap(e, err)
		}
		if a.Discarded {
			return a, nil
		}
		if a.Reached > m.now {
			idle = 0
		} else if idle++; idle > emptySteps && !a.Ended {
			m.failed = true
			return a, m.wrap(e, &Error{Kind: ErrStalled, Found: fmt.Sprintf("%d steps to the same time", idle), Expected: "steps that advance"})
		}
		m.now = a.Reached
		if a.Ended {
			e.result.EndedBy = m.name
			return a, nil
		}
		if a.Event {
			if err := e.event(ctx, m); err != nil {
				return a, err
			}
		}
	}
	return a, nil
}

// event records what was, lets the participant handle the event, and records what is, if there is only this one: others are at another
// time.
func (e *Engine) event(ctx context.Context, m *member) error {
	h := m.participant.(EventHandler)
	alone := len(e.order) == 1
	if alone {
		if err := e.row(m.now, BeforeEvent); err != nil {
			return err
		}
	}
	for k := 0; ; k++ {
		a, err := h.Event(ctx, m.now)
		if err != nil {
			m.failed = true
			return m.wrap(e, err)
		}
		e.result.Events++
		if a.Ended {
			e.result.EndedBy = m.name
		}
		if a.Ended || !a.Event {
			break
		}
		if k == events {
			return m.wrap(e, &Error{Kind: ErrStalled, Found: fmt.Sprintf("%d events at one time", k), Expected: "an end of events"})
		}
	}
	if alone && e.result.EndedBy == "" {
		return e.row(m.now, AfterEvent)
	}
	return nil
}

// halve tries half of a step that participant k of the order has refused. Those that have done it go back.
func (e *Engine) halve(ctx context.Context, k int, s timebase.Span, a Advance) error {
	m, half := e.order[k], s.Start+s.Length()/2
	variable := e.mayShorten()
	back := e.spec.Rollback || k == 0 && a.Sound && m.now == s.Start
	if !back || !variable || e.trial == halvings || half == s.Start {
		hint := "run with rollback, if all FMUs can restore states, or with a smaller step"
		switch {
		case !variable:
			hint = "not all participants can do steps of different lengths"
		case back:
			hint = "even the smallest step was refused"
		}
		return m.wrap(e, &Error{Kind: ErrDiscarded, Found: fmt.Sprintf("a step of %v", s.Length()), Hint: hint})
	}
	if e.spec.Rollback {
		for _, other := range e.order {
			if err := other.participant.(Restorer).Restore(ctx); err != nil {
				other.failed = true
				return other.wrap(e, err)
			}
			other.now = s.Start
		}
	}
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

// pace holds a simulation back to the speed of a clock.
type pace struct {
	clock timebase.TimeSource
	speed float64
	begin timebase.Time
	start timebase.Time
}

func newPace(s *Spec) *pace {
	if s.Speed == 0 {
		return nil
	}
	p := &pace{clock: s.Clock, speed: s.Speed, start: s.Start}
	if p.clock == nil {
		p.clock = timebase.SystemTime()
	}
	p.begin = p.clock.Now()
	return p
}

// wait returns when it is time for t, and how late that is.
func (p *pace) wait(ctx context.Context, t timebase.Time) timebase.Time {
	if p == nil {
		return 0
	}
	due := p.begin + timebase.Time(float64(t-p.start)/p.speed)
	for {
		left := due - p.clock.Now()
		if left <= 0 || ctx.Err() != nil {
			return max(0, -left)
		}
		p.clock.Wait(ctx.Done(), left, nil)
	}
}
