package trial

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
)

// Examine reports faults that [experiment.Check] cannot detect, because they depend on the
// variables of FMUs and vehicles: start values and connections that do not match the variables
// (BI05), and charts that name parts the experiment lacks (EX24). Findings name files as the
// description does. It opens the FMUs with Options.FMU, but starts none. If Open cannot read an
// experiment in which experiment.Check finds nothing, the cause is the only finding, which is about
// the environment (EX08).
func Examine(file string, document []byte, o Options) experiment.Findings {
	o.Examine = false // it reports all findings, where a run refuses the first error
	t, err := Open(file, document, o)
	if errors.Is(err, errSeen) {
		return nil
	}
	if err != nil {
		x := &examiner{t: &Trial{description: &experiment.Description{File: file}}}
		x.refused("EX08", err)
		return x.list
	}
	x := &examiner{t: t, parts: map[string]map[string]cosim.Variable{}}
	switch {
	case t.scenario != nil:
		x.entities()
	case t.roads != nil: // the world moves them
		for _, name := range t.vehicles() {
			x.vehicle(name)
		}
	}
	x.fmus()
	x.connections()
	x.charts()
	if !slices.ContainsFunc(x.list, func(f finding.Finding) bool {
		return f.Severity == finding.Error && f.ID != "EX24" // charts do not affect it
	}) {
		x.whole()
	}
	return x.list
}

// whole builds and discards the simulation to find the errors with which Initialize would refuse
// it.
func (x *examiner) whole() {
	if err := x.t.Check(); err != nil {
		x.refused("BI05", err)
	}
}

// refused reports an error that prevents the experiment from running.
func (x *examiner) refused(id string, err error) {
	var e *fault.Error
	place := fault.Place{File: x.t.description.File}
	if errors.As(err, &e) {
		place = e.Place
		place.File = cmp.Or(place.File, x.t.description.File)
	}
	message, remedy := fault.Reason(err)
	x.add(id, finding.Error, place, message, remedy)
}

// ExamineBIBI is like Examine for a BIBI document without an experiment. The document's bodies are
// the vehicles.
func ExamineBIBI(file string, document []byte, o Options) experiment.Findings {
	b, list := experiment.ReadBIBI(file, document, experiment.Options{})
	if b == nil || list.Count(finding.Error) > 0 {
		return nil
	}
	d := &experiment.Description{BIBI: experiment.Reference{Src: file}}
	t := &Trial{options: o, description: d, bibi: b}
	t.wire()
	x := &examiner{t: t, parts: map[string]map[string]cosim.Variable{}}
	for _, body := range b.Bodies {
		x.vehicle(cmp.Or(body.Robot, "robot"))
	}
	x.fmus()
	for _, c := range b.Connections {
		for _, end := range []string{c.From, c.To} {
			part, _, _ := strings.Cut(end, ".")
			if x.parts[part] == nil && !slices.Contains(x.unknown, part) {
				x.add("BI04", finding.Error, x.inBIBI(c.Position, ""), fmt.Sprintf(
					"%q is not a variable of a participant", end),
					"write participant.variable, with one of "+
						strings.Join(slices.Sorted(maps.Keys(x.parts)), ", "))
			}
		}
	}
	x.connections()
	return x.list
}

// repeat examines the charts, given the variables of the participants of the run. It refuses the
// first error, because a judge with an error could pass without having judged, and adds the other
// findings to the warnings of the verdict.
func (t *Trial) repeat(known map[string]cosim.Variable) error {
	if !t.options.Examine || t.examined {
		return nil
	}
	t.examined = true
	x := &examiner{t: t, parts: map[string]map[string]cosim.Variable{}}
	for full, v := range known {
		name := full
		if t.world != nil {
			name = strings.TrimPrefix(full, worldName+".")
		}
		part, variable, _ := strings.Cut(name, ".")
		if x.parts[part] == nil {
			x.parts[part] = map[string]cosim.Variable{}
		}
		x.parts[part][variable] = v
	}
	if t.scenario != nil {
		x.entities()
	}
	x.charts()
	t.blinded = append(t.blinded, x.blinded...)
	x.list.Sort()
	for _, f := range x.list {
		if f.Severity == finding.Error {
			return refusal(f)
		}
		line := f.Place.String() + ": " + f.Message
		if f.Remedy != "" {
			line += "; " + f.Remedy
		}
		if f.More > 0 {
			line += fmt.Sprintf(" (and %d more)", f.More)
		}
		t.warnings = append(t.warnings, line+" ["+f.ID+"]")
	}
	return nil
}

// examiner collects the findings about an experiment.
type examiner struct {
	t       *Trial
	parts   map[string]map[string]cosim.Variable // by participant or vehicle, and variable
	unknown []string                             // participants whose variables are unknown
	list    experiment.Findings
	tally   finding.Tally
	blinded []string // where machines look for something that does not exist
	// what the charts have been found to contain, and what blinded has
	found  map[finding.Finding]bool
	hidden map[string]bool
	// the charts of all machines and of those that they invoke; closed if they are all known
	machines []*scxml.Chart
	closed   bool
}

func (x *examiner) add(id string, s finding.Severity, p fault.Place, message, remedy string) {
	x.tally.Add(&x.list, finding.Finding{ID: id, Severity: s, Place: p, Message: message,
		Remedy: remedy})
}

// vehicle records the variables of a vehicle.
func (x *examiner) vehicle(name string) {
	list := map[string]cosim.Variable{}
	for _, v := range variablesOf(name) {
		list[strings.TrimPrefix(v.Name, name+".")] = v
	}
	x.parts[name] = list
}

