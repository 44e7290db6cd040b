package examine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// neutralTrials returns the trials of host behavior that must not affect any result, and of
// features that the FMU does not declare.
func neutralTrials() []trial {
	return []trial{
		{rules: []string{"R24"}, make: neutral, lacks: compared},
		{rules: []string{"R25"}, make: assigned, lacks: func(x *exam) string {
			if why := compared(x); why != "" || x.isDriven() {
				return why
			}
			return "there are no inputs to set"
		}},
		{rules: []string{"R25"}, make: chosenTwice, lacks: func(x *exam) string {
			if why := compared(x); why != "" || len(x.s.parameters()) > 0 {
				return why
			}
			return "there are no parameters to set"
		}},
		{rules: []string{"R26"}, make: readEarly},
		{rules: []string{"I12"}, make: undeclared},
	}
}

// neutral makes lives in which the host logs, keeps states, sets a stop time or none, switches
// logging on and off, queries the status of steps, and wants the FMU to be visible.
func neutral(a *attempt) {
	ref := a.x.driven
	logs := false // a life with loggingOn = true works
	remark := ""
	for _, c := range neutralLives(a.s) {
		p := a.s.newPlay()
		l := a.x.reference()
		l.end = true
		c.change(&l)
		readings := p.live(l)
		r := a.play(p, readings...)
		if r.Crashed() || r.Stopped >= 0 {
			judged := (c.own || c.logs && logs) && (r.Crashed() || c.refusal == "")
			if judged && !a.fine("R24", r) {
				o := &a.outcomes[len(a.outcomes)-1]
				if o.found += ", " + c.what; r.Crashed() {
					o.as(finding.Error)
				}
				return
			}
			remark = cmp.Or(remark, c.refusal)
			continue // covered by other rules, such as S1 and R9
		}
		logs = logs || l.flags&probe.LoggingOn != 0
		if d := a.s.compare(ref.Result, ref.readings, r.Result, readings, 0); d != nil {
			o := a.refuted("R24", r, d.op, d.left+", as otherwise", "%s is %s at %s s %s", d.name,
				d.right, short(d.t), c.what)
			if d.relative < 1e-9 {
				o.as(finding.Note)
			}
			return
		}
	}
	a.remark("R24", remark)
}

// neutralLife is a way to live that must not affect any result.
type neutralLife struct {
	what    string
	change  func(l *life)
	own     bool   // no other rule covers a life that does not work
	logs    bool   // the same, if an FMU that logs works
	refusal string // says that the FMU refuses the life, which does not count against it
}

func neutralLives(s *subject) []neutralLife {
	list := []neutralLife{
		{what: "with loggingOn = true", change: func(l *life) { l.flags = probe.LoggingOn }},
		{what: "with noSetFMUStatePriorToCurrentPoint = false", change: func(l *life) {
			l.stepFlags = probe.KeepState
		}},
		{what: "with another definition of the stop time", change: func(l *life) {
			l.begin.noStop = !l.begin.noStop
		}},
		{what: "while logging is switched on and off", logs: true,
			change: func(l *life) { l.toggled = true }},
		{what: "with visible = true", own: true, change: func(l *life) { l.flags = probe.Visible }},
	}
	if s.major == 2 {
		list = append(list, neutralLife{what: "if the status of each step is queried", own: true,
			change:  func(l *life) { l.queried = true },
			refusal: "it refuses further calls after the status of a step is queried"})
	}
	return list
}

// assigned sets each input several times before each step: only the last value counts.
func assigned(a *attempt) {
	p := a.s.newPlay()
	l := a.x.reference()
	l.often, l.end = true, true
	readings := p.live(l)
	r := a.play(p, readings...)
	if a.fine("R25", r) && a.same("R25", r, readings) {
		a.proved("R25")
	}
}

// chosenTwice sets parameters before Initialization Mode and to other values in this mode. A life
// must be the same as if the first values had not been set.
func chosenTwice(a *attempt) {
	s := a.s
	const early, late = 1, 2 // places in the sequence of values of a variable
	choose := func(first int) *run {
		p := s.newPlay()
		p.instantiate(0, 0)
		p.set(0, s.parameters(), func(v *variable) []byte { return s.other(v, first) })
		l := a.x.reference()
		l.begin.afterEnter = func() {
			p.set(0, s.parameters(), func(v *variable) []byte { return s.other(v, late) })
		}
		readings := p.run(l)
		p.end(0)
		return a.play(p, readings...)
	}
	once, twice := choose(late), choose(early)
	for _, r := range []*run{once, twice} {
		if r.failsAt() >= 0 {
			return // for other rules
		}
	}
	d := s.compare(once.Result, once.readings, twice.Result, twice.readings, 0)
	if d == nil {
		a.proved("R25")
		return
	}
	o := a.refuted("R25", twice, d.op, d.left+", as with their last values from the beginning",
		"%s is %s at %s s if parameters are set to other values before the initialization", d.name,
		d.right, short(d.t))
	o.unless = "R22" // the values are lost
}

