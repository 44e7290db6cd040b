package system

import (
	"slices"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/internal/fault"
)

// Extrapolate determines how inputs change within a step, in the form of --extrapolate: hold or
// linear applies to all connections, and INPUT=hold or INPUT=linear to the connection of one input.
// It must be called after all connections have been added.
func (s *System) Extrapolate(texts []string) error {
	all, chosen := cosim.Hold, map[string]cosim.Extrapolation{}
	for _, text := range texts {
		at := strings.LastIndexByte(text, '=')
		kind, known := extrapolations[text[at+1:]]
		if !known {
			return fault.New(cosim.ErrConnection, fault.At(text), strconv.Quote(text[at+1:]),
				"hold or linear")
		}
		if at < 0 {
			all = kind
			continue
		}
		p, v, err := s.Find(text[:at])
		if err != nil {
			return err
		}
		to := port{part: p, variable: v}
		if !s.connected(to) {
			return fault.New(cosim.ErrConnection, fault.At(text), to.name()+" without a connection",
				"an input that another FMU makes")
		}
		chosen[to.name()] = kind
	}
	for k := range s.Connections {
		c := &s.Connections[k]
		c.Extrapolation = all
		if own, named := chosen[c.To]; named {
			c.Extrapolation = own
		}
	}
	return nil
}

var extrapolations = map[string]cosim.Extrapolation{"hold": cosim.Hold, "linear": cosim.Slope}

// feedsExtrapolated reports whether an output of a part is connected to an input that may change
// within a step.
func (s *System) feedsExtrapolated(p *Part) bool {
	return slices.ContainsFunc(s.Connections, func(c cosim.Connection) bool {
		return c.Extrapolation == cosim.Slope && s.owns(p, c.From)
	})
}

// extrapolates reports whether an input of a part may change within a step.
func (s *System) extrapolates(p *Part) bool {
	return slices.ContainsFunc(s.Connections, func(c cosim.Connection) bool {
		return c.Extrapolation == cosim.Slope && s.owns(p, c.To)
	})
}

// owns reports whether a variable, given as part.variable, belongs to a part.
func (s *System) owns(p *Part, name string) bool {
	owner, _, err := s.Find(name)
	return err == nil && owner == p
}
