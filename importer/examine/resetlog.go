package examine

import (
	"slices"

	"gosmp/importer/worker/probe"
)

// resetLogging makes two lives of an instance, the second one after a reset. With logging, what the
// steps of the first one log, those of the second one log as well: Reset does not switch logging
// off. Without logging, Reset does not switch it on.
func resetLogging(a *attempt) {
	s := a.s
	n := min(3, a.x.n)
	if n < 2 {
		return // one message may be of the first step only
	}
	twice := func(flags probe.Flag) (p *play, r *run, reset int) {
		p = s.newPlay()
		p.live(life{flags: flags, begin: s.usual(), n: n, blind: true})
		reset = len(p.ops)
		p.call(0, "Reset")
		p.run(life{begin: s.usual(), n: n, blind: true})
		p.end(0)
		return p, a.play(p), reset
	}
	p, r, reset := twice(0)
	if r.Crashed() || r.Stopped >= 0 {
		return // for other rules
	}
	quiet, late := stepMessages(r, 0, reset), stepMessages(r, reset, len(p.ops))
	if len(quiet) == 0 && len(late) > 0 {
		a.refuted("R6", r, late[0].Op, "logging as after the instantiation",
			"steps after fmi%dReset log messages, though logging is off", s.major).cause =
			"logging after a reset"
		return
	}
	p, r, reset = twice(probe.LoggingOn)
	if r.Crashed() || r.Stopped >= 0 {
		return
	}
	first, second := stepMessages(r, 0, reset), stepMessages(r, reset, len(p.ops))
	count := map[string]int{}
	for _, m := range first {
		count[m.Category]++
	}
	for _, m := range first {
		same := func(o probe.Message) bool { return o.Category == m.Category }
		if count[m.Category] < n || slices.ContainsFunc(second, same) {
			continue
		}
		a.refuted("R6", r, lastIndex(p, "DoStep"), "logging as after the instantiation",
			"steps after fmi%dReset log no messages of the category %q, as they did before",
			s.major, m.Category).cause = "logging after a reset"
		return
	}
	a.proved("R6")
}

// stepMessages returns the messages with status OK in the steps of a part of a script.
func stepMessages(r *run, from, to int) (list []probe.Message) {
	for _, m := range r.Messages {
		if m.Op >= from && m.Op < to && m.Status == 0 &&
			r.play.ops[m.Op].Code == r.play.s.function("DoStep") {
			list = append(list, m)
		}
	}
	return list
}

// twoVoices checks that each of two instances logs with its own name and environment.
func twoVoices(a *attempt) {
	s, p := a.s, a.s.newPlay()
	for slot := range 2 {
		p.instantiate(slot, probe.LoggingOn)
	}
	for slot := range 2 {
		p.initialize(slot, s.usual())
	}
	for slot := range 2 {
		p.step(slot, s.start, s.step)
	}
	for slot := range 2 {
		p.end(slot)
	}
	if r := a.play(p); !r.Crashed() && r.Stopped < 0 { // otherwise, it is for R5
		a.sendersOf(r)
	}
}
