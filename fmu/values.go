package fmu

import "gosmp/fmi"

// Values holds the current values of an instance's variables, by type and value reference. The model of the instance reads its
// parameters and inputs here and writes its outputs; nobody else holds a reference.
type Values struct {
	Reals    []float64
	Integers []int32
	Booleans []bool
	Strings  []string

	// setBy numbers, for every integer, the Set call that has set it last; sets counts these calls, those up to spent belong to
	// a step that has returned.
	setBy []uint64
	sets  uint64
	spent uint64
}

func newValues(t *Variables) *Values {
	v := &Values{
		Reals:    make([]float64, len(t.OfType(fmi.Real))),
		Integers: make([]int32, len(t.OfType(fmi.Integer))),
		Booleans: make([]bool, len(t.OfType(fmi.Boolean))),
		Strings:  make([]string, len(t.OfType(fmi.String))),
		setBy:    make([]uint64, len(t.OfType(fmi.Integer))),
	}
	v.reset(t)
	return v
}

// reset puts every variable back to its start value; a calculated one becomes zero until it is computed.
func (v *Values) reset(t *Variables) {
	for i, x := range t.OfType(fmi.Real) {
		v.Reals[i], _ = x.Start.(float64)
	}
	for i, x := range t.OfType(fmi.Integer) {
		v.Integers[i], _ = x.Start.(int32)
	}
	for i, x := range t.OfType(fmi.Boolean) {
		v.Booleans[i], _ = x.Start.(bool)
	}
	for i, x := range t.OfType(fmi.String) {
		v.Strings[i], _ = x.Start.(string)
	}
}

// IntegerSetBy is the number of the Set call that has set the integer last, 0 if the environment never has. Numbers only grow.
// Addresses need it: they are good for a limited time after having been set, even if they are set to the same value again.
func (v *Values) IntegerSetBy(ref fmi.ValueReference) uint64 { return v.setBy[ref] }

// SpentSets is the number of the newest Set call whose addresses the environment may have dropped, because an fmi2DoStep has
// returned since, even a refused one, or because the instance has failed.
func (v *Values) SpentSets() uint64 { return v.spent }
