package system

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer"
	"gosmp/internal/fault"
	"gosmp/internal/similar"
)

// System is a set of named FMUs and their connections.
type System struct {
	File        string // the system structure; empty for a list of FMUs
	Parts       []*Part
	Connections []cosim.Connection
	// Boundary holds connections with connectors of the system itself. At these ends, only the name
	// of the connector is given. A run of the system does not need them.
	Boundary    []cosim.Connection
	Start, Stop Value    // in seconds
	Step        Value    // the base step, in seconds
	Warnings    []string // warnings and notes for the user
}

// Value is a number and its origin. Without an origin, the value is unknown.
type Value struct {
	Number float64
	Origin string
}

// Part is an FMU in a system, or another participant.
type Part struct {
	Instance *importer.Instance // of the FMU, in the most recent engine

	Name string
	FMU  *importer.FMU // nil for another participant
	// Other is a participant that is not an FMU; it serves one engine. [Part.Units] are its units.
	Other cosim.Participant
	Units []fmi.Unit // of another participant, used for conversions
	// Values provides the values of a file over time, in place of a participant; it serves one
	// engine.
	Values cosim.Source
	// World means that the other participant is a world, in which models perceive and drive.
	World bool
	Start []importer.StartValue
	Step  Value // the part's own step in s; without an origin, the base step applies
}

// Opener creates parts from files that are not FMUs. It returns nil for files that it does not
// handle. The caller sets the name of the part.
type Opener func(file string) (*Part, error)

// Open builds a system from FMUs given as file.fmu or name=file.fmu, and from files that an opener
// can handle. A part without a name is named after its file, with a number appended if the name is
// taken.
func Open(arguments []string, openers ...Opener) (*System, error) {
	s := &System{}
	names, files, err := Names(arguments)
	if err != nil {
		return nil, err
	}
	read := map[string]*importer.FMU{}
	for k, file := range files {
		p, err := open(file, openers, read)
		if err != nil {
			return nil, err
		}
		p.Name = names[k]
		s.Parts = append(s.Parts, p)
	}
	s.propose()
	return s, nil
}

// Names returns the names and files of arguments in the form that [Open] accepts.
func Names(arguments []string) (names, files []string, err error) {
	chosen := map[string]bool{}
	for _, argument := range arguments {
		name, file := Named(argument)
		if name != "" && chosen[name] {
			return nil, nil, fault.New(cosim.ErrName, fault.At(argument),
				fmt.Sprintf("the name %q a second time", name), "one name for each FMU")
		}
		if name != "" {
			chosen[name] = true
		}
		names, files = append(names, name), append(files, file)
	}
	for k, file := range files {
		if names[k] == "" {
			names[k] = free(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), chosen)
			chosen[names[k]] = true
		}
	}
	return names, files, nil
}

// open creates a part from a file. Parts with the same FMU share the data read from it.
func open(file string, openers []Opener, read map[string]*importer.FMU) (*Part, error) {
	for _, o := range openers {
		if p, err := o(file); p != nil || err != nil {
			return p, err
		}
	}
	f, err := read[file], error(nil)
	if f == nil {
		f, err = importer.Open(file)
		read[file] = f
	}
	return &Part{FMU: f}, err
}

// Variables returns the variables of the part.
func (p *Part) Variables() []cosim.Variable {
	switch {
	case p.Values != nil:
		return p.Values.Variables()
	case p.FMU == nil:
		return p.Other.Variables()
	}
	return p.FMU.Variables()
}

// Named splits name=file; the name is empty if there is none. If there is a file whose name
// contains the =, this file takes precedence.
func Named(argument string) (name, file string) {
	name, file, found := strings.Cut(argument, "=")
	if _, err := os.Stat(argument); err == nil || !found || name == "" {
		return "", argument
	}
	return name, file
}

// free returns a name that is not taken.
func free(base string, taken map[string]bool) string {
	name := base
	for n := 2; taken[name]; n++ {
		name = base + "-" + strconv.Itoa(n)
	}
	return name
}

// propose sets unknown times from the FMUs' default experiments: the earliest start, the latest
// stop, the smallest step.
func (s *System) propose() {
	start, stop, step := s.Start.Origin == "", s.Stop.Origin == "", s.Step.Origin == ""
	better := func(v *Value, number *float64, part *Part, is func(a, b float64) bool) {
		if number != nil && (v.Origin == "" || is(*number, v.Number)) {
			*v = Value{*number, s.owner(part)}
		}
	}
	less := func(a, b float64) bool { return a < b }
	for _, p := range s.Parts {
		if p.FMU == nil {
			continue
		}
		d := p.FMU.Model.DefaultExperiment
		if start {
			better(&s.Start, d.StartTime, p, less)
		}
		if stop {
			better(&s.Stop, d.StopTime, p, func(a, b float64) bool { return a > b })
		}
		if own := p.FMU.InternalStep(); step && d.StepSize == nil && own > 0 {
			better(&s.Step, &own, p, less)
		} else if step {
			better(&s.Step, d.StepSize, p, less)
		}
	}
}

