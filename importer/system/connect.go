package system

import (
	"fmt"
	"math"
	"strings"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer/ssp"
	"gosmp/internal/fault"
)

// Connect adds connections written as part.output=part.input.
func (s *System) Connect(texts []string) error {
	for _, text := range texts {
		from, to, found := strings.Cut(text, "=")
		if !found {
			return fault.New(cosim.ErrConnection, fault.At(text), "no =",
				"OUTPUT=INPUT, such as a.y=b.u")
		}
		if err := s.Link(from, to); err != nil {
			return err
		}
	}
	return nil
}

// Link adds the connection from an output to an input, each written as part.variable. Because names
// may contain =, input may begin with the rest of the output's name, followed by =. A parameter
// that is a message, such as OSMPGroundTruthInit, receives the value of the output during
// initialization.
func (s *System) Link(output, input string) error {
	from, to, err := s.ends(output, input)
	if err != nil {
		return err
	}
	c := cosim.Connection{From: from.name(), To: to.name(), FromIndices: from.indices,
		ToIndices: to.indices, Initial: to.variable.Role == cosim.Parameter &&
			to.variable.Kind == cosim.Binary}
	conversion, note, err := convert(from, to)
	if err != nil {
		return err
	}
	if note != "" {
		s.Warnings = append(s.Warnings, note)
	}
	c.Conversions = conversion
	s.Connections = append(s.Connections, c)
	return nil
}

// port is a variable of a part.
type port struct {
	part     *Part
	variable cosim.Variable
	indices  []int // of one array element; none means all
}

func (p port) name() string { return p.part.Name + "." + p.variable.Name }

// ends finds both ends of a connection. Names may contain =, so every possible split is tried.
func (s *System) ends(output, input string) (from, to port, err error) {
	text := output + "=" + input
	for k := len(output); k < len(text); k++ {
		if text[k] != '=' {
			continue
		}
		var wrong error
		if from, wrong = s.end(text[:k]); wrong == nil {
			to, wrong = s.end(text[k+1:])
		}
		if wrong == nil {
			return from, to, s.direct(text, from, to)
		}
		if err == nil {
			err = wrong
		}
	}
	return from, to, err
}

// end finds a variable, or an element of an array as in a.x[2,1]. A variable whose own name ends in
// brackets takes precedence.
func (s *System) end(text string) (p port, err error) {
	if p.part, p.variable, err = s.Find(text); err == nil {
		return p, nil
	}
	name, indices := ssp.CutIndices(text)
	if len(indices) == 0 {
		return p, err
	}
	array, variable, wrong := s.Find(name)
	if wrong != nil {
		return p, err
	}
	p.part, p.variable = array, variable
	for _, n := range indices {
		p.indices = append(p.indices, int(n))
	}
	return p, nil
}

// direct rejects a connection whose ends are in the wrong order.
func (s *System) direct(text string, from, to port) error {
	if to.variable.Role == cosim.Output && from.variable.Role == cosim.Input {
		return fault.New(cosim.ErrConnection, fault.At(text),
			"an input before the = and an output after it", to.name()+"="+from.name())
	}
	return nil
}

// convert returns the unit conversion needed by a connection, with a note for the user.
func convert(from, to port) (list []cosim.Conversion, note string, err error) {
	a, b := from.variable.Unit, to.variable.Unit
	if !from.variable.Kind.IsFloat() || !to.variable.Kind.IsFloat() || a == "" && b == "" {
		return nil, "", nil
	}
	one, knownOne := from.part.unit(a)
	other, knownOther := to.part.unit(b)
	if !knownOne || !knownOther {
		if a != b {
			note = fmt.Sprintf(
				"%s = %s: the values are not converted from %s to %s, of which one "+
					"is not described", from.name(), to.name(),
				quoted(a), quoted(b))
		}
		return nil, note, nil
	}
	factor, offset, fits := one.Conversion(other)
	if !fits || math.IsNaN(factor) || math.IsInf(factor, 0) {
		return nil, "", fault.New(cosim.ErrConnection, fault.At(from.name()+" = "+to.name()),
			"the unit "+a, "one of the dimension of "+b)
	}
	if factor == 1 && offset == 0 {
		return nil, "", nil
	}
	return []cosim.Conversion{cosim.Linear(factor, offset)}, "", nil
}

func quoted(unit string) string {
	if unit == "" {
		return "no unit"
	}
	return unit
}

// unit returns a unit of the part if it is defined in terms of base units.
func (p *Part) unit(name string) (fmi.Unit, bool) {
	units := p.Units
	if p.FMU != nil {
		units = p.FMU.Model.Units
	}
	for _, u := range units {
		if u.Name == name && name != "" {
			return u, u.Defined()
		}
	}
	return fmi.Unit{}, false
}
