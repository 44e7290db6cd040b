package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/xmldoc"
)

// variable is a variable together with its XML elements.
type variable struct {
	*archive.Variable
	index int          // index in ModelVariables, from 0
	node  *xmldoc.Node // ScalarVariable, or the element of its type
	typed *xmldoc.Node // element with the attributes of the type
}

// stated reports whether the document states an attribute.
func (v *variable) stated(name string) bool {
	_, found := v.node.Attribute(name)
	return found
}

// clocked reports whether the variable is a clock or belongs to one.
func (v *variable) clocked() bool { return v.Type == fmi.Clock || len(v.Clocks) > 0 }

// collect matches variables, types and units with their elements. A variable that cannot be read
// keeps its position in the list, because other variables refer to it by number.
func (x *examiner) collect() {
	x.types, x.units = map[string]*xmldoc.Node{}, map[string]*fmi.Unit{}
	nodes, read := x.root.Child("ModelVariables").Nodes, x.model.Variables
	x.byName = make(map[string]*variable, len(nodes))
	x.variables = make([]*variable, 0, len(nodes))
	all := make([]variable, len(nodes))
	for k, n := range nodes {
		v := &all[k]
		*v = variable{index: k, node: n, typed: n}
		// the readable variables are in document order
		if len(read) > 0 && read[0].Line == n.Line && read[0].Column == n.Column {
			v.Variable, read = &read[0], read[1:]
			if x.major < fmi.FMI3 {
				v.typed = n.Child(v.Type.String())
			}
		} else {
			v.Variable = &archive.Variable{Name: n.Value("name"), Line: n.Line, Column: n.Column}
		}
		x.variables = append(x.variables, v)
		if x.byName[v.Name] == nil {
			x.byName[v.Name] = v
		}
	}
	for _, n := range x.root.Child("TypeDefinitions").Nodes {
		x.types[n.Value("name")] = n
	}
	for k := range x.model.Units {
		if u := &x.model.Units[k]; x.units[u.Name] == nil {
			x.units[u.Name] = u
		}
	}
}

// variable checks one variable by itself.
func (x *examiner) variable(v *variable) {
	if v.Type == 0 {
		return // reported by the grammar
	}
	if x.major > fmi.FMI1 && slices.Contains(fmi.Causalities(x.major), v.Causality) &&
		slices.Contains(fmi.Variabilities(), v.Variability) {
		x.combination(v)
		x.starts(v)
	}
	if x.major == fmi.FMI1 {
		x.ofFMI1(v)
	}
	x.bounds(v)
	x.typeOf(v)
	x.unitOf(v)
	x.derivative(v)
	x.special(v)
}

// ofFMI1 checks what only FMI 1.0 has: fixed belongs to a start value (V3), and direct dependencies
// are inputs (M7).
func (x *examiner) ofFMI1(v *variable) {
	_, fixed := v.typed.Attribute("fixed")
	if _, stated := v.typed.Attribute("start"); fixed && !stated {
		x.error("V3", x.at(v.typed), fact{what: "fixed without a start value",
			expected: "start, too, or neither"})
	}
	for _, n := range v.node.Child("DirectDependency").Children("Name") {
		name := strings.TrimSpace(n.Text())
		if o := x.byName[name]; o == nil || o.Causality != fmi.Input {
			x.error("M7", x.at(n), fact{what: "a direct dependency of " + v.Name,
				found: quoted(name), expected: "the name of an input"})
		}
	}
}

