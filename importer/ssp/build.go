package ssp

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi/archive"
	"gosmp/internal/fault"
	"gosmp/osmp/check"
)

// EndOf finds the port that a text like FMU.NAME means, or FMU.NAME[2] for an element of an array.
// Names may contain dots and brackets, so each split is tried. message is true for messages of
// OSMP. Without a component of the name, c is nil; without a variable of the name, ok is false.
func (s *System) EndOf(text string) (p Port, c *Component, message, ok bool) {
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
		case c.FMU == nil:
			return whole, c, false, true
		case slices.ContainsFunc(check.Examine(c.FMU.Model).Variables, func(v check.Variable) bool { return v.Name == whole.Connector }):
			return whole, c, true, true
		case findVariable(c.FMU, whole.Connector) != nil:
			return whole, c, false, true
		case len(indices) > 0 && findVariable(c.FMU, name) != nil:
			return Port{Component: c.Name, Connector: name, Indices: indices}, c, false, true
		}
	}
	return p, known, false, false
}

// free returns an error if the destination of a connection already gets a value.
func (s *System) free(to Port) error {
	for _, c := range s.Connections {
		if c.To.Component == to.Component && c.To.Connector == to.Connector &&
			(len(c.To.Indices) == 0 || len(to.Indices) == 0 || slices.Equal(c.To.Indices, to.Indices)) {
			return &Error{Kind: ErrSystem, Place: fault.At(to.String()), Found: "a second connection, the first one is from " + c.From.String(),
				Expected: "one for each input"}
		}
	}
	return nil
}

// joinShapes compares what two ends of a connection take of their variables.
func joinShapes(from, to *archive.Variable, fromIndices, toIndices []uint64) (found, expected string) {
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
			return fmt.Sprintf("%d indices for %s", len(end.indices), end.v.Name), fmt.Sprintf("%d, one for each dimension", len(shape))
		}
		for d, n := range end.indices {
			if n < 1 || shape[d] > 0 && n > shape[d] {
				return fmt.Sprintf("the index %d of %s", n, end.v.Name), fmt.Sprintf("from 1 to %d", shape[d])
			}
		}
		sizes[k] = 1
	}
	if sizes[0] > 0 && sizes[1] > 0 && sizes[0] != sizes[1] {
		return fmt.Sprintf("%d elements", sizes[0]), fmt.Sprint(sizes[1])
	}
	return "", ""
}

// Connect adds a connection, with the conversion that the units of the two variables ask for.
// message says that the ports are messages of OSMP, by the names of the notional binary variables.
// The error is of the kind [ErrSystem].
func (s *System) Connect(from, to Port, message bool) error {
	a, b := s.Component(from.Component), s.Component(to.Component)
	place := fault.At(from.String() + "=" + to.String())
	if a == nil || b == nil {
		return &Error{Kind: ErrSystem, Place: place, Found: "a component that the system does not have"}
	}
	if err := s.free(to); err != nil {
		return err
	}
	c := &Connection{From: from, To: to, Message: message, Transformation: Identity()}
	if !message {
		x, y := findVariable(a.FMU, from.Connector), findVariable(b.FMU, to.Connector)
		if x == nil || y == nil {
			return &Error{Kind: ErrSystem, Place: place, Found: "a variable that the FMU does not have"}
		}
		if !flowsTo(Kind(x.Causality), false, Kind(y.Causality), false) {
			return &Error{Kind: ErrSystem, Place: place, Found: fmt.Sprintf("%s to %s", x.Causality, y.Causality), Expected: "an output to an input"}
		}
		if found, expected := joinShapes(x, y, from.Indices, to.Indices); expected != "" {
			return &Error{Kind: ErrSystem, Place: place, Found: found, Expected: expected}
		}
		if !fits(x.Type, y.Type) {
			return &Error{Kind: ErrSystem, Place: place, Found: fmt.Sprintf("%s to %s", x.Type, y.Type), Expected: "types that fit"}
		}
		c.Initial = Kind(y.Causality) == Parameter || Kind(y.Causality) == StructuralParameter
		if u, v := unitIn(a, from.Connector), unitIn(b, to.Connector); u.ok && v.ok {
			factor, offset, ok := u.unit.Conversion(v.unit)
			if !ok {
				return &Error{Kind: ErrSystem, Place: place, Found: unitText(u.unit) + " to " + unitText(v.unit), Expected: "units of one dimension"}
			}
			c.Transformation = Transformation{Factor: factor, Offset: offset}
		}
	}
	s.Connections = append(s.Connections, c)
	return nil
}

// SetStart gives a variable a start value, as SSP spells it: the elements of an array are separated
// by blanks, an enumeration is the name of an item or its number. It replaces the value that the
// variable has. The error is of the kind [ErrSystem].
func (c *Component) SetStart(variable, text string) error {
	place := fault.At(c.Name + "." + variable)
	v := findVariable(c.FMU, variable)
	if v == nil || !settable(v) {
		return &Error{Kind: ErrSystem, Place: place, Expected: "a variable of the FMU that can be set"}
	}
	values := []string{text}
	if len(v.Dimensions) > 0 {
		values = strings.Fields(text)
	}
	for _, i := range fmuItems(&fmuFile{fmu: c.FMU}, v.DeclaredType) {
		for k := range values {
			if values[k] == i.name {
				values[k] = fmt.Sprint(i.value)
			}
		}
	}
	for _, x := range values {
		if _, err := v.Type.ParseValue(x); err != nil {
			return &Error{Kind: ErrSystem, Place: place, Found: fmt.Sprintf("%q", x), Expected: v.Type.ExpectedValue()}
		}
	}
	start := Start{Variable: variable, Type: writtenType(v.Type), Values: values, Reason: "command line"}
	if k := slices.IndexFunc(c.Starts, func(s Start) bool { return s.Variable == variable }); k >= 0 {
		c.Starts[k] = start
		return nil
	}
	c.Starts = append(c.Starts, start)
	return nil
}
