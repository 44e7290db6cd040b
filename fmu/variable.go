package fmu

import (
	"fmt"

	"gosmp/fmi"
)

// Index is the position of a variable's value among the values of its type in the [Values] of an
// instance; the values of an array are adjacent. Models use indices; the environment uses value
// references, which [Variables.Referenced] maps to variables.
type Index int

// Variable describes one variable. The zero values of Min, Max, OneOf, MIMEType, MaxSize,
// Unit and Annotations mean "none".
type Variable struct {
	Name        string   // structured name, unique
	Type        fmi.Type // one of [Types]
	Causality   fmi.Causality
	Variability fmi.Variability
	Initial     fmi.Initial
	Description string
	// float64 for Real, int32 for Integer, else what [fmi.Type.ParseValue] returns for Type; the
	// same for all elements of an array; nil if FMI forbids a start value
	Start      any
	Dimensions []int // lengths of an array, FMI 3.0 only; none for a single value

	// SizedBy names the structural parameter, declared before this variable, that is the length of
	// an array of one dimension. Its Dimensions hold the greatest length, the maximum of the
	// parameter.
	SizedBy string

	Unit        string   // Real only; declared in Definition.Units
	Min, Max    *float64 // numbers only
	OneOf       []string // String: the values that are allowed; none means any
	MIMEType    string   // Binary
	MaxSize     int      // Binary, in bytes
	Enumeration *Enumeration
	Clocks      []string // the clocks of a clocked variable, declared before it
	Annotations []fmi.Annotation

	// DependsOn names the variables on which a calculated value depends during initialization; nil
	// means that it may depend on all.
	DependsOn []string

	// Position in the table, from 0, and Index are assigned by [Variables.Add].
	Position int
	Index    Index

	stored fmi.Type  // type of the values among which the variable's values are stored
	size   *Variable // the structural parameter SizedBy
	clocks []*Variable
}

// Elements returns the number of values: 1 except for an array; the greatest number for an array
// that is sized by a structural parameter.
func (v *Variable) Elements() int {
	n := 1
	for _, length := range v.Dimensions {
		n *= length
	}
	return n
}

// Starts returns the number of start values: the number of elements unless the environment changes
// it.
func (v *Variable) Starts() int {
	if v.size == nil {
		return v.Elements()
	}
	n, _ := v.size.Start.(uint64)
	return int(n)
}

// Reference returns the value reference of v in a version of FMI. [Variables.Referenced] is the
// inverse.
func (v *Variable) Reference(version fmi.Version) fmi.ValueReference {
	if version >= fmi.FMI3 {
		return fmi.ValueReference(v.Position)
	}
	return fmi.ValueReference(v.Index)
}

// settableIn reports whether a Set function may change v in state s: notes a, b and c of the table
// of legal calls in FMI 2.0, 4.2.4. Note a does not mention inputs, but fmpy and others set their
// start values before initialization mode.
func (v *Variable) settableIn(s fmi.State) bool {
	switch {
	case v.Type == fmi.Clock:
		return false
	case v.Causality == fmi.StructuralParameter:
		return s == fmi.ConfigurationMode ||
			s == fmi.ReconfigurationMode && v.Variability == fmi.Tunable
	}
	switch s { // FMI 3.0 treats Event Mode and Step Mode alike
	case fmi.Instantiated:
		return v.Causality == fmi.Input || v.Variability != fmi.Constant &&
			(v.Initial == fmi.Exact || v.Initial == fmi.Approx)
	case fmi.InitializationMode:
		return v.Variability != fmi.Constant && v.Initial == fmi.Exact || v.Causality == fmi.Input
	case fmi.StepComplete, fmi.EventMode:
		return v.Causality == fmi.Input || v.Causality == fmi.Parameter &&
			v.Variability == fmi.Tunable
	default:
		return false
	}
}

// checkSettable returns the reason why a Set function refuses v in state s, or nil.
func (v *Variable) checkSettable(s fmi.State) error {
	if v.settableIn(s) {
		return nil
	}
	var where []fmi.State
	for _, state := range []fmi.State{fmi.Instantiated, fmi.InitializationMode, fmi.StepComplete,
		fmi.ConfigurationMode, fmi.ReconfigurationMode} {
		if v.settableIn(state) {
			where = append(where, state)
		}
	}
	if where == nil {
		return fmt.Errorf("%w: %s is %s %s and is never set by the environment", ErrNotSettable,
			v.Name, v.Variability, v.Causality)
	}
	return fmt.Errorf("%w: %s is %s %s; state is %q, settable in %v",
		ErrNotSettable, v.Name, v.Variability, v.Causality, s, in(where...))
}
