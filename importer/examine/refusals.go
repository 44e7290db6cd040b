package examine

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// judgeRefusal judges a call that must be refused; it returns false if the trial is over.
func (a *attempt) judgeRefusal(rule string, r *run, k int, severity finding.Severity,
	what string) bool {
	switch {
	case r.Crashed() && r.Last >= k:
		a.crash(rule, r).as(finding.Error)
		return false
	case r.Crashed() || r.Stopped >= 0 && r.Stopped < k:
		return true // for other rules
	case r.Records[k].Status <= warning:
		a.refuted(rule, r, k, "Error", "%s returns %s", what,
			statusName(r.Records[k].Status)).as(severity)
		return false
	}
	return true
}

// wrongSteps tries steps that cannot be made.
func wrongSteps(a *attempt) {
	s := a.s
	t := s.start + s.step // after one step
	for _, c := range []struct {
		t, h float64
		what string
	}{
		{t, 0, "a step of length 0"},
		{t, -s.step, "a step backwards"},
		{t, math.NaN(), "a step of length NaN"},
		{t + float64(10*s.step), s.step, "a step that does not begin where the last one ended"},
		{t - float64(100*s.step), s.step, "a step that begins in the past"},
		{math.NaN(), s.step, "a step that begins at NaN"},
	} {
		if s.major == 3 && c.h == 0 {
			continue // some interpret it as an event in FMI 3.0
		}
		p := s.newPlay()
		p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: 1})
		k := p.wrongly(probe.Op{Code: s.function("DoStep"), X: [4]float64{c.t, c.h}})
		r := a.playWith(p, probe.Options{Limit: 3 * time.Second})
		if r.TimedOut && r.Last == k && (math.IsNaN(c.t) || math.IsNaN(c.h)) {
			// no standard says what should happen, and a loop over times would not end
			a.remark("I2", c.what+" never ends")
			continue
		}
		if !a.judgeRefusal("I2", r, k, finding.Warning, c.what) {
			return
		}
	}
	a.proved("I2")
}

// beyondStop makes a step beyond a defined stop time.
func beyondStop(a *attempt) {
	s := a.s
	p := s.newPlay()
	b := s.usual()
	b.noStop, b.stop = false, s.start+s.step
	p.live(life{flags: probe.LoggingOn, begin: b, n: 1})
	k := p.wrongly(probe.Op{Code: s.function("DoStep"), X: [4]float64{b.stop, s.step}})
	if r := a.play(p); a.judgeRefusal("I3", r, k, finding.Warning, "a step beyond the stop time") {
		a.proved("I3")
	}
}

const modelExchange = "an instantiation as Model Exchange"

// wrongInstantiations passes wrong tokens, names and types.
func wrongInstantiations(a *attempt) {
	s := a.s
	if s.major == 3 && s.model.Interface(fmi.ModelExchange) == nil && !a.otherInterface() {
		return
	}
	for _, c := range []struct {
		what   string
		change func(o *probe.Op)
	}{
		{"an instantiation with another token", func(o *probe.Op) { o.Data2 = zero("{another}") }},
		{"an instantiation with a token whose last character differs", func(o *probe.Op) {
			o.Data2 = zero(differing(s.model.InstantiationToken))
		}},
		{"an instantiation with a token that has one more character", func(o *probe.Op) {
			o.Data2 = zero(s.model.InstantiationToken + "0")
		}},
		{"an instantiation with an empty name", func(o *probe.Op) { o.Data = zero("") }},
		{modelExchange, func(o *probe.Op) { o.Values = 0 }},
	} {
		o := s.birth(0)
		o.Flags |= probe.LoggingOn
		c.change(&o)
		both := s.model.Interface(fmi.ModelExchange) != nil
		if o.Values == 0 && (s.major == 3 || both) && c.what == modelExchange {
			continue
		}
		p := s.newPlay()
		k := p.wrongly(o)
		r := a.play(p)
		if !a.judgeRefusal("I4", r, k, finding.Warning, c.what) {
			return
		}
		if r.Records[k].Status == probe.StatusNull && len(r.Messages) == 0 {
			a.refuted("G4", r, k, "a message that explains the reason",
				"%s returns NULL for %s, without a message", o.Code, c.what)
		}
	}
	a.proved("I4")
}