// combination checks causality, variability and initial against the table (V2, V4).
func (x *examiner) combination(v *variable) {
	place := x.at(v.node)
	if v.Variability == fmi.Continuous && !v.Type.IsFloat() {
		f := fact{what: fmt.Sprintf("a variable of type %s that is continuous", v.Type),
			expected: "only floating-point numbers to be so", remedy: `set variability="discrete"`}
		if !v.stated("variability") {
			f.found = "no variability, which means continuous"
		}
		x.error("V2", place, f)
		return
	}
	if v.Type == fmi.Clock {
		x.clockCombination(v)
		return
	}
	var goes []string // variabilities allowed with the causality
	var initial []string
	for _, row := range fmi.Combinations(x.major) {
		if row.Causality != v.Causality {
			continue
		}
		for _, variability := range row.Variabilities {
			goes = append(goes, string(variability))
			if variability == v.Variability {
				for _, i := range row.Initial {
					initial = append(initial, string(i))
				}
			}
		}
	}
	switch {
	case len(goes) == 0: // a word that the grammar has reported
	case initial == nil:
		found := string(v.Variability)
		if !v.stated("variability") {
			found += ", the default"
		}
		x.error("V2", place, fact{what: "variability of a variable with causality " +
			string(v.Causality), found: found, expected: orList(goes)})
	case v.stated("initial") && (v.Causality == fmi.Independent ||
		v.Causality == fmi.Input && x.major == fmi.FMI2):
		x.error("V4", place, fact{what: "initial of an " + string(v.Causality) + " variable",
			found: string(v.Initial), expected: "none", remedy: "remove the attribute initial"})
	case !fmi.Allowed(x.major, v.Causality, v.Variability, v.Initial):
		rule := pick(v.Causality == fmi.Input, "V4", "V2")
		x.error(rule, place,
			fact{what: fmt.Sprintf("initial of a variable with causality %s and variability %s",
				v.Causality, v.Variability), found: string(v.Initial), expected: orList(initial)})
	}
}

// clockCombination checks the causality and the variability of a clock (V2).
func (x *examiner) clockCombination(v *variable) {
	switch v.Causality {
	case "", fmi.Input, fmi.Output, fmi.Local:
	default:
		x.error("V2", x.at(v.node), fact{what: "causality of a Clock", found: string(v.Causality),
			expected: "input, output or local"})
	}
	if v.stated("variability") && v.Variability != fmi.Discrete {
		x.error("V2", x.at(v.node), fact{what: "variability of a Clock",
			found: string(v.Variability), expected: string(fmi.Discrete)})
	}
}

// orList joins alternatives with "or".
func orList(words []string) string { return strings.Join(words, " or ") }

// starts checks that start values exist where they are required, and are absent where they are
// forbidden (V3).
func (x *examiner) starts(v *variable) {
	if v.Type == fmi.Clock {
		return
	}
	place, has := x.at(v.node), len(v.Start) > 0
	if text, found := v.typed.Attribute("start"); found && strings.TrimSpace(text) == "" &&
		v.Type != fmi.String {
		has = true // reported by the check of spelling
	}
	why := ""
	switch {
	case v.Causality == fmi.Input:
		why = "an input"
	case v.Causality == fmi.Parameter, v.Causality == fmi.StructuralParameter:
		why = "a parameter"
	case v.Variability == fmi.Constant:
		why = "a constant"
	case v.Initial == fmi.Exact, v.Initial == fmi.Approx:
		why = "a variable with initial " + string(v.Initial)
	}
	switch {
	case v.Causality == fmi.Independent && has:
		x.error("V3", place, fact{what: "start value of the independent variable",
			found: quoted(strings.Join(v.Start, " ")), expected: "none",
			remedy: "the host sets the time; remove start"})
	case why == "" && v.Initial == fmi.Calculated && has:
		x.error("V3", place, fact{what: "start value of a variable with initial calculated",
			found: quoted(strings.Join(v.Start, " ")), expected: "none",
			remedy: "remove start, or set initial to exact or approx"})
	case why != "" && !has:
		f := fact{what: why + " without a start value", expected: "one", remedy: "add start"}
		if !v.stated("initial") && v.Initial == fmi.Exact && v.Causality == fmi.Output {
			f.found = "initial exact, the default"
		}
		x.error("V3", place, f)
	}
}

