package activity

import (
	"slices"

	"gosmp/timebase"
)

// Safe is the shutdown strategy of an output: the reaction of an activity when its input fails, and
// of a critical activity until it is switched to work (see [Spec].Critical).
//
// On is a time base, usually an alarm, and each of its spans is a period in which work is expected.
// A period is judged at its end, when the clock has reached that instant and everything due earlier
// has run. It has input if work was scheduled for time within it or later. The safe callback is
// called at that instant. For a [StepAlarm], this is within the same step. After Periods periods in
// a row without input, the safe callback is called for each further period until the input is back.
// Input that arrives too late is still processed, except for time for which the safe callback was
// called.
type Safe struct {
	On      Trigger
	Periods int // 0 means 1, the first period without input
	Work    Callback
}

// guard monitors one activity with a Safe.
type guard struct {
	act     *Activity
	on      part
	pending ring[timebase.Span] // periods to judge
	missed  int                 // periods without input, in a row
	until   timebase.Time       // safe callbacks were called for the time before this
	safe    bool                // until is valid
	failing bool                // InputFailed has been reported
}

// accept records a period, which is judged at its end.
func (g *guard) accept(_ int, s timebase.Span) {
	n := g.act.node
	if g.pending.push(s); g.pending.len() == 1 {
		n.guards = append(n.guards, g)
	}
	n.judgeAt = min(n.judgeAt, g.pending.first().End)
}

// admit cuts off the part that safe callbacks have already handled.
func (g *guard) admit(s timebase.Span) (timebase.Span, bool) {
	if !g.safe {
		return s, true
	}
	if s.IsStamp() {
		return s, s.Start >= g.until
	}
	s.Start = max(s.Start, g.until)
	return s, !s.Empty()
}

// findDeadline finds the end of the earliest period to judge.
func (n *Node) findDeadline() {
	n.judgeAt = timebase.EndOfTime
	for _, g := range n.guards {
		n.judgeAt = min(n.judgeAt, g.pending.first().End)
	}
}

// judge judges the periods that end at the earliest deadline, in the order of the activities'
// names.
func (n *Node) judge() {
	at := n.judgeAt
	if len(n.guards) == 1 && n.guards[0].pending.len() == 1 { // as in a program with fixed steps
		g := n.guards[0]
		s := *g.pending.first()
		g.pending.drop()
		n.guards, n.judgeAt = n.guards[:0], timebase.EndOfTime
		g.judge(s)
		if len(n.unreported) > 0 {
			n.flushReports()
		}
		return
	}
	if len(n.guards) > 1 {
		slices.SortStableFunc(n.guards, func(a, b *guard) int { return a.act.rank - b.act.rank })
	}
	waiting := n.guards[:0]
	for _, g := range n.guards {
		for g.pending.len() > 0 && g.pending.first().End <= at {
			s := *g.pending.first()
			g.pending.drop()
			g.judge(s)
		}
		if g.pending.len() > 0 {
			waiting = append(waiting, g)
		}
	}
	n.guards = waiting
	n.findDeadline()
	if len(n.unreported) > 0 {
		n.flushReports()
	}
}

// judge schedules the safe callback for a period without input.
func (g *guard) judge(s timebase.Span) {
	if g.hasInput(s) {
		g.restore()
	} else if g.watches(s) {
		g.miss(s)
	}
}

// hasInput reports whether work was scheduled for some time in s or later, because input may be
// ahead of the clock.
func (g *guard) hasInput(s timebase.Span) bool {
	a := g.act
	if !a.everScheduled {
		return false
	}
	return a.scheduled.Start >= s.Start || a.scheduled.End > s.Start
}

// watches reports whether the activity is on in s.
func (g *guard) watches(s timebase.Span) bool {
	for i := range g.act.windows {
		if _, ok := g.act.windows[i].cut(s); ok {
			return true
		}
	}
	return false
}

func (g *guard) miss(s timebase.Span) {
	g.missed++
	a := g.act
	if g.missed < a.spec.Safe.Periods {
		return
	}
	if !g.failing {
		g.failing = true
		a.node.report(
			InputFailed,
			a.String(),
			"no input for %d periods, the newest is %v; the safe callback takes over",
			g.missed,
			s,
		)
	}
	g.until, g.safe = s.End, true
	if and, ok := a.trigger.(*andTrigger); ok && len(and.targets) == 1 {
		and.forget(g.until)
	}
	a.queue.push(a, s, g.missed)
}

func (g *guard) restore() {
	if g.failing {
		g.failing = false
		g.act.node.report(InputRestored, g.act.String(), "after %d periods", g.missed)
	}
	g.missed = 0
}