// otherInterface instantiates an FMI 3.0 FMU for Model Exchange, which it does not declare.
func (a *attempt) otherInterface() bool {
	s, p := a.s, a.s.newPlay()
	o := s.birth(0)
	o.Code = "fmi3InstantiateModelExchange"
	k := p.wrongly(o)
	r := a.play(p)
	if r.Records[k].Status == probe.StatusMissing {
		return true // for B4
	}
	return a.judgeRefusal("I4", r, k, finding.Warning, modelExchange)
}

// differing returns the text with a different last character.
func differing(text string) string {
	if text == "" {
		return "x"
	}
	last := byte('0')
	if strings.HasSuffix(text, "0") {
		last = '1'
	}
	return text[:len(text)-1] + string(last)
}

// nullAndPaths makes calls without an instance, and instantiates with unusual resource locations.
func nullAndPaths(a *attempt) {
	s := a.s
	calls := []probe.Op{{Code: s.function("Terminate")}, {Code: s.function("Reset")},
		{Code: s.function("DoStep"), X: [4]float64{s.start, s.step}}}
	for _, verb := range []string{"Get", "Set"} {
		if o, ok := s.arguments(s.function(verb), fmi.Instantiated); ok {
			calls = append(calls, o)
		}
	}
	for _, o := range calls {
		p := s.newPlay()
		o.Flags |= probe.NoInstance
		p.wrongly(o)
		if r := a.play(p); r.Crashed() && !r.Done {
			a.refuted("I8", r, r.Last, "no crash, although no clause requires it",
				"%s, called with NULL for the instance", r.end())
			return
		}
	}
	if a.x.plain != nil && !a.nullPath() {
		return
	}
	odd, err := s.oddFolder(a.x)
	if err != nil {
		a.untested("I8", "a folder with an odd name cannot be made: %v", err)
		return
	}
	p := s.newPlay()
	o := s.birth(0)
	if s.resources != "" {
		o.Data3 = zero(s.fmu.Resources(odd))
	}
	k := p.add(o)
	p.initialize(0, s.usual())
	p.end(0)
	r := a.play(p)
	switch {
	case a.x.plain == nil:
		a.proved("I8")
	case r.Crashed():
		a.refuted("I8", r, r.Last, "no crash", "%s, with resources in %q", r.end(),
			filepath.Base(odd)).as(finding.Error)
	case r.Stopped >= k && !r.ended():
		a.refuted("I8", r, r.Stopped, "OK", "%s, with resources in a folder named %q",
			r.describe(r.Stopped), filepath.Base(odd))
	default:
		a.proved("I8")
	}
}

// nullPath instantiates without a resource location.
func (a *attempt) nullPath() bool {
	p := a.s.newPlay()
	o := a.s.birth(0)
	o.Data3 = nil
	p.add(o)
	p.may()
	if r := a.play(p); r.Crashed() {
		a.refuted("I8", r, r.Last, "no crash", "%s, with NULL for the location of resources",
			r.end())
		return false
	}
	return true
}

// unknownGet returns a call that reads a value reference that no variable has.
func (s *subject) unknownGet() probe.Op {
	name := map[int]string{2: "Real", 3: "Float64"}[s.major]
	return probe.Op{Code: s.function("Get" + name), Flags: probe.MayFail,
		References: []uint32{s.unknownReference()}, Values: 1}
}

// unknownReference returns a value reference that no variable has.
func (s *subject) unknownReference() uint32 {
	used := map[uint32]bool{}
	for k := range s.model.Variables {
		used[s.model.Variables[k].ValueReference] = true
	}
	const first = 987654
	for r := uint32(first); ; r++ {
		if !used[r] {
			return r
		}
	}
}

// wrongReferences reads and sets variables that do not exist, and sets variables that must not be
// set.
func wrongReferences(a *attempt) {
	s := a.s
	types := map[int][]fmi.Type{2: {fmi.Real, fmi.Integer, fmi.Boolean, fmi.String},
		3: {fmi.Float64, fmi.Int32, fmi.Boolean, fmi.String}}[s.major]
	state := func(p *play) {
		p.instantiate(0, probe.LoggingOn)
		p.initialize(0, s.usual())
	}
	if a.x.plain == nil { // what can be reached without an ordinary life
		state = func(p *play) {
			p.instantiate(0, probe.LoggingOn)
			p.enter(0, s.usual())
		}
	}
	for _, t := range types {
		for _, reference := range s.unknownReferences() {
			if !a.unknownStays(state, t, reference) {
				return
			}
		}
	}
	if a.x.plain != nil && !a.fixedStay(state) {
		return
	}
	a.proved("I5")
}

