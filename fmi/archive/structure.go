package archive

import (
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// Unknown is a variable that the model computes during initialization, together with the variables
// on which it directly depends (FMI 2.0, 2.2.8; FMI 3.0, 2.4.8). Variables are indices into
// [ModelDescription.Variables].
type Unknown struct {
	Variable     int
	Stated       bool  // if false, the variable may depend on all others
	Dependencies []int // in file order
}

// structure counts the states and event indicators and reads the initial unknowns.
func (p *parser) structure() {
	structure := p.root.Child("ModelStructure")
	switch p.major {
	case fmi.FMI3:
		p.m.ContinuousStates = len(structure.Children("ContinuousStateDerivative"))
		p.m.EventIndicators = len(structure.Children("EventIndicator"))
		p.m.InitialUnknowns = p.unknowns(structure.Children("InitialUnknown"), "valueReference",
			p.byReference())
		return
	case fmi.FMI2:
		p.m.ContinuousStates = len(structure.Child("Derivatives").Children("Unknown"))
		position := func(index uint32) (int, bool) {
			return int(index) - 1, index > 0 && int(index) <= len(p.m.Variables)
		}
		p.m.InitialUnknowns = p.unknowns(structure.Child("InitialUnknowns").Children("Unknown"),
			"index", position)
	case fmi.FMI1:
		p.m.ContinuousStates = int(p.integer(p.root, "numberOfContinuousStates", 0))
	}
	p.m.EventIndicators = int(p.integer(p.root, "numberOfEventIndicators", 0))
}

// byReference finds variables by their value references, which are unique in FMI 3.0.
func (p *parser) byReference() func(uint32) (int, bool) {
	positions := make(map[uint32]int, len(p.m.Variables))
	for k := range p.m.Variables {
		positions[p.m.Variables[k].ValueReference] = k
	}
	return func(reference uint32) (int, bool) {
		k, found := positions[reference]
		return k, found
	}
}

// unknowns reads a list of unknowns. It omits entries that refer to no variable. A list of
// dependencies with such an entry is treated as missing.
func (p *parser) unknowns(nodes []*xmldoc.Node, attribute string,
	position func(uint32) (int, bool)) (
	list []Unknown) {
	number := func(text string) (int, bool) {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return 0, false
		}
		return position(uint32(n))
	}
	for _, n := range nodes {
		k, found := number(n.Value(attribute))
		if !found {
			continue
		}
		u := Unknown{Variable: k}
		var text string
		text, u.Stated = n.Attribute("dependencies")
		for _, word := range strings.Fields(text) {
			d, found := number(word)
			if !found {
				u.Stated = false
				break
			}
			u.Dependencies = append(u.Dependencies, d)
		}
		list = append(list, u)
	}
	return list
}
