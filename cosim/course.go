package cosim

import (
	"context"
	"slices"

	"gosmp/timebase"
)

// Courser is a participant that can make many steps before the engine asks for their results, alone
// or together with others.
type Courser interface {
	// Joins is like the method of [Batcher].
	Joins(first Participant) bool
	// NewCourse creates a course of this participant, which comes first, and the participants that
	// join it, as the engine knows them. The wires are all connections between them; the inputs
	// without a wire do not change. A nil result means that they cannot go ahead.
	NewCourse(all []Participant, wires []Wire) Course
}

// Course is a group of participants that may be ahead of the engine. The engine still calls Step of
// each of them for each step, which then returns what has been computed. The engine may stop
// calling Step before the end of the course; a call of any other method then ends the course and
// drops its results.
type Course interface {
	// Begin allows the participants to make n steps of the grid, the first of which is s, each in
	// the order of the participants. They may do so, but need not.
	Begin(s timebase.Span, n int64)
	// IsAhead reports whether the participants are ahead of the engine, so that their inputs are
	// not read.
	IsAhead() bool
}

// longest is the largest number of steps of a course.
const longest = 1 << 40

// Continue makes all remaining steps, like [Engine.Step] in a loop. Because the caller cannot
// observe the participants between these steps, they may be ahead of the engine ([Course]), which
// affects only the speed.
func (e *Engine) Continue(ctx context.Context) (err error) {
	e.ahead = true
	defer func() { e.ahead = false }()
	for more := true; more; {
		more, err = e.Step(ctx)
	}
	return err
}

// embark finds the courses: participants that receive values only from each other.
func (e *Engine) embark() {
	s := &e.spec
	if s.Rollback || s.Speed > 0 || s.Threads == 1 || len(e.controls) > 0 || !e.canGoAhead() {
		return
	}
	var open []*member
	end := func() {
		e.addCourse(open)
		open = nil
	}
	for _, m := range e.order {
		c, can := m.participant.(Courser)
		if len(open) > 0 && (!can || s.Algorithm == Parallel || !c.Joins(open[0].participant)) {
			end()
		}
		if can {
			open = append(open, m)
		}
	}
	end()
}

// canGoAhead reports whether the length of every step is certain: no participant has a different
// rate, and, unless there is only one participant, none can discard a step that all would repeat in
// halves.
func (e *Engine) canGoAhead() bool {
	for _, m := range e.order {
		p, early := m.participant.(Early)
		halves := m.traits.VariableSteps && (!early || p.DiscardsSoundly())
		if m.every > 1 || halves && !e.isOneGroup() {
			return false
		}
	}
	return true
}

// isOneGroup reports whether all participants would be in the same course.
func (e *Engine) isOneGroup() bool {
	for _, m := range e.order[1:] {
		c, can := m.participant.(Courser)
		if !can || e.spec.Algorithm != Sequential || !c.Joins(e.order[0].participant) {
			return false
		}
	}
	return true
}

// addCourse adds a course for members that step one after another, if they can go ahead.
func (e *Engine) addCourse(members []*member) {
	var all []Participant
	var wires []Wire
	for to, m := range members {
		all = append(all, m.participant)
		for _, l := range m.links {
			from := slices.Index(members, l.from)
			switch {
			case l.initial:
				continue
			case from < 0 || l.convert != nil || l.slopes || l.line != nil:
				return
			}
			wires = append(wires, Wire{From: from, To: to, FromAt: l.fromAt, ToAt: l.toAt,
				Size: l.size, Blobs: l.blob})
		}
	}
	if len(members) == 0 {
		return
	}
	if c := members[0].participant.(Courser).NewCourse(all, wires); c != nil {
		e.courses = append(e.courses, c)
		for _, m := range members {
			m.course = c
		}
	}
}

// goAhead begins the courses, up to the last whole step.
func (e *Engine) goAhead(s timebase.Span) {
	if !e.ahead || len(e.courses) == 0 || e.trial > 0 {
		return
	}
	n := int64(longest)
	if e.spec.Stop < timebase.EndOfTime {
		n = min(n, int64((e.spec.Stop-s.Start)/max(1, e.spec.Step.Step()))+1)
	}
	for n > 0 && e.scale.Point(e.point+n) > e.spec.Stop {
		n--
	}
	if n == 0 {
		return
	}
	for _, c := range e.courses {
		if !c.IsAhead() {
			c.Begin(s, n)
		}
	}
}

// isAhead reports whether a participant is ahead of the engine.
func (m *member) isAhead() bool { return m.course != nil && m.course.IsAhead() }
