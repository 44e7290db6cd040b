package fmu

import (
	"fmt"

	"gosmp/fmi"
)

// Variable describes one scalar variable. The zero values of Min, Max, OneOf, Unit and Annotations mean "none".
type Variable struct {
	Name        string // structured name, unique
	Type        fmi.Type
	Causality   fmi.Causality
	Variability fmi.Variability
	Initial     fmi.Initial
	Description string
	Start       any      // float64, int32, bool or string to match Type; nil where FMI forbids a start value
	Unit        string   // Real only; declared in Definition.Units
	Min, Max    *float64 // Real and Integer
	OneOf       []string // String: the values that are allowed; none means any
	Annotations []fmi.Annotation

	// DependsOn names the variables that decide a calculated value while the instance initializes; nil means that all may.
	DependsOn []string

	// Reference is assigned by [Variables.Add].
	Reference fmi.ValueReference
}

// settableIn says whether a Set may touch v in state s: FMI 2.0, 4.2.4, notes a, b and c of the table of legal calls. Note a does
// not name inputs; fmpy and others set their start values before initialization mode all the same.
func (v *Variable) settableIn(s fmi.State) bool {
	switch s {
	case fmi.Instantiated:
		return v.Causality == fmi.Input || v.Variability != fmi.Constant && (v.Initial == fmi.Exact || v.Initial == fmi.Approx)
	case fmi.InitializationMode:
		return v.Variability != fmi.Constant && v.Initial == fmi.Exact || v.Causality == fmi.Input
	case fmi.StepComplete:
		return v.Causality == fmi.Input || v.Causality == fmi.Parameter && v.Variability == fmi.Tunable
	default:
		return false
	}
}

// checkSettable explains a refused Set.
func (v *Variable) checkSettable(s fmi.State) error {
	if v.settableIn(s) {
		return nil
	}
	var where []fmi.State
	for _, state := range []fmi.State{fmi.Instantiated, fmi.InitializationMode, fmi.StepComplete} {
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
