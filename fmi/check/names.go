package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// names checks that names exist, are unique and follow the naming convention (V8, V14, T4), and
// that there is an independent variable (V1).
func (x *examiner) names() {
	lines := make(map[string]int, len(x.variables))
	structured := x.model.VariableNamingConvention == "structured"
	check := func(n *xmldoc.Node, name string) {
		place := x.at(n)
		switch first, twice := lines[name]; {
		case strings.TrimSpace(name) == "":
			if _, stated := n.Attribute("name"); stated {
				x.error("V8", place, fact{what: "name of a variable", found: quoted(name),
					expected: "one that is not blank"})
			}
			return
		case twice:
			x.error("V8", place, fact{what: "a second variable with this name",
				found: fmt.Sprintf("%s, the first in line %d",
					quoted(name), first), expected: "unique names"})
		default:
			lines[name] = n.Line
		}
		switch {
		case structured && !fmi.IsStructuredName(name):
			x.error("V14", place, fact{what: "name of a variable", found: quoted(name),
				expected: "a structured name like a.b[1].c, der(a.b) or 'any text'",
				remedy:   `rename it, or set variableNamingConvention="flat"`})
		case strings.ContainsAny(name, "\t\r\n"):
			x.error("V14", place, fact{what: "name of a variable", found: quoted(name),
				expected: "no tabs and line breaks"})
		}
		if t := x.types[name]; t != nil {
			x.error("T4", x.at(t), fact{what: "a type with the name of a " +
				"variable", found: quoted(name),
				expected: "names that differ", remedy: fmt.Sprintf("the variable is in line %d",
					n.Line)})
		}
	}
	for _, v := range x.variables {
		if v.Type == 0 {
			continue
		}
		check(v.node, v.Name)
		for _, alias := range v.node.Children("Alias") {
			check(alias, alias.Value("name"))
		}
	}
	if x.major > fmi.FMI1 {
		x.independent()
	}
}

// independent checks the independent variable (V1).
func (x *examiner) independent() {
	var list []*variable
	for _, v := range x.variables {
		if v.Causality == fmi.Independent {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		if x.major >= fmi.FMI3 {
			x.error("V1", x.at(x.root.Child("ModelVariables")),
				fact{what: "no independent variable",
					expected: "exactly one",
					remedy: `add <Float64 name="time" causality="independent" ` +
						`variability="continuous" valueReference="..."/>`})
		}
		return
	}
	if !list[0].Type.IsFloat() {
		x.error("V1", x.at(list[0].node), fact{what: "type of the independent variable",
			found: list[0].Type.String(), expected: "a floating-point number"})
	}
	for _, v := range list[1:] {
		x.error("V1", x.at(v.node), fact{what: "a second independent variable", found: v.Name,
			expected: "one, which is " + list[0].Name})
	}
}

// aliases checks variables that share a value reference (V10 to V12).
func (x *examiner) aliases() {
	type key struct {
		space     fmi.Type
		reference uint32
	}
	keyOf := func(v *variable) key {
		switch {
		case x.major >= fmi.FMI3:
			return key{0, v.ValueReference}
		case v.Type == fmi.Enumeration:
			return key{fmi.Integer, v.ValueReference}
		}
		return key{v.Type, v.ValueReference}
	}
	first := make(map[key]*variable, len(x.variables))
	sets := map[*variable][]*variable{} // by their first variable; only sets of several
	for _, v := range x.variables {
		_, err := strconv.ParseUint(strings.TrimSpace(v.node.Value("valueReference")), 10, 32)
		if v.Type == 0 || err != nil {
			continue
		}
		k := keyOf(v)
		other := first[k]
		switch {
		case other == nil:
			first[k] = v
		case sets[other] == nil:
			sets[other] = []*variable{other, v}
		default:
			sets[other] = append(sets[other], v)
		}
	}
	for _, v := range x.variables {
		if set := sets[v]; set != nil {
			x.aliasSet(set)
		}
	}
}

// aliasSet checks the variables that share a value reference, in document order.
func (x *examiner) aliasSet(set []*variable) {
	first := set[0]
	if x.major >= fmi.FMI3 {
		for _, v := range set[1:] {
			x.error("V10", x.at(v.node), fact{what: "valueReference of another variable",
				found:    fmt.Sprintf("%d, which %s has, too", v.ValueReference, first.Name),
				expected: "one of its own", remedy: "use <Alias> for another name"})
		}
		return
	}
	if x.major == fmi.FMI1 {
		return // aliases may be negated
	}
	var settable *variable
	for _, v := range set {
		x.settable(v, &settable)
		if v == first {
			continue
		}
		x.constantAlias(first, v)
		x.aliasUnit(first, v)
		x.aliasBounds(first, v)
	}
}

// settable checks that at most one variable of the set has a start value, unless the variable is
// constant.
func (x *examiner) settable(v *variable, before **variable) {
	if v.Variability == fmi.Constant || len(v.Start) == 0 {
		return
	}
	if other := *before; other != nil {
		x.error("V11", x.at(v.node), fact{what: "a second settable " +
			"variable with this valueReference",
			found:    fmt.Sprintf("%d, with a start value like %s", v.ValueReference, other.Name),
			expected: "one variable of an alias set with a start value",
			remedy: "give the variable a valueReference of its own, or make it an " +
				"output or local"})
		return
	}
	*before = v
}

func (x *examiner) constantAlias(first, v *variable) {
	switch constant := v.Variability == fmi.Constant; {
	case constant != (first.Variability == fmi.Constant):
		x.error("V11", x.at(v.node), fact{what: "alias of " + first.Name,
			found: string(v.Variability) +
				" and " + string(first.Variability),
			expected: "a constant to be an alias of constants only"})
	case constant && !slices.Equal(v.Start, first.Start):
		x.error("V11", x.at(v.node), fact{what: "constant alias of " + first.Name, found: "start " +
			strings.Join(v.Start, " "), expected: "start " + strings.Join(first.Start, " ")})
	}
}

// aliasUnit checks that aliases have the same unit.
func (x *examiner) aliasUnit(first, v *variable) {
	if v.Unit == first.Unit || sameUnit(x.units[v.Unit], x.units[first.Unit]) {
		return
	}
	x.error("V12", x.at(v.typed), fact{what: "unit of an alias of " + first.Name,
		found: unitWord(v.Unit), expected: unitWord(first.Unit)})
}

func sameUnit(a, b *fmi.Unit) bool {
	if a == nil || b == nil || !a.Defined() || !b.Defined() {
		return false
	}
	return a.Exponents() == b.Exponents() && a.Scale() == b.Scale() && a.Offset == b.Offset
}

func unitWord(name string) string {
	if name == "" {
		return "none"
	}
	return quoted(name)
}

// aliasBounds reports aliases whose bounds no single value satisfies.
func (x *examiner) aliasBounds(first, v *variable) {
	apart := func(a, b *variable) bool {
		low, hasLow := numeric(a.Type, a.Min)
		high, hasHigh := numeric(b.Type, b.Max)
		return hasLow && hasHigh && low > high
	}
	if apart(first, v) || apart(v, first) {
		x.error("V12", x.at(v.typed), fact{what: "bounds of an alias of " + first.Name,
			found: fmt.Sprintf("%s to %s", orNone(v.Min), orNone(v.Max)),
			expected: fmt.Sprintf("values in common with %s to %s", orNone(first.Min),
				orNone(first.Max))})
	}
}

func orNone(text string) string {
	if text == "" {
		return "unbounded"
	}
	return text
}
