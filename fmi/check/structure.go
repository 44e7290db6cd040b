package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/xmldoc"
)

// unknown is an entry of ModelStructure.
type unknown struct {
	*variable
	entry *xmldoc.Node
}

// unknowns holds the lists of ModelStructure, using the terms of FMI 3.0.
type unknowns struct{ outputs, derivatives, clocked, initial, indicators []unknown }

// structure checks ModelStructure (M1 to M8).
func (x *examiner) structure() {
	if x.major == fmi.FMI1 {
		return
	}
	if len(x.root.Children("ModelStructure")) == 0 {
		return // reported by the grammar
	}
	var u unknowns
	n := x.root.Child("ModelStructure")
	if x.major == fmi.FMI2 {
		u.outputs = x.unknowns(n.Child("Outputs").Children("Unknown"))
		u.derivatives = x.unknowns(n.Child("Derivatives").Children("Unknown"))
		u.initial = x.unknowns(n.Child("InitialUnknowns").Children("Unknown"))
	} else {
		u.outputs = x.unknowns(n.Children("Output"))
		u.derivatives = x.unknowns(n.Children("ContinuousStateDerivative"))
		u.clocked = x.unknowns(n.Children("ClockedState"))
		u.initial = x.unknowns(n.Children("InitialUnknown"))
		u.indicators = x.unknowns(n.Children("EventIndicator"))
	}
	x.states = map[*variable]bool{}
	x.outputs(n, u.outputs)
	x.derivatives(n, u.derivatives)
	x.clockedStates(n, u.clocked)
	x.initialUnknowns(n, u)
	for _, list := range [][]unknown{u.outputs, u.derivatives, u.clocked, u.indicators} {
		x.dependencies(list, false)
	}
	x.dependencies(u.initial, true)
	for _, o := range u.outputs {
		if _, stated := o.entry.Attribute("dependencies"); !stated {
			x.remark("M8", x.at(o.entry), fact{what: "outputs without dependencies",
				found: "none for " + o.Name,
				remedy: "hosts assume that they depend on all inputs, " +
					"which creates loops in systems"})
			break
		}
	}
}

// unknowns finds the variables to which a list refers (M1, M3).
func (x *examiner) unknowns(nodes []*xmldoc.Node) (list []unknown) {
	attribute := pick(x.major >= fmi.FMI3, "valueReference", "index")
	seen := map[*variable]int{}
	for _, n := range nodes {
		text, stated := n.Attribute(attribute)
		v, ok := x.target(strings.TrimSpace(text))
		switch {
		case !stated:
		case !ok:
			x.error("M1", x.at(n), fact{what: attribute + " of an unknown", found: quoted(text),
				expected: x.reference()})
			x.gaps++
		case seen[v] > 0:
			x.error("M3", x.at(n), fact{what: "a second entry for " + v.Name,
				found: fmt.Sprintf("the first in line %d",
					seen[v]), expected: "one"})
		default:
			seen[v] = n.Line
			list = append(list, unknown{v, n})
		}
	}
	return list
}

// outputs checks that the list contains exactly the variables with causality output (M2).
func (x *examiner) outputs(n *xmldoc.Node, list []unknown) {
	listed := map[*variable]bool{}
	for _, u := range list {
		if listed[u.variable] = true; u.Causality != fmi.Output {
			x.error("M2", x.at(u.entry), fact{what: "an output of ModelStructure", found: u.Name +
				", a variable with causality " + string(u.Causality), expected: "causality output"})
		}
	}
	var missing []string
	for _, v := range x.variables {
		if v.Type != 0 && v.Causality == fmi.Output && !listed[v] {
			missing = append(missing, v.Name)
		}
	}
	x.missing("M2", n, "outputs that ModelStructure does not list", missing,
		"every variable with causality output")
}