// unknownReferences returns value references that no variable has: one that is only large, and the
// largest one. FMUs may know variables that their model description leaves out.
func (s *subject) unknownReferences() []uint32 {
	list := []uint32{s.unknownReference()}
	if !slices.ContainsFunc(s.model.Variables, func(v archive.Variable) bool {
		return v.ValueReference == math.MaxUint32
	}) {
		list = append(list, math.MaxUint32)
	}
	return list
}

// unknownStays reads and sets a value reference that no variable has, as one of a type; it returns
// false if that refutes I5.
func (a *attempt) unknownStays(state func(p *play), t fmi.Type, reference uint32) bool {
	s := a.s
	for _, verb := range []string{"Get", "Set"} {
		p := s.newPlay()
		state(p)
		o := probe.Op{Code: s.function(verb + t.String()), References: []uint32{reference},
			Values: 1}
		if verb == "Set" {
			o.Data = s.encode(&variable{size: s.width(t), n: 1}, map[fmi.Type]any{
				fmi.Boolean: true, fmi.String: "x", fmi.Integer: int32(1), fmi.Int32: int32(1),
				fmi.Real: 1.0, fmi.Float64: 1.0}[t])
		}
		k := p.wrongly(o)
		what := fmt.Sprintf("%s of the unknown value reference %d", o.Code, reference)
		if r := a.play(p); !a.judgeRefusal("I5", r, k, finding.Error, what) {
			return false
		}
	}
	return true
}

const fixedParameter = "a fixed parameter after initialization"

// fixedStay sets an output, a constant and a fixed parameter after initialization.
func (a *attempt) fixedStay(state func(p *play)) bool {
	s := a.s
	kinds := map[string]bool{}
	for k := range s.variables {
		v := &s.variables[k]
		kind := ""
		switch {
		case v.partial || v.clocked || v.size == 0 || v.n != 1:
		case v.Variability == fmi.Constant:
			kind = "a constant"
		case v.Causality == fmi.Output && v.Initial == fmi.Calculated:
			kind = "a calculated output"
		case v.Causality == fmi.Parameter && v.Variability == fmi.Fixed:
			kind = fixedParameter
		}
		if kind == "" || kinds[kind] {
			continue
		}
		kinds[kind] = true
		p := s.newPlay()
		state(p)
		value := make([]byte, v.size)
		o := s.setOp(0, group{s.typeName(v.Type), v.size, []*variable{v}}, value)
		n := p.wrongly(o)
		what := fmt.Sprintf("%s of %s, %s,", o.Code, v.Name, kind)
		r := a.play(p)
		if kind == fixedParameter && !r.Crashed() && r.Stopped < 0 &&
			r.Records[n].Status <= warning {
			a.remark("I5", "fixed parameters can be set after initialization")
			continue
		}
		if !a.judgeRefusal("I5", r, n, finding.Warning, what) {
			return false
		}
	}
	return true
}

// wrongCounts passes a number of values that is too large or too small.
func wrongCounts(a *attempt) {
	s := a.s
	state := func(p *play) {
		p.instantiate(0, probe.LoggingOn)
		p.initialize(0, s.usual())
	}
	tried := 0
	seen := map[string]bool{}
	for k := range s.variables {
		v := &s.variables[k]
		key := s.typeName(v.Type) + fmt.Sprint(v.n > 1)
		if v.clocked || seen[key] || v.Causality == fmi.Independent {
			continue
		}
		seen[key] = true
		for _, more := range []float64{1, -1} {
			g := group{s.typeName(v.Type), v.size, []*variable{v}}
			tried++
			if !a.wrongCount(state, s.getOp(0, &g), v, more) {
				return
			}
		}
	}
	for _, when := range []fmi.State{fmi.StepComplete, fmi.InitializationMode} {
		in := state
		if when == fmi.InitializationMode {
			in = func(p *play) {
				p.instantiate(0, probe.LoggingOn)
				p.enter(0, s.usual())
			}
		}
		for _, v := range s.oneSettable(when) {
			for _, more := range []float64{1, -1} {
				o := s.setOp(0, s.single(v), s.startOf(v))
				if !a.wrongCount(in, o, v, more) {
					return
				}
			}
		}
	}
	if tried > 0 && a.nothingIsLegal(state) {
		a.proved("I6")
	}
}

