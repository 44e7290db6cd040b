package examine

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// plainLife makes an ordinary life with start values and logging, which is used to judge many
// rules.
func plainLife(a *attempt) {
	s := a.s
	s.fed = false
	if a.plainLife() || len(s.messageInputs()) == 0 {
		return
	}
	alone := a.outcomes
	s.fed, a.outcomes = true, nil
	if !a.plainLife() {
		s.fed, a.outcomes = false, alone
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

// plainLife reports whether an ordinary life works.
func (a *attempt) plainLife() bool {
	s := a.s
	p := s.newPlay()
	before := p.measure()
	version := p.add(probe.Op{Code: s.function("GetVersion")})
	platform := -1
	if s.major == 2 {
		platform = p.add(probe.Op{Code: "fmi2GetTypesPlatform"})
	}
	readings := p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: a.x.n, end: true})
	after := p.measure()
	r := a.play(p, readings...)
	a.versions(r, version, platform)
	a.stepsOf(r)
	a.messagesOf(r)
	a.settings(r, before, after)
	a.leftFiles(r)
	if r.Records[0].Status == probe.StatusUnloadable {
		a.refuted("R2", r, 0, "that the library loads", "%s", r.describe(0))
		return true
	}
	if r.Stopped >= 0 && s.slave.Capabilities.Has("needsExecutionTool") {
		a.refuted("R2", r, r.Stopped, "OK", "%s; the FMU needs a tool: %s", r.describe(r.Stopped),
			s.model.GenerationTool).as(finding.Note)
		return true
	}
	if r.Crashed() && r.Done {
		a.x.broken = "R15"
	}
	if !a.fine("R2", r) {
		return false
	}
	if k := firstIndex(p, "DoStep"); s.major == 3 && k < len(p.ops) && r.Records[k].Y[1] == 1 {
		a.refuted("R2", r, k, "steps to the stop time",
			"%s asks to end the simulation in its first "+
				"step", p.ops[k].Code).as(finding.Warning)
	} else {
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

// versions judges what the FMU says about itself.
func (a *attempt) versions(r *run, version, platform int) {
	answer := func(k int) string {
		text, _ := payload(r.Records[k].Out)
		return string(text)
	}
	if r.Records[version].Runs == 0 {
		return
	}
	found := answer(version)
	good := found == "2.0"
	if a.s.major == 3 {
		good = found == "3.0" || strings.HasPrefix(found, "3.0.")
	}
	switch {
	case !good:
		want := `"` + map[int]string{2: "2.0", 3: "3.0"}[a.s.major] + `"`
		a.refuted("R1", r, version, want, "%s returns %q", r.play.ops[version].Code, found)
	case platform >= 0 && r.Records[platform].Runs > 0 && answer(platform) != "default":
		a.refuted("R1", r, platform, `"default"`, "fmi2GetTypesPlatform returns %q",
			answer(platform))
	default:
		a.proved("R1")
	}
}

// stepsOf judges the answers of steps: statuses and out arguments.
func (a *attempt) stepsOf(r *run) {
	wrong, early, event, last := -1, -1, -1, -1
	for k, o := range r.play.ops {
		rec := r.Records[k]
		if rec.Status == probe.StatusUnsettled {
			a.refuted("S8", r, k, "an end", "fmi3UpdateDiscreteStates requests "+
				"another update 1 000 times")
		}
		if !strings.HasPrefix(o.Code, "fmi") || rec.Runs == 0 {
			continue
		}
		pending := rec.Status == 5 && o.Code == "fmi2DoStep" &&
			a.s.slave.Capabilities.Has("canRunAsynchronuously")
		if !isStatus(rec.Status) && !pending ||
			rec.Flags&probe.Unwritten != 0 && rec.Status <= warning {
			wrong = max(wrong, k)
		}
		if o.Code == "fmi3DoStep" && rec.Status <= warning {
			if rec.Y[2] == 1 && early < 0 {
				early = k
			}
			if begin, h := o.X[0], o.X[1]; last < 0 && rec.Y[2] == 0 &&
				!(rec.Y[3] > begin && rec.Y[3] < begin+2*h) {
				last = k
			}
			if rec.Y[0] == 1 && o.Flags&probe.EventMode == 0 && !a.s.events {
				event = k
			}
		}
	}
	switch {
	case wrong >= 0 && r.Records[wrong].Flags&probe.Unwritten != 0:
		a.refuted("S6", r, wrong, "that all arguments are set", "%s returns %s and does "+
			"not set its output arguments",
			r.play.ops[wrong].Code, statusName(r.Records[wrong].Status))
	case wrong >= 0:
		a.refuted("S6", r, wrong, "OK to Fatal, or Pending if that is declared", "%s",
			r.describe(wrong))
	case last >= 0:
		a.refuted("S6", r, last, "the end of the step", "lastSuccessfulTime is %s after %s",
			short(r.Records[last].Y[3]), r.describe(last))
	default:
		a.proved("S6")
	}
	if a.s.major < 3 {
		return
	}
	a.decide("S5", r, early, "a step to its end", "fmi3DoStep sets earlyReturn, which is not "+
		"allowed")
	a.decide("S8", r, event, "false", "fmi3DoStep sets eventHandlingNeeded outside Event Mode")
}

// isStatus reports whether a number is a status of the standard, or one of the probe itself.
func isStatus(n int) bool {
	return n >= 0 && n <= fatal || n >= probe.StatusNull && n <= probe.StatusUnsettled ||
		n == probe.StatusNotRun
}

// decide refutes a rule by operation at, or proves it if at is -1.
func (a *attempt) decide(rule string, r *run, at int, expected, found string) {
	if at < 0 {
		a.proved(rule)
		return
	}
	a.refuted(rule, r, at, expected, "%s", found)
}

// valuesOf judges the values read in a life: texts, and the limits of outputs.
func (a *attempt) valuesOf(r *run) {
	texts, outside := true, false
	for k := range r.readings {
		list, ok := r.readings[k].cells(r.Result)
		if !ok {
			break
		}
		for _, c := range list {
			if c.v == nil {
				if isUnreadable(c.bytes) {
					a.s.dead[c.name] = true // for D5
				}
				continue
			}
			if c.v.size == 0 && texts {
				texts = a.textIsGood(r, c)
			}
			if c.v.size == 0 && !texts {
				a.s.dead[c.name] = true
			}
			if !outside && c.v.size > 0 {
				outside = a.isOutside(r, &r.readings[k], c)
			}
		}
	}
	if texts {
		a.proved("R16")
	}
	if !outside {
		a.proved("V20")
	}
}

// limitsOf can refute V20 with a life with changing inputs; the plain life proves it.
func (a *attempt) limitsOf(r *run) {
	for k := range r.readings {
		list, ok := r.readings[k].cells(r.Result)
		if !ok {
			return
		}
		for _, c := range list {
			if c.v != nil && c.v.size > 0 && a.isOutside(r, &r.readings[k], c) {
				return
			}
		}
	}
}

// laterLimits makes the steps of the default experiment, up to a number, and judges outputs by
// their limits.
func laterLimits(a *attempt) {
	const most, limit = 200, time.Second
	s, p := a.s, a.s.newPlay()
	n := s.steps(most, s.step) - 1 // some FMUs end the simulation at the stop time
	if time.Duration(n)*a.x.stepTime() > limit || n <= a.x.n {
		return // the ordinary life proves it
	}
	readings := p.live(life{begin: s.usual(), n: n, end: true})
	r := a.play(p, readings...)
	if r.Crashed() || r.Stopped >= 0 {
		return // for other rules
	}
	a.limitsOf(r)
}

func (a *attempt) textIsGood(r *run, c cell) bool {
	content, ok := payload(c.bytes)
	switch {
	case r.Records[c.op].Flags&probe.DeadText != 0:
		a.refuted("R16", r, c.op, "memory that stays until the next call",
			"%s is in memory that is invalid after the call has "+
				"returned: on the stack, or freed", c.name)
		return false
	case !ok:
		a.refuted("R16", r, c.op, "an address of the value", "%s is %s", c.name, a.s.text(c))
		return false
	case c.v.Type == fmi.String && !utf8.Valid(content):
		a.refuted("R16", r, c.op, "UTF-8", "%s is %s", c.name, a.s.text(c)).as(finding.Warning)
		return false
	}
	return true
}

// isOutside judges an output by its limits: the limits of integers are strict.
func (a *attempt) isOutside(r *run, at *reading, c cell) bool {
	for k := 0; k+c.v.size <= len(c.bytes); k += c.v.size {
		x := a.s.number(c.v, c.bytes[k:])
		if text := a.s.isNoValue(c.v, x); text != "" {
			a.refuted("V20", r, c.op, text, "%s is %s at %s s", c.name, short(x),
				short(at.t)).as(finding.Error)
			return true
		}
		if c.v.Causality != fmi.Output {
			continue
		}
		slack := 0.0
		if c.v.Type.IsFloat() {
			slack = 1e-6 * max(1, abs(x))
		}
		low, hasLow := c.v.bound(c.v.Min)
		high, hasHigh := c.v.bound(c.v.Max)
		strange := math.IsNaN(x) && (hasLow || hasHigh)
		if hasLow && x < low-slack || hasHigh && x > high+slack || strange {
			o := a.refuted("V20", r, c.op, "min "+c.v.Min+", max "+c.v.Max,
				"%s is %s at %s s", c.name, short(x), short(at.t))
			if !c.v.Type.IsFloat() {
				o.as(finding.Error)
			}
			return true
		}
	}
	return false
}

// isNoValue describes the values of the type of a variable if x is not one of them.
func (s *subject) isNoValue(v *variable, x float64) string {
	switch v.Type {
	case fmi.Boolean:
		if x != 0 && x != 1 {
			return "true or false, 1 or 0"
		}
	case fmi.Enumeration:
		var items []string
		for _, t := range s.model.Types {
			for _, item := range t.Items {
				value, err := strconv.ParseFloat(item.Value, 64)
				if t.Name != v.DeclaredType || err != nil {
					continue
				}
				if value == x {
					return ""
				}
				items = append(items, item.Value)
			}
		}
		if len(items) > 0 {
			return "one of the items " + listed(items)
		}
	}
	return ""
}

func abs(x float64) float64 { return max(x, -x) }

// twoProcesses makes the life with which others are compared in two processes that differ in ways
// that must not matter. Its inputs change if the FMU accepts that.
func twoProcesses(a *attempt) {
	s := a.s
	clear(s.volatile) // of an earlier attempt
	live := func(driven bool, env ...string) *run {
		p := s.newPlay()
		readings := p.live(life{begin: s.usual(), n: a.x.n, driven: driven, end: true})
		return a.playWith(p, probe.Options{Env: env}, readings...)
	}
	driven := true
	one := live(true)
	if one.Crashed() || one.Stopped >= 0 && !one.ended() {
		driven = false
		one = live(false)
	}
	if one.Crashed() || one.Stopped >= 0 && !one.ended() {
		a.fine("R12", one)
		return
	}
	two := live(driven, "MALLOC_PERTURB_=165", "TZ=Asia/Kolkata", "GOSMP_EXAMINATION=1")
	if !a.fine("R12", two) {
		return
	}
	a.x.driven = one
	a.limitsOf(one)
	names, first := []string(nil), (*difference)(nil)
	for d := s.compare(one.Result, one.readings, two.Result, two.readings, 0); d != nil; d =
		s.compare(one.Result, one.readings, two.Result, two.readings, 0) {
		if first == nil {
			first = d
		}
		s.volatile[d.name] = true
		names = append(names, d.name)
	}
	if first == nil {
		a.proved("R12")
		return
	}
	o := a.refuted("R12", two, first.op, "the same values", "%s; %d variables differ: %s",
		first, len(names), listed(names))
	if _, counts := a.first(names); !counts {
		o.as(finding.Note)
	}
}

// first returns the first output in a list; ok is false if there is none.
func (a *attempt) first(names []string) (name string, ok bool) {
	for k := range a.s.variables {
		v := &a.s.variables[k]
		if slices.Contains(names, v.Name) && v.Causality != fmi.Parameter {
			return v.Name, true
		}
	}
	for _, t := range a.s.triples {
		if slices.Contains(names, t.Name) {
			return t.Name, true
		}
	}
	return "", false
}

// last returns the last operation of a reading.
func (r *reading) last() int {
	return max(slices.Max(append(r.ops, 0)), slices.Max(append(r.fetches, 0)))
}

func listed(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " …"
	}
	return strings.Join(names, ", ")
}

// same judges a rule by comparing a run with the reference life.
func (a *attempt) same(rule string, r *run, readings []reading) bool {
	return a.sameAs(a.x.driven, rule, r, readings)
}

// sameAs judges a rule by comparing a run with another one.
func (a *attempt) sameAs(ref *run, rule string, r *run, readings []reading) bool {
	if d := a.s.compare(ref.Result, ref.readings, r.Result, readings, 0); d != nil {
		o := a.refuted(rule, r, d.op, "the values of a life alone, "+d.left,
			"%s is %s at %s s", d.name, d.right, short(d.t))
		if d.relative < 1e-9 {
			o.as(finding.Note)
		}
		return false
	}
	return true
}

// reference returns the life with which others are compared.
func (x *exam) reference() life {
	return life{begin: x.s.usual(), n: x.n, driven: x.isDriven()}
}

// isDriven reports whether inputs change in the reference life.
func (x *exam) isDriven() bool {
	return x.driven != nil && len(x.driven.play.ops) > 0 && x.driven.play.hasInputs()
}

func (p *play) hasInputs() bool {
	for _, o := range p.ops {
		if strings.HasPrefix(o.Code, p.s.function("Set")) && !strings.HasSuffix(o.Code, "tate") {
			return true
		}
	}
	return false
}