// missing reports all variables that a list lacks in one finding.
func (x *examiner) missing(rule string, n *xmldoc.Node, what string, names []string,
	expected string) {
	if len(names) > 0 && x.gaps == 0 { // an entry without a variable may be meant for one of them
		x.error(rule, x.at(n), fact{what: what, found: listed(names), expected: expected,
			remedy: "add an entry for each"})
	}
}

// derivatives checks the derivatives of states (M5) and records the states.
func (x *examiner) derivatives(n *xmldoc.Node, list []unknown) {
	has := map[*variable]bool{}
	for _, u := range list {
		has[u.variable] = true
		text, found := u.typed.Attribute("derivative")
		if !found {
			x.error("M5", x.at(u.entry), fact{what: "derivative of a state", found: u.Name +
				", which has no attribute derivative", expected: "a variable that names its state"})
			continue
		}
		if state, ok := x.target(strings.TrimSpace(text)); ok {
			x.states[state] = true
		}
	}
	if x.model.Interface(fmi.ModelExchange) == nil || len(list) == 0 {
		return // other interfaces need not expose their states
	}
	var missing []string
	for _, v := range x.variables {
		text, found := v.typed.Attribute("derivative")
		of, ok := x.target(strings.TrimSpace(text))
		if found && ok && !has[v] && of.Causality == fmi.Local && v.Causality == fmi.Local &&
			!has[of] {
			missing = append(missing, v.Name)
		}
	}
	if len(missing) > 0 {
		x.warn("M5", x.at(n), fact{what: "derivatives that ModelStructure does not list",
			found: listed(missing), expected: "the derivatives of all states"})
	}
}

// clockedStates checks that clocked states have a previous value (M5).
func (x *examiner) clockedStates(n *xmldoc.Node, list []unknown) {
	has := map[*variable]bool{}
	for _, u := range list {
		if has[u.variable] = true; !u.stated("previous") {
			x.error("M5", x.at(u.entry), fact{what: "clocked state", found: u.Name +
				", which has no attribute previous",
				expected: "a variable that names its previous value"})
		}
	}
	var missing []string
	for _, v := range x.variables {
		if v.stated("previous") && v.clocked() && !has[v] { // if not clocked, covered by V15
			missing = append(missing, v.Name)
		}
	}
	x.missing("M5", n, "clocked states that ModelStructure does not list", missing,
		"every variable with previous")
}

const initialWords = "outputs, states and derivatives with initial approx or calculated, " +
	"and calculated parameters"

// initialUnknowns checks the list of variables that the model computes in Initialization Mode (M3,
// M4).
func (x *examiner) initialUnknowns(n *xmldoc.Node, u unknowns) {
	required, allowed := map[*variable]bool{}, map[*variable]bool{}
	computed := func(v *variable) bool {
		return v.Initial == fmi.Approx ||
			v.Initial == fmi.Calculated
	}
	for _, v := range x.variables {
		switch {
		case v.Type == 0:
		case v.clocked():
			allowed[v] = true
		case v.Causality == fmi.CalculatedParameter, v.Causality == fmi.Output && computed(v):
			required[v] = true
		}
	}
	for _, d := range u.derivatives {
		text, found := d.typed.Attribute("derivative")
		if !found { // covered by M5
			allowed[d.variable] = true
			continue
		}
		state, ok := x.target(strings.TrimSpace(text))
		if computed(d.variable) {
			required[d.variable] = true
		}
		if ok && computed(state) {
			required[state] = true
		}
	}
	has, last := map[*variable]bool{}, unknown{}
	for _, i := range u.initial {
		has[i.variable] = true
		if !required[i.variable] && !allowed[i.variable] {
			x.error("M4", x.at(i.entry), fact{what: "an initial unknown", found: fmt.Sprintf(
				"%s, a variable with causality %s and initial %s", i.Name, i.Causality,
				orNothing(i.Initial)),
				expected: initialWords})
		}
		if x.major == fmi.FMI2 && last.entry != nil && i.index < last.index {
			x.error("M3", x.at(i.entry), fact{what: "order of the initial unknowns",
				found: i.Name + " after " + last.Name, expected: "rising indices"})
		}
		last = i
	}
	var missing []string
	for _, v := range x.variables {
		if required[v] && !has[v] {
			missing = append(missing, v.Name)
		}
	}
	x.missing("M4", n, "initial unknowns that ModelStructure does not list", missing,
		initialWords)
}