// owner returns the origin of a value taken from the FMU of a part.
func (s *System) owner(p *Part) string {
	if len(s.Parts) == 1 && s.File == "" {
		return "the FMU's"
	}
	return p.Name + "'s"
}

// Part finds a part by its name; nil if there is none.
func (s *System) Part(name string) *Part {
	for _, p := range s.Parts {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Find looks up part.variable. In a system with a single FMU, the variable name alone is
// sufficient.
func (s *System) Find(name string) (*Part, cosim.Variable, error) {
	if len(s.Parts) == 1 && s.File == "" {
		if v, found := s.Parts[0].variable(name); found {
			return s.Parts[0], v, nil
		}
	}
	for k, c := range name {
		if c != '.' {
			continue
		}
		if p := s.Part(name[:k]); p != nil {
			if v, found := p.variable(name[k+1:]); found {
				return p, v, nil
			}
		}
	}
	return nil, cosim.Variable{}, s.unknown(name)
}

func (p *Part) variable(name string) (cosim.Variable, bool) {
	list := p.Variables()
	k := slices.IndexFunc(list, func(v cosim.Variable) bool { return v.Name == name })
	if k < 0 {
		return cosim.Variable{}, false
	}
	return list[k], true
}

// unknown returns the error for a name that does not exist.
func (s *System) unknown(name string) error {
	var all []string
	for _, p := range s.Parts {
		for _, v := range p.Variables() {
			all = append(all, s.Label(p, v.Name))
		}
	}
	e := fault.New(cosim.ErrName, fault.Place{}, fmt.Sprintf("%q", name), "FMU.variable of "+
		s.names())
	if len(s.Parts) == 1 && s.File == "" {
		if e.Expected = "a variable of the FMU"; s.Parts[0].FMU == nil {
			e.Expected = "a variable of " + s.Parts[0].Name
		}
	}
	if message := s.addressed(name); message != "" {
		e.Found, e.Expected = fmt.Sprintf("%q, a part of the address of a message", name),
			"the message itself, "+message
		return e
	}
	e.Hint = similar.Hint(name, all)
	return e
}

// addressed returns the message to whose address an Integer variable belongs. These variables are
// read as one message because an address is meaningless outside its process.
func (s *System) addressed(name string) string {
	for _, p := range s.Parts {
		own := name
		if len(s.Parts) > 1 || s.File != "" {
			own = strings.TrimPrefix(name, p.Name+".")
		}
		if p.FMU == nil || !slices.ContainsFunc(p.FMU.Model.Variables,
			func(v archive.Variable) bool { return v.Name == own }) {
			continue
		}
		for _, v := range p.Variables() {
			if v.Kind == cosim.Binary && strings.HasPrefix(own, v.Name+".") {
				return s.Label(p, v.Name)
			}
		}
	}
	return ""
}

func (s *System) names() string {
	names := make([]string, len(s.Parts))
	for k, p := range s.Parts {
		names[k] = p.Name
	}
	return strings.Join(names, ", ")
}

// Label returns the name of a variable in the form accepted by Find, for display to the user.
func (s *System) Label(p *Part, variable string) string {
	if len(s.Parts) == 1 && s.File == "" {
		return variable
	}
	return p.Name + "." + variable
}

// Engine creates an engine for the system; options is called for the FMUs. The start values of the
// system are added to the options of each part. Values that are already in the options take
// precedence over these start values and over connections to parameters.
func (s *System) Engine(spec cosim.Spec, pool *importer.Pool,
	options func(*Part) importer.Options) (*cosim.Engine, error) {
	e := cosim.New(spec)
	given := map[string]bool{} // by the options
	for _, p := range s.Parts {
		if p.Values != nil {
			e.AddSource(p.Name, p.Values)
			continue
		}
		participant := p.Other
		if p.FMU != nil {
			o := options(p)
			for _, v := range o.Start {
				given[p.Name+"."+v.Name] = true
			}
			o.Start = merge(p.Start, o.Start)
			o.Extrapolate, o.OutputDerivatives = s.extrapolates(p), s.feedsExtrapolated(p)
			i, err := p.FMU.NewInstance(p.Name, pool, o)
			if err != nil {
				return nil, err
			}
			p.Instance, participant = i, i
		}
		step := cosim.Grid{}
		if p.Step.Origin != "" {
			step = cosim.Every(p.Step.Number)
		}
		e.AddEvery(p.Name, participant, step)
	}
	for _, c := range s.Connections {
		if _, to, err := s.Find(c.To); err == nil && to.Role == cosim.Parameter && given[c.To] {
			continue
		}
		e.ConnectAs(c)
	}
	return e, nil
}

// merge combines the start values of the file and the user; the user's values take precedence.
func merge(file, user []importer.StartValue) (list []importer.StartValue) {
	for _, v := range file {
		if !slices.ContainsFunc(user, func(u importer.StartValue) bool {
			return u.Name == v.Name
		}) {
			list = append(list, v)
		}
	}
	return append(list, user...)
}
