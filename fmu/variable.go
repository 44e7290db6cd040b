package fmu

import "fmt"

// ValueReference numbers the variables of one base type from 0. Because the numbers are dense, it is at the same time the
// index into the value slice of that type in [Values].
type ValueReference = uint32

// BaseType is the type of a variable. Enumerations are not used by gosmp.
type BaseType uint8

// The base types of FMI 2.0.
const (
	Real BaseType = iota
	Integer
	Boolean
	String
	typeCount
)

func (t BaseType) String() string { return [...]string{"Real", "Integer", "Boolean", "String"}[t] }

// Causality says what a variable is for, in the standard's spelling (FMI 2.0, 2.2.7), so that it renders as it is.
type Causality string

// Variability says when a variable may change, in the standard's spelling.
type Variability string

// Initial says how a variable gets its start value, in the standard's spelling.
type Initial string

// Causalities, variabilities and initial kinds that occur in a co-simulation slave.
const (
	Parameter           Causality = "parameter"
	CalculatedParameter Causality = "calculatedParameter"
	Input               Causality = "input"
	Output              Causality = "output"
	Local               Causality = "local"

	Constant   Variability = "constant"
	Fixed      Variability = "fixed"
	Tunable    Variability = "tunable"
	Discrete   Variability = "discrete"
	Continuous Variability = "continuous"

	NoInitial  Initial = ""
	Exact      Initial = "exact"
	Approx     Initial = "approx"
	Calculated Initial = "calculated"
)

// Variable describes one scalar variable. The zero values of Min, Max, OneOf, Unit and Annotations mean "none".
type Variable struct {
	Name        string // structured name, unique
	Type        BaseType
	Causality   Causality
	Variability Variability
	Initial     Initial
	Description string
	Start       any      // float64, int32, bool or string to match Type; nil where FMI forbids a start value
	Unit        string   // Real only; declared in Definition.Units
	Min, Max    *float64 // Real and Integer
	OneOf       []string // String: the values that are allowed; none means any
	Annotations []Annotation

	// DependsOn names the variables that decide a calculated value while the instance initializes; nil means that all may.
	DependsOn []string

	// Reference is assigned by [Variables.Add].
	Reference ValueReference
}

// Annotation is the content of one vendor Tool element: a single XML element with attributes in a given order.
type Annotation struct {
	Tool       string // reverse domain name of the vendor
	Prefix     string // of the XML namespace
	Namespace  string
	Element    string // local name
	Attributes []Attribute
}

// Attribute is one XML attribute.
type Attribute struct{ Name, Value string }

// settableIn says whether a Set may touch v in state s: FMI 2.0, 4.2.4, notes a, b and c of the table of legal calls. Note a does
// not name inputs; fmpy and others set their start values before initialization mode all the same.
func (v *Variable) settableIn(s State) bool {
	switch s {
	case Instantiated:
		return v.Causality == Input || v.Variability != Constant && (v.Initial == Exact || v.Initial == Approx)
	case InitializationMode:
		return v.Variability != Constant && v.Initial == Exact || v.Causality == Input
	case StepComplete:
		return v.Causality == Input || v.Causality == Parameter && v.Variability == Tunable
	default:
		return false
	}
}

// checkSettable explains a refused Set.
func (v *Variable) checkSettable(s State) error {
	if v.settableIn(s) {
		return nil
	}
	var where []State
	for _, state := range []State{Instantiated, InitializationMode, StepComplete} {
		if v.settableIn(state) {
			where = append(where, state)
		}
	}
	if where == nil {
		return fmt.Errorf("%w: %s is %s %s and is never set by the environment", ErrNotSettable, v.Name, v.Variability, v.Causality)
	}
	return fmt.Errorf("%w: %s is %s %s; state is %q, settable in %v",
		ErrNotSettable, v.Name, v.Variability, v.Causality, s, in(where...))
}
