package fmi

import "slices"

// Causality is the role of a variable (FMI 2.0, 2.2.7; FMI 3.0, 2.4.7).
type Causality string

// The causalities. FMI 3.0 introduced StructuralParameter and Dependent.
const (
	// set by the environment; constant during the simulation.
	Parameter           Causality = "parameter"
	CalculatedParameter Causality = "calculatedParameter" // computed from parameters
	// set by the environment at communication points.
	Input       Causality = "input"
	Output      Causality = "output"      // computed for use by the environment
	Local       Causality = "local"       // computed; must not be connected
	Independent Causality = "independent" // usually time
	Dependent   Causality = "dependent"
	// determines array sizes; set in Configuration Mode.
	StructuralParameter Causality = "structuralParameter"
)

// Causalities lists the causalities of a version. The terms that only FMI 1.0 has (internal, none)
// are known only to the reader.
func Causalities(v Version) []Causality {
	list := []Causality{Parameter, CalculatedParameter, Input, Output, Local, Independent}
	if v >= FMI3 {
		list = append(list, StructuralParameter, Dependent)
	}
	return list
}

// ParseCausality parses a causality of the given version.
func ParseCausality(v Version, text string) (Causality, error) {
	return parseWord("causality", text, Causalities(v))
}

// Variability determines when the value of a variable may change (FMI 2.0, 2.2.7; FMI 3.0, 2.4.7).
type Variability string

// The variabilities, from the slowest to the fastest.
const (
	Constant   Variability = "constant"   // never
	Fixed      Variability = "fixed"      // not after initialization
	Tunable    Variability = "tunable"    // when the environment changes a tunable parameter
	Discrete   Variability = "discrete"   // at events and communication points
	Continuous Variability = "continuous" // at any time; only for floating-point numbers
)

// Variabilities lists the variabilities from the slowest to the fastest.
func Variabilities() []Variability {
	return []Variability{Constant, Fixed, Tunable, Discrete, Continuous}
}

// ParseVariability parses a variability.
func ParseVariability(text string) (Variability, error) {
	return parseWord("variability", text, Variabilities())
}

// Initial determines the source of the value before the first step (FMI 2.0, 2.2.7; FMI 3.0,
// 2.4.7).
type Initial string

// The kinds of initial values.
const (
	// if the standard has none: independent variables, clocks, inputs of FMI 2.0.
	NoInitial  Initial = ""
	Exact      Initial = "exact"      // the start value
	Approx     Initial = "approx"     // result of an iteration that begins with the start value
	Calculated Initial = "calculated" // computed, without a start value
)

// Initials lists the kinds of initial values that have a name.
func Initials() []Initial { return []Initial{Exact, Approx, Calculated} }

// ParseInitial parses a kind of initial value.
func ParseInitial(text string) (Initial, error) { return parseWord("initial", text, Initials()) }

// DefaultVariability returns the variability of a variable without a stated one: continuous in FMI
// 2.0, dependent on type and causality in FMI 3.0 (2.4.7).
func DefaultVariability(v Version, t Type, c Causality) Variability {
	switch {
	case v < FMI3:
		return Continuous
	case c == Parameter || c == CalculatedParameter || c == StructuralParameter:
		return Fixed
	case t.IsFloat():
		return Continuous
	}
	return Discrete
}

// DefaultInitial returns the kind of initial value of a variable without a stated one (FMI 2.0,
// 2.2.7; FMI 3.0, 2.4.7).
func DefaultInitial(v Version, t Type, c Causality, changes Variability) Initial {
	switch {
	case t == Clock || c == Independent || c == Dependent || c == Input && v < FMI3:
		return NoInitial
	case c == Input || c == Parameter || c == StructuralParameter || changes == Constant:
		return Exact
	}
	return Calculated
}

// Combination is a row of the table of permitted combinations; the first element of Initial is the
// default.
type Combination struct {
	Causality     Causality
	Variabilities []Variability
	Initial       []Initial
}

var (
	settled = []Variability{Fixed, Tunable}
	moving  = []Variability{Discrete, Continuous}

	// The rows that all versions share, and the rows that differ.
	ofAll = []Combination{
		{Parameter, settled, []Initial{Exact}},
		{CalculatedParameter, settled, []Initial{Calculated, Approx}},
		{Output, moving, []Initial{Calculated, Exact, Approx}},
		{Output, []Variability{Constant}, []Initial{Exact}},
		{Local, []Variability{Constant}, []Initial{Exact}},
		{Local, settled, []Initial{Calculated, Approx}},
		{Local, moving, []Initial{Calculated, Exact, Approx}},
		{Independent, []Variability{Continuous}, []Initial{NoInitial}},
	}
	ofFMI2 = []Combination{{Input, moving, []Initial{NoInitial}}}
	ofFMI3 = []Combination{{StructuralParameter, settled, []Initial{Exact}},
		{Input, moving, []Initial{Exact}}}
)

// special returns the combinations of a version that are missing from other versions.
func special(v Version) []Combination {
	if v >= FMI3 {
		return ofFMI3
	}
	return ofFMI2
}

// Combinations returns the table in FMI 2.0, 2.2.7 or FMI 3.0, 2.4.7. Callers must not change its
// rows.
func Combinations(v Version) []Combination {
	if v >= FMI3 {
		return allOfFMI3
	}
	return allOfFMI2
}

var allOfFMI2, allOfFMI3 = slices.Concat(ofAll, ofFMI2), slices.Concat(ofAll, ofFMI3)

// Allowed reports whether a version permits the given combination of attributes. It does not
// allocate because an instance calls it for each of its variables at the start.
func Allowed(v Version, c Causality, changes Variability, i Initial) bool {
	is := func(row Combination) bool {
		return row.Causality == c && slices.Contains(row.Variabilities, changes) &&
			slices.Contains(row.Initial, i)
	}
	return slices.ContainsFunc(ofAll, is) || slices.ContainsFunc(special(v), is)
}
