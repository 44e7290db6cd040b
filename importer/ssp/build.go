package ssp

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
)

// Connect adds a connection, with the conversion that the units of the two variables ask for.
// message says that the ports are messages of OSMP, by the names of the notional binary variables.
// The error is of the kind [ErrSystem].
func (s *System) Connect(from, to Port, message bool) error {
	a, b := s.Component(from.Component), s.Component(to.Component)
	place := fault.At(from.String() + "=" + to.String())
	if a == nil || b == nil {
		return &Error{Kind: ErrSystem, Place: place, Found: "a component that the system does not have"}
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
