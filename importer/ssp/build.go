package ssp

import (
	"fmt"
	"slices"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
	"gosmp/osmp"
	"gosmp/osmp/check"
)

// EndOf finds the port named by a text such as FMU.NAME, or FMU.NAME[2] for an element of an array.
// Names may contain dots and brackets, so every possible split is tried. OSMP messages have the
// names of the notional binary variables. If there is no component with this name, c is nil; if
// there is no variable with this name, ok is false.
func (s *System) EndOf(text string) (p Port, c *Component, ok bool) {
	var known *Component
	for k := range text {
		if text[k] != '.' {
			continue
		}
		c := s.Component(text[:k])
		if c == nil {
			continue
		}
		known = c
		name, indices := CutIndices(text[k+1:])
		whole := Port{Component: c.Name, Connector: text[k+1:]}
		switch {
		case c.FMU == nil, findVariable(c.FMU, whole.Connector) != nil,
			slices.ContainsFunc(check.Examine(c.FMU.Model).Variables,
				func(v check.Variable) bool { return v.Name == whole.Connector }):
			return whole, c, true
		case len(indices) > 0 && findVariable(c.FMU, name) != nil:
			return Port{Component: c.Name, Connector: name, Indices: indices}, c, true
		}
	}
	return p, known, false
}

// free returns an error if the destination of a connection already has a source.
func (s *System) free(to Port) error {
	for _, c := range s.Connections {
		if c.To.Component == to.Component && c.To.Connector == to.Connector &&
			(len(c.To.Indices) == 0 || len(to.Indices) == 0 || slices.Equal(c.To.Indices,
				to.Indices)) {
			return fault.New(ErrSystem, fault.At(to.String()),
				"a second connection, the first one is from "+c.From.String(),
				"one for each input")
		}
	}
	return nil
}

// joinShapes compares the shapes that the two ends of a connection select from their variables.
func joinShapes(from, to *archive.Variable, fromIndices, toIndices []uint64) (found,
	expected string) {
	sizes := [2]uint64{}
	for k, end := range [2]struct {
		v       *archive.Variable
		indices []uint64
	}{{from, fromIndices}, {to, toIndices}} {
		shape := variableShape(end.v)
		if len(end.indices) == 0 {
			sizes[k] = (&port{connector: &Connector{Variable: end.v}}).size()
			continue
		}
		if len(end.indices) != len(shape) {
			return fmt.Sprintf("%d indices for %s", len(end.indices), end.v.Name),
				fmt.Sprintf("%d, one for each dimension", len(shape))
		}
		for d, n := range end.indices {
			if n < 1 || shape[d] > 0 && n > shape[d] {
				return fmt.Sprintf("the index %d of %s", n, end.v.Name),
					fmt.Sprintf("between 1 and %d", shape[d])
			}
		}
		sizes[k] = 1
	}
	if sizes[0] > 0 && sizes[1] > 0 && sizes[0] != sizes[1] {
		return fmt.Sprintf("%d elements", sizes[0]), fmt.Sprint(sizes[1])
	}
	return "", ""
}

// Connect adds a connection, with any conversion required by the units of the two variables. The
// ports of OSMP messages have the names of the notional binary variables. Any error has the kind
// [ErrSystem].
func (s *System) Connect(from, to Port) error {
	place := fault.At(from.String() + "=" + to.String())
	if s.Component(from.Component) == nil || s.Component(to.Component) == nil {
		return fault.New(ErrSystem, place, "a component of the system", "")
	}
	if err := s.free(to); err != nil {
		return err
	}
	c := &Connection{From: from, To: to, Transformation: Identity()}
	a, b := s.terminal(from), s.terminal(to)
	found, expected := a.joins(b, c)
	if found != "" {
		return fault.New(ErrSystem, place, found, expected)
	}
	s.Connections = append(s.Connections, c)
	return nil
}

// terminal holds the properties of an FMU's port at one end of a connection.
type terminal struct {
	variable *archive.Variable // nil for an FMI 2.0 message
	message  message
	isOSMP   bool
	kind     Kind
	unit     unitOf
	indices  []uint64
}

