package fmu

import (
	"slices"

	"gosmp/fmi"
)

// Values holds the current values of an instance's variables, by type and [Index]. The instance's
// model reads its parameters and inputs here and writes its outputs; nothing else holds a
// reference.
type Values struct {
	Reals    []float64
	Integers []int32
	Booleans []bool
	Strings  []string
	Binaries [][]byte // the bytes of an input are overwritten by the next Set

	watchers []Watcher
	watched  perType[[][]Watcher] // by Index; may be shorter than the list of variables
}

// Watcher observes accesses of the environment to variables. Package osmp registers one for each
// binary variable that is passed as an address. An address is valid for a limited time after it was
// set, even if it is set to the same value again.
type Watcher interface {
	// VariableSet is called after a Set function has set one of the watched variables, once for
	// each.
	VariableSet()

	// MemoryReleased is called when fmi2DoStep has returned, even with an error, and when the
	// instance has failed: from then on the environment may release the memory that it has lent to
	// the instance.
	MemoryReleased()
}

// Watch registers a watcher of variables of one type, for the lifetime of the instance. A model
// registers its watchers in its constructor.
func (v *Values) Watch(w Watcher, t fmi.Type, variables ...Index) {
	watched := v.watched.of(t)
	for _, at := range variables {
		for len(*watched) <= int(at) {
			*watched = append(*watched, nil)
		}
		(*watched)[at] = append((*watched)[at], w)
	}
	if !slices.Contains(v.watchers, w) {
		v.watchers = append(v.watchers, w)
	}
}

// notify calls the watchers of the variables that have been set.
func (v *Values) notify(t fmi.Type, known []*Variable, refs []fmi.ValueReference) {
	watched := *v.watched.of(t)
	if watched == nil {
		return
	}
	for _, ref := range refs {
		if at := known[ref].Index; int(at) < len(watched) {
			for _, w := range watched[at] {
				w.VariableSet()
			}
		}
	}
}

func (v *Values) releaseMemory() {
	for _, w := range v.watchers {
		w.MemoryReleased()
	}
}

// newValues uses the memory for integers, if there is any.
func newValues(t *Variables, integers []int32) *Values {
	if integers == nil {
		integers = make([]int32, len(t.OfType(fmi.Integer)))
	}
	v := &Values{
		Reals:    make([]float64, len(t.OfType(fmi.Real))),
		Integers: integers,
		Booleans: make([]bool, len(t.OfType(fmi.Boolean))),
		Strings:  make([]string, len(t.OfType(fmi.String))),
		Binaries: make([][]byte, len(t.OfType(fmi.Binary))),
	}
	v.reset(t)
	return v
}

// reset returns every variable to its start value; a calculated one is zero until it is computed.
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
	for i, x := range t.OfType(fmi.Binary) {
		start, _ := x.Start.([]byte)
		v.Binaries[i] = slices.Clone(start)
	}
}