// wrongCount makes a call with a wrong number of values.
func (a *attempt) wrongCount(state func(p *play), o probe.Op, v *variable, more float64) bool {
	o.X[0] = more
	p := a.s.newPlay()
	p.placement(probe.Roomy)
	state(p)
	n := p.wrongly(o)
	what := fmt.Sprintf("%s of %s with nValues = %v, where %d are right,", o.Code, v.Name,
		float64(v.n)+more, v.n)
	severity := finding.Error
	if v.size == 0 && o.Data == nil {
		severity = finding.Warning // nothing beyond the values is accessed
	}
	return a.judgeRefusal("I6", a.play(p), n, severity, what)
}

// oneSettable returns one variable of each type that may be set in a state.
func (s *subject) oneSettable(in fmi.State) (list []*variable) {
	seen := map[string]bool{}
	for k := range s.variables {
		v := &s.variables[k]
		if name := s.typeName(v.Type); !seen[name] && s.settable(v, in) &&
			s.startOf(v) != nil {
			seen[name] = true
			list = append(list, v)
		}
	}
	return list
}

// typeNames returns the types of the variables, as used in function names.
func (s *subject) typeNames() (names []string) {
	for k := range s.variables {
		if name := s.typeName(s.variables[k].Type); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// nothingIsLegal reads no variable, with NULL for the arrays, for each type of the FMU.
func (a *attempt) nothingIsLegal(state func(p *play)) bool {
	s := a.s
	for _, name := range s.typeNames() {
		p := s.newPlay()
		state(p)
		p.add(probe.Op{Code: s.function("Get" + name), Flags: probe.NoArrays})
		p.call(0, "FreeInstance")
		r := a.play(p)
		if r.Crashed() || r.Stopped >= 0 {
			o := a.refuted("I6", r, max(r.Stopped, r.Last), "OK", "%s for no variable",
				r.describe(max(r.Stopped, r.Last)))
			if r.Crashed() {
				o.found, o.cause = r.end()+", for no variable", r.end()
			}
			return false
		}
	}
	return true
}

// afterError resets and frees an instance that has returned Error.
func afterError(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, probe.LoggingOn)
	p.initialize(0, s.usual())
	k := p.wrongly(s.unknownGet())
	p.states[0] = fmi.Erroneous
	p.call(0, "Reset")
	p.initialize(0, s.usual())
	p.step(0, s.start, s.step)
	p.end(0)
	r := a.play(p)
	if r.Crashed() && r.Last <= k || r.Stopped >= 0 && r.Stopped <= k ||
		r.Records[k].Status <= discard {
		a.untested("I7", "no error could be provoked")
		return
	}
	if !a.fine("I7", r) || !a.readable("I7") {
		return
	}
	q := s.newPlay()
	q.instantiate(0, probe.LoggingOn)
	q.initialize(0, s.usual())
	q.wrongly(s.unknownGet())
	q.states[0] = fmi.Erroneous
	q.call(0, "FreeInstance")
	if r = a.play(q); r.Crashed() && r.Last == len(q.ops)-1 {
		a.crash("I7", r).as(finding.Error)
		return
	}
	a.proved("I7")
}

// readable reads a variable after an error, if the standard allows that for debugging; it returns
// false if the FMU refuses.
func (a *attempt) readable(rule string) bool {
	s := a.s
	get := slices.IndexFunc(s.variables, func(v variable) bool {
		return s.readable(&v, fmi.StepComplete) && v.size > 0
	})
	if get < 0 || s.major == 3 {
		return true
	}
	g := s.single(&s.variables[get])
	p := s.newPlay()
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	p.wrongly(s.unknownGet())
	p.states[0] = fmi.Erroneous
	k := p.add(s.getOp(0, &g))
	p.may()
	p.call(0, "FreeInstance")
	r := a.play(p)
	switch {
	case r.Crashed() && r.Last == k:
		a.crash(rule, r).as(finding.Error)
		return false
	case r.Records[k].Runs > 0 && r.Records[k].Status > warning:
		a.refuted(rule, r, k, "OK, since values may be read for debugging",
			"%s after an error", r.describe(k))
		return false
	}
	return true
}