func (s *System) terminal(p Port) terminal {
	c := s.Component(p.Component)
	t := terminal{indices: p.Indices}
	if c.FMU == nil {
		return t
	}
	t.message, t.isOSMP = (&fmuFile{fmu: c.FMU}).messagesByName()[p.Connector]
	t.kind = t.message.kind
	if t.variable = findVariable(c.FMU, p.Connector); t.variable != nil {
		t.kind, t.unit = variableKind(t.variable), unitIn(c, p.Connector)
	}
	return t
}

// media returns the media type of a binary; ok is false for all other types.
func (t *terminal) media() (mime string, ok bool) {
	switch {
	case t.isOSMP && t.message.role == osmp.Full:
		return t.message.mime, true
	case t.variable != nil && t.variable.Type == fmi.Binary:
		return t.variable.MIMEType, true
	}
	return "", false
}

// joins completes a connection from t to u, or returns what it found and what it expected.
func (t *terminal) joins(u terminal, c *Connection) (found, expected string) {
	if t.kind == "" || u.kind == "" {
		return "a variable that the FMU does not have", "one that it has"
	}
	if !flowsTo(t.kind, false, u.kind, false) {
		return fmt.Sprintf("%s to %s", t.kind, u.kind), "an output to an input"
	}
	for _, end := range []*terminal{t, &u} {
		if end.isOSMP && end.message.role != osmp.Full {
			return "a part of a message", "the whole of it: " + end.message.name
		}
	}
	c.Initial = u.kind == Parameter || u.kind == StructuralParameter
	sent, binary := t.media()
	wanted, binaryToo := u.media()
	if c.Message = t.isOSMP || u.isOSMP; c.Message {
		switch {
		case !binary || !binaryToo:
			return "a message at one end only", "two messages"
		case compareMedia(sent, wanted) == otherMedia:
			return sent, wanted
		case anything(sent) && u.isOSMP && !t.isOSMP:
			return "a Binary without a MIME type", wanted
		}
		return "", ""
	}
	if found, expected := joinShapes(t.variable, u.variable, t.indices, u.indices); expected != "" {
		return found, expected
	}
	if !fits(t.variable.Type, u.variable.Type) {
		return fmt.Sprintf("%s to %s", t.variable.Type, u.variable.Type), "types that fit"
	}
	if binary && compareMedia(sent, wanted) == otherMedia {
		return sent, wanted
	}
	if t.unit.ok && u.unit.ok {
		factor, offset, ok := t.unit.unit.Conversion(u.unit.unit)
		if !ok {
			return unitText(t.unit.unit) + " to " + unitText(u.unit.unit), "units of one dimension"
		}
		c.Transformation = Transformation{Factor: factor, Offset: offset}
	}
	return "", ""
}

// SetStart gives a variable a start value. Its elements are written as in SSP: an enumeration item
// is given by its name or its number. The value replaces the variable's previous value. Any error
// has the kind [ErrSystem].
func (c *Component) SetStart(variable string, values []string) error {
	place := fault.At(c.Name + "." + variable)
	v := findVariable(c.FMU, variable)
	if v == nil || !settable(v) {
		return fault.New(ErrSystem, place, "", "a variable of the FMU that can be set")
	}
	values = slices.Clone(values)
	for _, i := range fmuItems(&fmuFile{fmu: c.FMU}, v.DeclaredType) {
		for k := range values {
			if values[k] == i.name {
				values[k] = fmt.Sprint(i.value)
			}
		}
	}
	for _, x := range values {
		if _, err := v.Type.ParseValue(x); err != nil && v.Type != fmi.Binary {
			return fault.New(ErrSystem, place, fmt.Sprintf("%q", x), v.Type.ExpectedValue())
		}
	}
	start := Start{Variable: variable, Type: writtenType(v.Type), Values: values,
		Reason: "command line"}
	if k := slices.IndexFunc(c.Starts, func(s Start) bool {
		return s.Variable == variable
	}); k >= 0 {
		c.Starts[k] = start
		return nil
	}
	c.Starts = append(c.Starts, start)
	return nil
}