// readEarly reads everything that may be read in Initialization Mode.
func readEarly(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	p.enter(0, s.usual())
	if len(p.readable(0)) == 0 {
		a.untested("R26", "no variable may be read in Initialization Mode")
		return
	}
	p.read(0, s.start)
	p.leave(0)
	p.end(0)
	if a.fine("R26", a.play(p)) {
		a.proved("R26")
	}
}

// undeclared calls functions of undeclared features, in states where they would be legal. The FMU
// may refuse them, but a crash would end the process of a host that tries them.
func undeclared(a *attempt) {
	s := a.s
	var accepted []string
	for _, o := range s.undeclaredCalls() {
		p := s.newPlay()
		p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: 1})
		k := p.wrongly(o)
		p.ops = append(p.ops, probe.Op{Code: s.function("FreeInstance")})
		r := a.play(p)
		switch {
		case r.Crashed() && r.Last == k:
			a.crash("I12", r).as(finding.Error)
			return
		case !r.Crashed() && r.Records[k].Status <= warning &&
			!strings.HasSuffix(o.Code, "Status"): // FMUs may always answer status queries
			accepted = append(accepted, o.Code)
		}
	}
	if len(accepted) > 0 {
		a.remark("I12", "it answers OK to "+listed(accepted))
		return
	}
	a.proved("I12")
}

// undeclaredCalls returns calls of the functions of undeclared features.
func (s *subject) undeclaredCalls() (list []probe.Op) {
	can := s.slave.Capabilities.Has
	first := []byte{1, 0, 0, 0} // the order of a derivative
	out := slices.IndexFunc(s.variables, s.isSmooth)
	inputs := s.smoothInputs()
	if len(inputs) > 0 && s.major == 2 && !s.interpolates() {
		list = append(list, probe.Op{Code: "fmi2SetRealInputDerivatives",
			References: []uint32{inputs[0].ValueReference}, Data: make([]byte, 8), Data2: first})
	}
	if out >= 0 && !s.extrapolates() {
		name := map[int]string{2: "GetRealOutputDerivatives", 3: "GetOutputDerivatives"}
		list = append(list, probe.Op{Code: s.function(name[s.major]), Data2: first,
			References: []uint32{s.variables[out].ValueReference}})
	}
	if len(inputs) > 0 && out >= 0 {
		in := inputs[0]
		if !s.has("providesDirectionalDerivative", "providesDirectionalDerivatives") {
			list = append(list, s.derivativeOp("GetDirectionalDerivative", &s.variables[out], in))
		}
		if s.major == 3 && !can("providesAdjointDerivatives") {
			list = append(list, s.derivativeOp("GetAdjointDerivative", &s.variables[out], in))
		}
	}
	if s.major == 3 && out >= 0 && !can("providesPerElementDependencies") {
		list = append(list, s.dependencyOp(&s.variables[out], -1),
			s.dependencyOp(&s.variables[out], 1))
	}
	if s.major == 2 && !can("canRunAsynchronuously") {
		list = append(append(list, statusQueries...), probe.Op{Code: "fmi2GetIntegerStatus",
			Count: len(statusQueries)})
	}
	if !s.canSave() {
		name := map[int]string{2: "GetFMUstate", 3: "GetFMUState"}
		list = append(list, probe.Op{Code: s.function(name[s.major])})
	}
	return list
}

// oddTexts are texts that a parameter may have.
var oddTexts = []struct{ what, text string }{
	{"an empty text", ""}, {"the text \"Größe 10 µm\"", "Größe 10 µm"},
	{"a text of 60 characters", strings.Repeat("scenarios/", 6)},
	{"a text with spaces around it", "  of two words "},
}

// oddValues sets text parameters to texts that are empty, not ASCII or as long as a path, or have
// spaces around them, and reads them back.
func (a *attempt) oddValues() bool {
	s := a.s
	for _, v := range s.texts() {
		if v.Type != fmi.String || v.n != 1 || v.Causality != fmi.Parameter {
			continue
		}
		for _, c := range oddTexts {
			p := s.newPlay()
			p.instantiate(0, 0)
			p.set(0, []*variable{v}, func(*variable) []byte { return s.encode(v, c.text) })
			p.may()
			set := len(p.ops) - 1
			p.enter(0, s.usual())
			g := s.single(v)
			get := p.add(s.getOp(0, &g))
			p.leave(0)
			p.step(0, s.start, s.step)
			p.end(0)
			r := a.play(p)
			if r.Crashed() {
				o := a.crash("I10", r)
				o.found += fmt.Sprintf(", with %s in %s", c.what, v.Name)
				o.cause = ""
				return false
			}
			found, ok := payload(r.Records[get].Out)
			rec := r.Records[get]
			if ok && rec.Runs > 0 && rec.Flags&probe.DeadText == 0 &&
				r.Records[set].Status <= warning && string(found) != c.text {
				o := a.refuted("I10", r, get, fmt.Sprintf("%q, which was set", c.text),
					"%s is %q", v.Name, found)
				o.severity, o.unless = finding.Warning, "R22"
				return false
			}
		}
	}
	return true
}