// fmus opens the FMUs and tries their start values.
func (x *examiner) fmus() {
	for _, p := range x.t.bibi.FMUs {
		x.fmu(p)
	}
	for _, m := range slices.Concat(x.t.options.Participants, x.t.wiring.Participants) {
		p, err := m.variables()
		if err != nil {
			x.unknown = append(x.unknown, m.Name)
			x.add("BI05", finding.Error,
				fault.Place{File: x.t.description.BIBI.Src, Object: m.Name}, err.Error(), "")
			continue
		}
		x.note(m.Name, p)
	}
}

// variables creates the participant or source of a maker, for its list of variables.
func (m *Maker) variables() (variabled, error) {
	if m.Values != nil {
		return m.Values()
	}
	return m.New(Given{})
}

// variabled is a participant, or a source of values.
type variabled interface{ Variables() []cosim.Variable }

func (x *examiner) note(name string, p variabled) {
	list := map[string]cosim.Variable{}
	for _, v := range p.Variables() {
		list[v.Name] = v
	}
	x.parts[name] = list
}

func (x *examiner) fmu(p experiment.Participant) {
	place := x.inBIBI(p.Position, p.Name)
	if x.t.options.FMU == nil {
		x.unknown = append(x.unknown, p.Name)
		return
	}
	plain := p
	plain.Start = nil
	made, err := x.made(plain)
	if err != nil {
		x.unknown = append(x.unknown, p.Name)
		message, remedy := fault.Reason(err)
		x.add("BI05", finding.Error, place, fmt.Sprintf("the FMU %q cannot be used: %s", p.Src,
			message), remedy)
		return
	}
	x.note(p.Name, made)
	x.startFiles(p)
	x.startNumbers(p)
	if _, err := x.made(p); err == nil {
		return
	}
	for _, s := range p.Start {
		plain.Start = []experiment.StartValue{s}
		if _, err := x.made(plain); err != nil {
			message, remedy := fault.Reason(err)
			place := x.inBIBI(s.Position, p.Name+"."+s.Name)
			x.add("BI05", finding.Error, place, "the start value "+s.Name+"="+s.Value+": "+message,
				cmp.Or(x.meant(p.Name, s.Name), remedy))
		}
	}
}

// made creates an FMU with its start values. It loads nothing.
func (x *examiner) made(p experiment.Participant) (cosim.Participant, error) {
	m, err := x.t.options.FMU(p)
	if err != nil {
		return nil, err
	}
	return m.New(Given{Seed: x.t.seed, Physics: x.t.description.Physics})
}

func (x *examiner) inBIBI(p experiment.Position, object string) fault.Place {
	return fault.Place{File: x.t.description.BIBI.Src, Line: p.Line, Column: p.Column,
		Object: object}
}

// connections compares both ends of each connection.
func (x *examiner) connections() {
	at := map[string]experiment.Position{}
	for _, c := range x.t.bibi.Connections {
		at[c.From+" "+c.To] = c.Position
	}
	for _, c := range x.t.wiring.Connections {
		place := x.inBIBI(at[c.From+" "+c.To], c.String())
		from, to := x.end(c.From, place), x.end(c.To, place)
		if from == nil || to == nil {
			continue
		}
		if err := cosim.Fit(from, to, c); err != nil {
			message, remedy := fault.Reason(err)
			x.add("BI05", finding.Error, place, c.String()+": "+message, remedy)
		} else if from.Unit != "" && to.Unit != "" && from.Unit != to.Unit &&
			len(c.Conversions) == 0 {
			x.add("BI05", finding.Warning, place, fmt.Sprintf(
				"%s: the unit %s of %s becomes %s, but the number does not change", c.String(),
				from.Unit, c.From, to.Unit), "convert it in an FMU, or use a system structure")
		}
	}
}

// end returns the variable at an end of a connection. It reports a variable that does not exist.
func (x *examiner) end(name string, place fault.Place) *cosim.Variable {
	part, variable, _ := strings.Cut(name, ".")
	list, known := x.parts[part]
	if !known {
		return nil // an FMU that cannot be opened, or a finding of Check
	}
	v, is := list[variable]
	if !is {
		x.add("BI05", finding.Error, place, fmt.Sprintf("%s has no variable %q", part, variable),
			x.meant(part, variable))
		return nil
	}
	v.Name = variable
	return &v
}

// meant returns a hint with the variables that the user may have meant.
func (x *examiner) meant(part, variable string) string {
	const most = 12 // in a hint
	names := slices.Sorted(maps.Keys(x.parts[part]))
	if _, known := x.parts[part][variable]; known {
		return "" // the variable exists, but its value is wrong
	}
	if hint := similar.Hint(variable, names); hint != "" || len(names) > most {
		return cmp.Or(hint, "gosmp inspect shows its variables")
	}
	return "one of " + strings.Join(names, ", ")
}

// has reports whether a variable of that name exists, or may exist.
func (x *examiner) has(name string) bool {
	part, variable, found := strings.Cut(name, ".")
	if !found || slices.Contains(x.unknown, part) {
		return found
	}
	_, is := x.parts[part][variable]
	return is
}

// lacking explains what is wrong with an unknown variable name.
func (x *examiner) lacking(name string) (message, remedy string) {
	part, variable, found := strings.Cut(name, ".")
	if _, known := x.parts[part]; found && known {
		return fmt.Sprintf("%s has no variable %q", part, variable), x.meant(part, variable)
	}
	names := slices.Sorted(maps.Keys(x.parts))
	return fmt.Sprintf("%q is not a variable of the experiment", name),
		cmp.Or(similar.Hint(part, names), "write PARTICIPANT.VARIABLE, with one of "+
			strings.Join(names, ", "))
}

// chartFile returns the file of a chart as the description names it.
func chartFile(name string) string { return path.Clean(name) }
