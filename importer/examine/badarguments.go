package examine

import (
	"path/filepath"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

const modelExchange = "an instantiation as Model Exchange"

// wrongInstantiations passes wrong tokens, names and types.
func wrongInstantiations(a *attempt) {
	s := a.s
	if s.major == 3 && (s.model.Interface(fmi.ModelExchange) == nil &&
		!a.otherInterface("ModelExchange", modelExchange) ||
		s.model.Interface(fmi.ScheduledExecution) == nil &&
			!a.otherInterface("ScheduledExecution", "an instantiation as Scheduled Execution")) {
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
	a.refusedAll("I4")
}

// otherInterface instantiates an FMI 3.0 FMU for an interface that it does not declare.
func (a *attempt) otherInterface(name, what string) bool {
	s, p := a.s, a.s.newPlay()
	o := s.birth(0)
	o.Code = "fmi3Instantiate" + name
	k := p.wrongly(o)
	r := a.play(p)
	if r.Records[k].Status == probe.StatusMissing {
		return true // for B4
	}
	return a.judgeRefusal("I4", r, k, finding.Warning, what)
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

// nullAndPaths instantiates with unusual resource locations, then makes calls without an instance,
// of which no clause requires that they do no harm, and instantiates without a location.
func nullAndPaths(a *attempt) {
	s := a.s
	if a.x.plain != nil && !a.paths() {
		return
	}
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
	if a.x.plain == nil {
		a.untested("I8", "%s", a.x.noLife())
	} else if a.nullPath() {
		a.proved("I8")
	}
}

// paths reports whether lives work with unusual locations of the resources, or refutes I8.
func (a *attempt) paths() bool {
	s := a.s
	odd, err := s.oddFolder(a.x)
	if err != nil {
		a.untested("I8", "a folder with an odd name cannot be made: %v", err)
		return false
	}
	name := strconv.Quote(filepath.Base(odd))
	if !a.livesWith(s.fmu.Resources(odd), "resources in a folder named "+name) {
		return false
	}
	return s.major > 2 || a.livesWith(briefLocation(s.resources),
		"the URI file:/path, without //, for the resources")
}

// briefLocation returns a file URI without an authority, which FMUs must understand as well (FMI
// 2.0.5, 2.1.5).
func briefLocation(uri string) string { return strings.Replace(uri, "file://", "file:", 1) }

// livesWith reports whether a life works with another location of the resources. Otherwise it
// refutes I8.
func (a *attempt) livesWith(location, what string) bool {
	s, p := a.s, a.s.newPlay()
	o := s.birth(0)
	if s.resources != "" {
		o.Data3 = zero(location)
	}
	k := p.add(o)
	p.initialize(0, s.usual())
	p.step(0, s.start, s.step)
	p.end(0)
	r := a.play(p)
	switch {
	case r.Crashed():
		a.refuted("I8", r, r.Last, "no crash", "%s, with %s", r.end(), what).as(finding.Error)
	case r.Stopped >= k && !r.ended():
		a.refuted("I8", r, r.Stopped, "OK", "%s, with %s", r.describe(r.Stopped), what)
	default:
		return true
	}
	return false
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
