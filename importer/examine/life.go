package examine

import (
	"slices"
	"strconv"
	"strings"

	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// plainLife makes an ordinary life with start values and logging, which serves to judge many rules.
func plainLife(a *attempt) {
	s := a.s
	s.fed, s.tolerant = false, false
	if a.plainLife() || a.tolerantLife() || len(s.messageInputs()) == 0 {
		return
	}
	alone := a.outcomes
	s.fed, a.outcomes = true, nil
	if !a.plainLife() {
		s.fed = false
		a.backTo(alone)
		return
	}
	k := slices.IndexFunc(alone, func(o outcome) bool {
		return o.rule == "R2" && o.outcome == Refuted
	})
	if k < 0 {
		return
	}
	o := alone[k]
	o.rule, o.found = "OSMP-P6", o.found+" while no message is connected; the trials of all other "+
		"rules pass a message for each step"
	a.outcomes = append(a.outcomes, o)
}

// tolerantLife makes an ordinary life with a tolerance, if the FMU has refused one without a
// tolerance before the first step, and reports whether it works.
func (a *attempt) tolerantLife() bool {
	k := slices.IndexFunc(a.outcomes, func(o outcome) bool {
		return o.rule == "R2" && o.outcome == Refuted
	})
	if k < 0 || a.expired {
		return false
	}
	o, before := a.outcomes[k], a.outcomes
	if o.run == nil || o.run.Crashed() || o.at >= firstIndex(o.play, "DoStep") {
		return false
	}
	a.s.tolerant, a.outcomes = true, nil
	if !a.plainLife() {
		a.s.tolerant = false
		a.backTo(before)
		return false
	}
	o.rule, o.found = "S1", o.found+" without a tolerance; the trials of other rules define one"
	a.outcomes = append(a.outcomes, o)
	return true
}

// plainLife reports whether an ordinary life works.
func (a *attempt) plainLife() bool {
	s, earlier := a.s, a.outcomes
	p := s.newPlay()
	before := p.measure()
	asked := p.askVersions()
	readings := p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: a.x.n})
	during := p.measure()
	p.end(0)
	asked = append(asked, p.askVersions()...)
	after := p.measure()
	r := a.play(p, readings...)
	if _, passes := r.passesEvent(); passes && a.learnEvents() {
		a.outcomes = earlier
		return a.plainLife()
	}
	a.versions(r, asked)
	a.stepsOf(r)
	a.messagesOf(r)
	a.settings(r, before, during, after)
	a.leftFiles(r)
	if r.Records[0].Status == probe.StatusUnloadable {
		a.notLived()
		a.refuted("R2", r, 0, "that the library loads", "%s", r.describe(0))
		return true
	}
	if r.Stopped >= 0 && s.slave.Capabilities.Has("needsExecutionTool") {
		a.notLived()
		a.refuted("R2", r, r.Stopped, "OK", "%s; the FMU needs a tool: %s", r.describe(r.Stopped),
			s.model.GenerationTool).as(finding.Note)
		return true
	}
	if r.Crashed() && r.Done {
		a.x.broken = "R15"
	}
	if !a.fine("R2", r) {
		a.notLived()
		return false
	}
	if !a.endsEarly(r) {
		a.proved("R2")
	}
	a.valuesOf(r)
	if first, ok := r.readings[0].cells(r.Result); ok {
		a.startsOf(r, first)
		a.constancyOf(r, first)
	}
	a.x.plain = r
	return true
}

// notLived withdraws the proofs of a life that was not completed, except of the versions: a call
// that was not made proves nothing.
func (a *attempt) notLived() {
	for k := range a.outcomes {
		if o := &a.outcomes[k]; o.outcome == Proved && o.rule != "R1" {
			*o = outcome{rule: o.rule, outcome: NotTested, why: a.x.noLife()}
		}
	}
}

// askVersions adds calls of the functions that need no instance, and returns their positions.
func (p *play) askVersions() []int {
	list := []int{p.add(probe.Op{Code: p.s.function("GetVersion")})}
	if p.s.major == 2 {
		list = append(list, p.add(probe.Op{Code: "fmi2GetTypesPlatform"}))
	}
	return list
}

// versions checks the answers to askVersions, the first half of them from before a life, and the
// second half from after it (R1).
func (a *attempt) versions(r *run, asked []int) {
	if r.Records[asked[0]].Runs == 0 {
		return
	}
	want := map[string]string{"fmi2GetVersion": "2.0", "fmi3GetVersion": "3.0",
		"fmi2GetTypesPlatform": "default"}
	for n, k := range asked {
		code, when := r.play.ops[k].Code, ""
		if n >= len(asked)/2 {
			when = " after a life"
		}
		text, _ := payload(r.Records[k].Out)
		found := string(text)
		good := found == want[code] || code == "fmi3GetVersion" && strings.HasPrefix(found, "3.0.")
		if r.Records[k].Runs > 0 && !good {
			a.refuted("R1", r, k, strconv.Quote(want[code]), "%s returns %q%s", code, found, when)
			return
		}
	}
	a.proved("R1")
}

// stepsOf proves the rules about the results of calls, unless an ordinary life refutes them; see
// [exam.returned].
func (a *attempt) stepsOf(r *run) {
	rules := []string{"S6"}
	if a.s.major == 3 {
		rules = append(rules, "S5", "S8")
	}
	for k, o := range r.play.ops {
		if r.Records[k].Status == probe.StatusUnsettled {
			a.refuted("S8", r, k, "an end", "fmi3UpdateDiscreteStates requests "+
				"another update 1 000 times")
		}
		if f := a.s.wrongReturn(r, k); f != nil && o.Flags&probe.MayFail == 0 {
			rules = slices.DeleteFunc(rules, func(rule string) bool { return rule == f.rule })
		}
	}
	for _, rule := range rules {
		a.proved(rule)
	}
}

// isStatus reports whether a number is a status of the standard, or one defined by the probe.
func isStatus(n int) bool {
	return n >= 0 && n <= fatal || n >= probe.StatusNull && n <= probe.StatusUnsettled ||
		n == probe.StatusNotRun
}
