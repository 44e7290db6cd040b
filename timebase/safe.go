package timebase

// Safe is what an activity does when its input fails: the shutdown strategy of a critical output.
//
// On is a time base, usually an alarm, and each of its spans is a period in which the work callback is expected. Whether it
// has been scheduled is judged when everything that is due at the instant of the alarm has run, so that input which is
// produced at the same instant counts, and input that is late does not, although it is still worked. After Periods periods in a row without, Work is called for each further period
// until the input is back. Time for which Work has been called is not worked again when the input arrives late.
type Safe struct {
	On      Trigger
	Periods int // 1 when 0: the first period without input
	Work    Callback
}

// guard watches over one activity with a Safe.
type guard struct {
	act     *Activity
	on      Trigger
	pending ring[Span] // periods to judge
	queued  bool       // among the node's guards
	missed  int        // periods without input, in a row
	until   Time       // safe callbacks have been called for the time before
	safe    bool       // until is valid
	failing bool       // InputFailed has been reported
}

// accept notes a period, to be judged when the instant is done.
func (g *guard) accept(_ int, s Span) {
	g.pending.push(s)
	if !g.queued {
		g.queued = true
		g.act.node.guards = append(g.act.node.guards, g)
	}
}

// admit cuts off what has been dealt with by safe callbacks.
func (g *guard) admit(s Span) (Span, bool) {
	if !g.safe {
		return s, true
	}
	if s.IsStamp() {
		return s, s.Start >= g.until
	}
	s.Start = max(s.Start, g.until)
	return s, !s.Empty()
}

// judge looks at the noted periods and schedules safe callbacks for those that have no input.
func (g *guard) judge() {
	g.queued = false
	for g.pending.len() > 0 {
		s := *g.pending.first()
		g.pending.drop()
		if g.hasInput(s) {
			g.restore()
		} else if g.watches(s) {
			g.miss(s)
		}
	}
}

// hasInput says that work has been scheduled for some time of s.
func (g *guard) hasInput(s Span) bool {
	a := g.act
	if !a.everScheduled {
		return false
	}
	return a.scheduled.Start >= s.Start || a.scheduled.End > s.Start
}

// watches says that the activity is on in s.
func (g *guard) watches(s Span) bool {
	for i := range g.act.windows {
		if _, ok := g.act.windows[i].cut(s); ok {
			return true
		}
	}
	return false
}

func (g *guard) miss(s Span) {
	g.missed++
	a := g.act
	if g.missed < a.spec.Safe.Periods {
		return
	}
	if !g.failing {
		g.failing = true
		a.node.report(InputFailed, a.String(), "no input for %d periods, the newest is %v; the safe callback takes over", g.missed, s)
	}
	g.until, g.safe = s.End, true
	if and, ok := a.trigger.(*andTrigger); ok && len(and.targets) == 1 {
		and.forget(g.until)
	}
	a.node.managers[a.manager].push(item{act: a, span: s, missed: g.missed})
}

func (g *guard) restore() {
	if g.failing {
		g.failing = false
		g.act.node.report(InputRestored, g.act.String(), "after %d periods", g.missed)
	}
	g.missed = 0
}
