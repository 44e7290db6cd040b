package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// identity checks the attributes of the root and the names of libraries (X2 to X5, X8).
func (x *examiner) identity() {
	m, place := x.model, x.at(x.root)
	if space := x.root.Space; space != "" {
		x.error("X1", place, fact{what: "namespace of <fmiModelDescription>", found: quoted(space),
			expected: "none"})
	}
	if x.major < fmi.FMI3 && m.FMIVersion != fmt.Sprintf("%d.0", x.major) {
		x.error("X2", place, fact{what: "fmiVersion", found: quoted(m.FMIVersion),
			expected: fmt.Sprintf("%q for every release of FMI %d", fmt.Sprintf("%d.0", x.major),
				x.major)})
	}
	if x.major == fmi.FMI3 && !isVersion3(m.FMIVersion) {
		x.error("X2", place, fact{what: "fmiVersion", found: quoted(m.FMIVersion),
			expected: "3.0 or the number of a release, like 3.0.2"})
	}
	if _, stated := x.root.Attribute("modelName"); stated && strings.TrimSpace(m.ModelName) == "" {
		x.error("X1", place, fact{what: "modelName", found: quoted(m.ModelName),
			expected: "a name that is not blank"})
	}
	x.token()
	x.identifiers()
	x.date()
	for _, name := range []string{"description", "author", "version", "license", "generationTool"} {
		text, stated := x.root.Attribute(name)
		switch {
		case stated && strings.TrimSpace(text) == "":
			report := x.remark // exporters write it for a field that their users left empty
			if name == "generationTool" {
				report = x.note
			}
			report("X8", place, fact{what: name, found: quoted(text),
				expected: "a text that is not blank", remedy: "fill it in, or omit the attribute"})
		case !stated && (name != "license" || x.major > fmi.FMI1):
			x.remark("X8", place, fact{what: "no attribute " + name})
		}
	}
}

// isVersion3 reports whether a text is 3.0, with or without a patch and a suffix. Later minor
// versions have their own schema and rules.
func isVersion3(text string) bool {
	text, _, _ = strings.Cut(text, "-")
	parts := strings.Split(text, ".")
	for _, part := range parts {
		if n, err := strconv.ParseUint(part, 10, 32); err != nil || strconv.FormatUint(n,
			10) != part {
			return false
		}
	}
	return len(parts) > 1 && len(parts) < 4 && parts[0] == "3" && parts[1] == "0"
}

// token checks the token with which a host proves that it has read the right description (X3).
func (x *examiner) token() {
	name := pick(x.major >= fmi.FMI3, "instantiationToken", "guid")
	text, stated := x.root.Attribute(name)
	switch braced := strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"); {
	case stated && strings.TrimSpace(text) == "":
		x.error("X3", x.at(x.root), fact{what: name, found: quoted(text),
			expected: "a text that is not blank", remedy: "the library compares it with its own"})
	case braced:
		x.remark("X3", x.at(x.root), fact{what: name + " in braces", found: quoted(text),
			remedy: "some hosts remove the braces; compare without them"})
	}
}

// keywords are the words of C11 that are no identifiers.
var keywords = strings.Fields("auto break case char const continue default do double else enum " +
	"extern float for goto if inline int long register restrict return short signed sizeof " +
	"static struct switch typedef union unsigned void volatile while _Alignas _Alignof _Atomic " +
	"_Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local")