func orNothing(i fmi.Initial) string { return pick(i == "", "nothing", string(i)) }

// dependencies checks the dependencies of the unknowns in a list (M1, M6, M7).
func (x *examiner) dependencies(list []unknown, initial bool) {
	for _, u := range list {
		text, stated := u.entry.Attribute("dependencies")
		kindText, hasKinds := u.entry.Attribute("dependenciesKind")
		words, kinds := strings.Fields(text), strings.Fields(kindText)
		place := x.at(u.entry)
		place.Object = u.Name
		switch {
		case hasKinds && !stated:
			x.error("M6", place, fact{what: "dependenciesKind without dependencies",
				expected: "both or none"})
		case hasKinds && len(words) != len(kinds):
			x.error("M6", place, fact{what: "dependenciesKind",
				found: fmt.Sprintf("%d kinds for %d dependencies",
					len(kinds), len(words)), expected: "one for each"})
		}
		x.factors(u, kinds, place)
		for _, kind := range kinds {
			if initial && slices.Contains([]string{"fixed", "tunable", "discrete"}, kind) {
				x.error("M6", place, fact{what: "dependenciesKind of an initial unknown",
					found: quoted(kind), expected: "dependent or constant"})
				break
			}
		}
		seen := map[string]bool{}
		for _, word := range words {
			v, ok := x.target(word)
			_, err := strconv.ParseUint(word, 10, 32)
			switch {
			case err != nil: // reported by the check of spelling
			case !ok:
				x.error("M1", place, fact{what: "dependencies", found: quoted(word),
					expected: x.reference()})
			case seen[word]:
				x.error("M7", place, fact{what: "dependencies", found: word + " twice",
					expected: "each once"})
			case !x.known(v, initial):
				x.error("M7", place, fact{what: "a dependency on " + v.Name,
					found: fmt.Sprintf("a variable with causality %s, variability %s", v.Causality,
						v.Variability), expected: knownWords(initial)})
			}
			seen[word] = true
		}
	}
}

// factors checks that only floating point unknowns have kinds that describe a factor of the known
// (M6). Integers and Booleans with the kind constant are common and harmless.
func (x *examiner) factors(u unknown, kinds []string, place fault.Place) {
	if u.Type == 0 || u.Type.IsFloat() || !x.options.Notes {
		return
	}
	for _, kind := range kinds {
		if slices.Contains([]string{"constant", "fixed", "tunable", "discrete"}, kind) {
			x.note("M6", place, fact{what: "dependenciesKind of a variable of type " +
				u.Type.String(), found: quoted(kind), expected: "dependent"})
			return
		}
	}
}

func knownWords(initial bool) string {
	if initial {
		return "inputs, states, variables with initial exact and the independent variable"
	}
	return "inputs, states and the independent variable"
}

// known reports whether the standard allows an unknown to depend on a variable. FMI 3.0.2 counts
// parameters among the knowns of outputs; the list in FMI 2.0.5 omits them, but the equation of
// outputs in the same clause contains them.
func (x *examiner) known(v *variable, initial bool) bool {
	switch {
	case v.Causality == fmi.Input, v.Causality == fmi.Independent, v.clocked():
		return true
	case x.states[v]:
		return true
	case initial:
		return v.Initial == fmi.Exact
	case x.major >= fmi.FMI3 && v.stated("previous"):
		return true
	}
	return v.Variability == fmi.Tunable || v.Variability == fmi.Fixed
}