// bounds checks the start values against the minimum and maximum (V6), and checks the nominal value
// (V18).
func (x *examiner) bounds(v *variable) {
	if !v.Type.IsFloat() && !v.Type.IsInteger() {
		return
	}
	place := x.at(v.typed)
	low, hasLow := numeric(v.Type, v.Min)
	high, hasHigh := numeric(v.Type, v.Max)
	if hasLow && hasHigh && low > high {
		x.warn("V6", place, fact{what: "bounds that no value satisfies",
			found: "min " + v.Min + " and max " + v.Max, expected: "min <= max"})
		return
	}
	for _, text := range v.Start {
		start, is := numeric(v.Type, text)
		switch {
		case is && hasLow && start < low:
			x.warn("V6", place, fact{what: "start value below the minimum", found: text,
				expected: "at least " + v.Min, remedy: "change start or min"})
			return
		case is && hasHigh && start > high:
			x.warn("V6", place, fact{what: "start value above the maximum", found: text,
				expected: "at most " + v.Max, remedy: "change start or max"})
			return
		}
	}
	if nominal, is := numeric(v.Type, v.Nominal); is && nominal <= 0 {
		x.note("V18", place, fact{what: "nominal value", found: v.Nominal, expected: "above 0"})
	}
}

// numeric parses a number for comparison.
func numeric(t fmi.Type, text string) (float64, bool) {
	if text == "" {
		return 0, false
	}
	value, err := t.ParseValue(text)
	if err != nil {
		return 0, false
	}
	if number, err := strconv.ParseFloat(fmi.FormatValue(value), 64); err == nil {
		return number, !math.IsNaN(number)
	}
	return 0, false
}

// derivative checks the variable of which v is the derivative (V13).
func (x *examiner) derivative(v *variable) {
	text, found := v.typed.Attribute("derivative")
	if found {
		x.derived(v, strings.TrimSpace(text))
	}
	if reinit, _ := fmi.ParseBoolean(v.typed.Value("reinit")); reinit && x.major == fmi.FMI2 &&
		x.model.Interface(fmi.ModelExchange) == nil {
		x.error("V13", x.at(v.typed), fact{what: "reinit in an FMU without model exchange",
			expected: "only for states of model exchange", remedy: "leave out reinit"})
	}
}

func (x *examiner) derived(v *variable, text string) {
	place := x.at(v.typed)
	of, ok := x.target(text)
	switch {
	case !ok:
		x.error("V13", place, fact{what: "derivative", found: quoted(text),
			expected: x.reference(),
			remedy:   "name the variable of which this one is the derivative"})
	case of == v:
		x.error("V13", place, fact{what: "derivative of itself", found: quoted(text),
			expected: "another variable"})
	case !v.Type.IsFloat(): // reported by the grammar
	case of.Type != v.Type:
		x.error("V13", place, fact{what: "derivative of " + of.Name, found: "a variable of type " +
			of.Type.String(), expected: v.Type.String()})
	case of.Variability != fmi.Continuous:
		x.error("V13", place, fact{what: "derivative of " + of.Name, found: "a variable that is " +
			string(of.Variability), expected: "continuous"})
	}
}

// target finds a variable by the number that other variables use to refer to it: the value
// reference since FMI 3.0; before that, the position in the list, starting at 1.
func (x *examiner) target(text string) (*variable, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return nil, false
	}
	if x.major < fmi.FMI3 {
		if n == 0 || n > uint64(len(x.variables)) {
			return nil, false
		}
		return x.variables[n-1], true
	}
	v := x.references()[uint32(n)]
	return v, v != nil
}

// references returns the variables of FMI 3.0, keyed by value reference.
func (x *examiner) references() map[uint32]*variable {
	if x.byReference == nil {
		x.byReference = map[uint32]*variable{}
		for _, v := range x.variables {
			if x.byReference[v.ValueReference] == nil && v.Type != 0 {
				x.byReference[v.ValueReference] = v
			}
		}
	}
	return x.byReference
}

// reference describes the numbers that refer to variables, for messages.
func (x *examiner) reference() string {
	if x.major >= fmi.FMI3 {
		return "the valueReference of a variable"
	}
	return fmt.Sprintf("the index of a variable, 1 to %d", len(x.variables))
}