// identifiers checks the names of the libraries (X4).
func (x *examiner) identifiers() {
	nodes := []*xmldoc.Node{x.root}
	if x.major > fmi.FMI1 {
		nodes = x.root.Children("ModelExchange", "CoSimulation", "ScheduledExecution")
	}
	kinds := map[string]bool{}
	for _, n := range nodes {
		if x.major == fmi.FMI2 && kinds[n.Name] {
			x.error("X1", x.at(n), fact{what: "a second <" + n.Name + ">",
				expected: "one at most"})
		}
		kinds[n.Name] = true
		text, stated := n.Attribute("modelIdentifier")
		const longest = 200
		switch {
		case !stated:
		case !fmi.IsIdentifier(text):
			x.error("X4", x.at(n), fact{what: "modelIdentifier", found: quoted(text),
				expected: "a C identifier: letters, digits and _",
				remedy:   "it is the name of the library"})
		case slices.Contains(keywords, text):
			x.warn("X4", x.at(n), fact{what: "modelIdentifier", found: quoted(text) +
				", a keyword of C", expected: "a name of a class in C",
				remedy: "hosts may use it as a name in generated code"})
		case len(text) > longest:
			x.error("X4", x.at(n), fact{what: "modelIdentifier", found: fmt.Sprintf("%d characters",
				len(text)), expected: fmt.Sprintf("at most %d", longest)})
		}
	}
	if x.major == fmi.FMI3 && len(nodes) == 0 {
		x.error("X2", x.at(x.root), fact{what: "no interface",
			expected: "ModelExchange, CoSimulation or ScheduledExecution"})
	}
}

// date checks that the time of generation is in UTC (X5).
func (x *examiner) date() {
	text := strings.TrimSpace(x.model.GenerationDateAndTime)
	utc := strings.HasSuffix(text, "+00:00") || strings.HasSuffix(text, "-00:00")
	if x.major > fmi.FMI1 && dateTime().MatchString(text) && !strings.HasSuffix(text, "Z") && !utc {
		x.warn("X5", x.at(x.root), fact{what: "generationDateAndTime", found: quoted(text),
			expected: "a time in UTC, which ends in Z"})
	}
}

// definitions checks units, types and log categories.
func (x *examiner) definitions() {
	x.unique("U1", "unit", x.root.Child("UnitDefinitions").Children("Unit"), "name")
	x.unique("U1", "unit", x.root.Child("UnitDefinitions").Children("BaseUnit"), "unit")
	for _, n := range x.root.Child("UnitDefinitions").Nodes {
		x.unit(n)
	}
	x.unique("T1", "type", x.root.Child("TypeDefinitions").Nodes, "name")
	for _, n := range x.root.Child("TypeDefinitions").Nodes {
		x.typeDefinition(n)
	}
	x.logCategories()
	x.annotations()
}

// unique checks that the names in a list are unique and not blank.
func (x *examiner) unique(rule, what string, nodes []*xmldoc.Node, attribute string) {
	lines := map[string]int{}
	for _, n := range nodes {
		name, stated := n.Attribute(attribute)
		first, twice := lines[name]
		switch {
		case !stated:
		case strings.TrimSpace(name) == "":
			x.blank(rule, n, fact{what: "name of " + article(what), found: quoted(name),
				expected: "one that is not blank"})
		case twice:
			x.error(rule, x.at(n), fact{what: "a second " + what + " with this name",
				found:    fmt.Sprintf("%s, the first in line %d", quoted(name), first),
				expected: "unique names"})
		default:
			lines[name] = n.Line
		}
	}
}

// blank reports a blank name. Names of types, log categories and terminals are looked up by hosts;
// others are only displayed. The schema (X1) accepts the blank name of an annotation.
func (x *examiner) blank(rule string, n *xmldoc.Node, f fact) {
	switch rule {
	case "T1", "L1", "D4":
		x.error(rule, x.at(n), f)
	case "X1":
		x.warn("X9", x.at(n), f)
	default:
		x.warn(rule, x.at(n), f)
	}
}

// article puts the indefinite article before a noun.
func article(noun string) string {
	return pick(strings.ContainsAny(noun[:1], "aeio"), "an ", "a ") + noun
}

