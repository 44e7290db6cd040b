package activity

import (
	"gosmp/timebase"
)

// switching is a request made in a callback: a switch-on or switch-off, or a switch to work or to
// safe.
type switching struct {
	act  *Activity
	on   bool
	at   timebase.Time
	mode bool // to work or to safe
}

// SwitchOn lets the activity run from the instant at, and clears the error of a failed one. In a
// callback it takes effect at the end of the round.
func (a *Activity) SwitchOn(at timebase.Time) { a.change(&switching{act: a, on: true, at: at}) }

// SwitchOff stops the activity at the instant at, where spans are cut. In a callback it takes
// effect at the end of the round.
func (a *Activity) SwitchOff(at timebase.Time) { a.change(&switching{act: a, at: at}) }

func (a *Activity) change(s *switching) {
	a.node.enter()
	defer a.node.leave()
	if !a.node.inRound {
		s.apply()
		return
	}
	a.node.mu.Lock()
	a.node.switches = append(a.node.switches, s)
	a.node.asked = true
	a.node.mu.Unlock()
}

func (s *switching) apply() {
	if s.act.closed {
		return
	}
	list := &s.act.windows
	if s.mode {
		list = &s.act.working
	}
	if s.on {
		s.act.err = nil
		*list = openAt(*list, s.at)
	} else {
		*list = closeAt(*list, s.at)
	}
}

// openAt adds an open window that starts at the given time, and merges it with windows that touch
// or contain it. A window whose first cycle has run does not begin again.
func openAt(list []window, at timebase.Time) []window {
	joined, k := window{span: timebase.Span{Start: at, End: timebase.EndOfTime}}, len(list)
	for ; k > 0 && list[k-1].span.End >= at; k-- {
		joined.span.Start = min(joined.span.Start, list[k-1].span.Start)
		joined.begun = joined.begun || list[k-1].begun
	}
	return append(list[:k], joined)
}

func closeAt(list []window, at timebase.Time) []window {
	for k := len(list); k > 0 && list[k-1].span.Start >= at; k-- {
		list = list[:k-1]
	}
	if k := len(list); k > 0 {
		list[k-1].span.End = min(list[k-1].span.End, at)
	}
	return list
}