// unit checks one unit and its display units (U1, U2).
func (x *examiner) unit(n *xmldoc.Node) {
	x.unique("U1", "display unit", n.Children("DisplayUnit"), "name")
	x.unique("U1", "display unit", n.Children("DisplayUnitDefinition"), "displayUnit")
	for _, c := range n.Nodes {
		for _, name := range []string{"factor", "gain"} {
			if text, stated := c.Attribute(name); stated {
				if value, is := numeric(fmi.Float64, text); is && value == 0 {
					x.error("U1", x.at(c), fact{what: name + " of a unit", found: text,
						expected: "a number other than 0"})
				}
			}
		}
		inverse, _ := fmi.ParseBoolean(c.Value("inverse"))
		if offset, is := numeric(fmi.Float64, c.Value("offset")); inverse && is && offset != 0 {
			x.error("U1", x.at(c), fact{what: "an inverse display unit with an offset",
				found: c.Value("offset"), expected: "offset 0"})
		}
	}
	if u := x.units[n.Value("name")]; u != nil {
		if x.knownUnit(n, u) && len(n.Children("BaseUnit")) > 0 {
			judged := map[string]bool{} // a second one with the same name is for U1
			for _, d := range n.Children("DisplayUnit") {
				if name := d.Value("name"); !judged[name] {
					judged[name] = true
					x.knownDisplayUnit(d, u)
				}
			}
		}
	}
}

// typeDefinition checks one type (T3), including its units (U17).
func (x *examiner) typeDefinition(n *xmldoc.Node) {
	x.object = n.Value("name")
	defer func() { x.object = "" }()
	typed := n
	if x.major < fmi.FMI3 {
		if len(n.Nodes) != 1 {
			return // reported by the grammar
		}
		typed = n.Nodes[0]
	}
	if base := baseOf(x.major, n); base.IsFloat() {
		unit := typed.Value("unit")
		if unit != "" && x.units[unit] == nil {
			x.error("V17", x.at(typed), fact{what: "unit of a type", found: quoted(unit),
				expected: "one of UnitDefinitions"})
		}
		x.displayUnit(x.at(typed), x.units[unit], unit, typed.Value("displayUnit"))
	}
	low, hasLow := numeric(fmi.Float64, typed.Value("min"))
	high, hasHigh := numeric(fmi.Float64, typed.Value("max"))
	if hasLow && hasHigh && low > high {
		x.warn("V6", x.at(typed), fact{what: "bounds that no value satisfies",
			found:    "min " + typed.Value("min") + " and max " + typed.Value("max"),
			expected: "min <= max"})
	}
	x.items(typed.Children("Item"))
}

// items checks the items of an enumeration (T3).
func (x *examiner) items(items []*xmldoc.Node) {
	x.unique("T3", "item", items, "name")
	values := map[string]string{}
	for _, n := range items {
		text := strings.TrimSpace(n.Value("value"))
		if text == "" || x.major == fmi.FMI1 {
			continue
		}
		if number, err := strconv.ParseInt(text, 10, 64); err == nil {
			text = strconv.FormatInt(number, 10)
		}
		if first, twice := values[text]; twice {
			x.error("T3", x.at(n), fact{what: "value of the item " + n.Value("name"), found: text +
				", which is also the value of " + first, expected: "unique values"})
			continue
		}
		values[text] = n.Value("name")
	}
}

// standardCategories are the log categories that FMI 2.0 names; FMI 3.0 omits the last two.
var standardCategories = []string{fmi.LogEvents, fmi.LogSingularLinearSystems,
	fmi.LogNonlinearSystems, fmi.LogDynamicStateSelection, fmi.LogStatusWarning,
	fmi.LogStatusDiscard, fmi.LogStatusError, fmi.LogStatusFatal, fmi.LogStatusPending, fmi.LogAll}

// logCategories checks the log categories (L1).
func (x *examiner) logCategories() {
	nodes := x.root.Child("LogCategories").Children("Category")
	x.unique("L1", "log category", nodes, "name")
	for _, n := range nodes {
		name := n.Value("name")
		switch near := nearest(name, standardCategories); {
		case x.major >= fmi.FMI3 && (name == fmi.LogAll || name == fmi.LogStatusPending):
			x.note("L1", x.at(n), fact{what: "log category", found: quoted(name),
				expected: "a category of FMI 3.0", remedy: "it was removed in FMI 3.0"})
		case !slices.Contains(standardCategories, name) && near != "" &&
			strings.HasPrefix(strings.ToLower(name), "log"):
			x.note("L1", x.at(n), fact{what: "log category", found: quoted(name),
				expected: quoted(near), remedy: "is it a misspelt standard category?"})
		}
	}
}

// annotations checks that each kind of annotation occurs once, and that its name uses a reverse
// domain (X9).
func (x *examiner) annotations() {
	if x.major == fmi.FMI2 {
		x.unique("X1", "tool", x.root.Child("VendorAnnotations").Children("Tool"), "name")
	}
	if x.major < fmi.FMI3 {
		return
	}
	var visit func(n *xmldoc.Node)
	visit = func(n *xmldoc.Node) {
		if n.Name == "Annotations" {
			x.annotationTypes(n)
			return
		}
		for _, c := range n.Nodes {
			visit(c)
		}
	}
	visit(x.root)
}

func (x *examiner) annotationTypes(n *xmldoc.Node) {
	seen := map[string]bool{}
	for _, a := range n.Children("Annotation") {
		name := a.Value("type")
		if seen[name] {
			x.warn("X9", x.at(a), fact{what: "a second annotation of this type",
				found:    quoted(name),
				expected: "unique types"})
		}
		_, named := a.Attribute("type")
		if seen[name] = true; named && !strings.Contains(name, ".") {
			x.warn("X9", x.at(a), fact{what: "type of an annotation", found: quoted(name),
				expected: "a name that begins with a reverse domain, like org.example.name"})
		}
	}
}

// experiment checks the proposed start time, stop time, step size and tolerance (E1, E2).
func (x *examiner) experiment() {
	n, e := x.root.Child("DefaultExperiment"), x.model.DefaultExperiment
	place := x.at(n)
	start := 0.0
	if e.StartTime != nil {
		start = *e.StartTime
	}
	if e.StopTime != nil && *e.StopTime <= start {
		x.warn("E1", place, fact{what: "stopTime of the default experiment",
			found: n.Value("stopTime"), expected: "more than startTime, " + number(start)})
	}
	positive := func(name string, value *float64) {
		if value != nil && *value <= 0 {
			x.warn("E1", place, fact{what: name + " of the default experiment",
				found:    n.Value(name),
				expected: "more than 0"})
		}
	}
	positive("tolerance", e.Tolerance)
	positive("stepSize", e.StepSize)
	if e.StepSize == nil || *e.StepSize <= 0 {
		return
	}
	if e.StopTime != nil && *e.StopTime > start {
		if steps := (*e.StopTime - start) / *e.StepSize; !whole(steps) {
			x.remark("E2", place, fact{what: "stepSize that does not divide the " +
				"duration of the experiment",
				found: number(steps) + " steps", expected: "a whole number of steps"})
		}
	}
	x.internalStep(*e.StepSize)
}

// internalStep compares the proposed step with the internal step of the solver (E2).
func (x *examiner) internalStep(step float64) {
	n := x.root.Child("CoSimulation")
	if inner, is := numeric(fmi.Float64, n.Value("fixedInternalStepSize")); is && inner > 0 &&
		!whole(step/inner) {
		x.note("E2", x.at(x.root.Child("DefaultExperiment")),
			fact{what: "stepSize of the default experiment",
				found:    number(step),
				expected: "a multiple of fixedInternalStepSize, " + number(inner)})
	}
}

// whole reports whether a number is an integer to within a relative 1e-9.
func whole(x float64) bool {
	const relative = 1e-9
	return math.Abs(x-math.Round(x)) <= relative*math.Max(1, math.Abs(x))
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
