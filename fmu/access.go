package fmu

import (
	"fmt"

	"gosmp/fmi"
)

// GetReal is fmi2GetReal. refs and values have the same length; values are in the units of the
// variables.
func (i *Instance) GetReal(refs []fmi.ValueReference, values []float64) fmi.Status {
	return get(i, access{GetReal, fmi.Real, refs}, i.values.Reals, values)
}

// GetInteger is fmi2GetInteger.
func (i *Instance) GetInteger(refs []fmi.ValueReference, values []int32) fmi.Status {
	return get(i, access{GetInteger, fmi.Integer, refs}, i.values.Integers, values)
}

// GetBoolean is fmi2GetBoolean.
func (i *Instance) GetBoolean(refs []fmi.ValueReference, values []bool) fmi.Status {
	return get(i, access{GetBoolean, fmi.Boolean, refs}, i.values.Booleans, values)
}

// GetString is fmi2GetString.
func (i *Instance) GetString(refs []fmi.ValueReference, values []string) fmi.Status {
	return get(i, access{GetString, fmi.String, refs}, i.values.Strings, values)
}

// GetBinary is fmi3GetBinary. The returned bytes belong to the instance and stay valid until the
// next DoStep, Reset, SetFMUstate or Free.
func (i *Instance) GetBinary(refs []fmi.ValueReference, values [][]byte) fmi.Status {
	return get(i, access{GetBinary, fmi.Binary, refs}, i.values.Binaries, values)
}

// access is a call of a Get or Set function.
type access struct {
	function Function
	kind     fmi.Type
	refs     []fmi.ValueReference
}

// get copies the referenced values. A getter changes nothing, with one exception required by FMI:
// in initialization mode it computes the calculated values from the parameters set so far.
func get[T any](i *Instance, a access, from, to []T) fmi.Status {
	err := i.allowed(a.function)
	if err == nil && i.state == fmi.InitializationMode {
		err = i.initialize()
	}
	if Usable(err) {
		if wrong := copyValues(i, a, from, to); wrong != nil {
			err = wrong
		}
	}
	if err == nil { // the hot path
		return fmi.OK
	}
	return i.done(a.function, err)
}

func copyValues[T any](i *Instance, a access, from, to []T) error {
	known := i.referenced(a.kind)
	for k, ref := range a.refs {
		v, err := find(known, a.kind, ref)
		if err != nil {
			return err
		}
		if err := i.readable(v, ref); err != nil {
			return err
		}
		n := i.values.elements(v)
		if n > len(to) {
			return i.wrongCount(a, k, len(to))
		}
		copy(to, from[v.Index:int(v.Index)+n])
		to = to[n:]
	}
	if len(to) > 0 {
		return i.wrongCount(a, len(a.refs), len(to))
	}
	return nil
}

// wrongCount returns the error for a number of values that does not match the variables; rest is
// the number of values for the variables from the k-th on.
func (i *Instance) wrongCount(a access, k, rest int) error {
	found, expected := rest, 0
	known := i.referenced(a.kind)
	for n, ref := range a.refs {
		v, err := find(known, a.kind, ref)
		if err != nil {
			return err
		}
		if expected += i.values.elements(v); n < k {
			found += i.values.elements(v)
		}
	}
	return wrongArgument("nValues", found, fmt.Sprintf("%d, the elements of the variables",
		expected))
}

// Counted completes a call of FMI 3.0 with an error if its number of values does not match the
// variables. Callers whose values are pointers must check this before they follow any of them.
// Unknown variables count as correct, because the call itself reports them.
func (i *Instance) Counted(f Function, kind fmi.Type, refs []fmi.ValueReference,
	n int) fmi.Status {
	expected, known := 0, i.referenced(kind)
	for _, ref := range refs {
		v, err := find(known, kind, ref)
		if err != nil {
			return fmi.OK
		}
		expected += i.values.elements(v)
	}
	if expected == n {
		return fmi.OK
	}
	return i.Rejected(f, "nValues", n, fmt.Sprintf("%d, the elements of the variables", expected))
}

// referenced lists the variables that functions for a type can access, by value reference.
func (i *Instance) referenced(kind fmi.Type) []*Variable {
	return i.definition.Variables.Referenced(i.version, kind)
}

// find returns the variable with the given value reference.
func find(known []*Variable, kind fmi.Type, ref fmi.ValueReference) (*Variable, error) {
	if int64(ref) >= int64(len(known)) {
		return nil, fmt.Errorf("%w: %d, expected a number below %d", ErrUnknownReference, ref,
			len(known))
	}
	if v := known[ref]; v.stored != kind {
		return nil, fmt.Errorf("%w: %d is %s of type %v, expected %v", ErrUnknownReference, ref,
			v.Name, v.Type, kind)
	}
	return known[ref], nil
}

// SetReal is fmi2SetReal.
func (i *Instance) SetReal(refs []fmi.ValueReference, values []float64) fmi.Status {
	return set(i, access{SetReal, fmi.Real, refs}, i.values.Reals, values, (*Variable).checkRange)
}

// SetInteger is fmi2SetInteger.
func (i *Instance) SetInteger(refs []fmi.ValueReference, values []int32) fmi.Status {
	return set(i, access{SetInteger, fmi.Integer, refs}, i.values.Integers, values,
		(*Variable).checkInteger)
}

// DirectIntegers reports how an environment that shares [Config.Integers] may access them itself
// until the next call, because a call would only copy: get replaces GetInteger for any variable,
// and set replaces SetInteger for inputs without minimum and maximum.
func (i *Instance) DirectIntegers() (get, set bool) {
	get = legal[GetInteger].in.has(i.state) && i.state != fmi.InitializationMode
	return get, i.state == fmi.StepComplete
}

// IntegersSet completes the setting of integers that the environment has set itself. It must be
// called before any other method of the instance. The integers that have been set are marked, by
// Index, and bit k%32 of the summary is set for each marked Index k. The marks may be cut off after
// the last integer that the environment may set itself. They are removed.
func (i *Instance) IntegersSet(marks []bool, summary uint32) {
	i.values.notifyOfIntegers(marks, summary)
}

// SetBoolean is fmi2SetBoolean.
func (i *Instance) SetBoolean(refs []fmi.ValueReference, values []bool) fmi.Status {
	return set(i, access{SetBoolean, fmi.Boolean, refs}, i.values.Booleans, values, nil)
}

// SetString is fmi2SetString.
func (i *Instance) SetString(refs []fmi.ValueReference, values []string) fmi.Status {
	return set(i, access{SetString, fmi.String, refs}, i.values.Strings, values,
		(*Variable).checkText)
}

// SetBinary is fmi3SetBinary. The bytes are copied.
func (i *Instance) SetBinary(refs []fmi.ValueReference, values [][]byte) fmi.Status {
	a := access{SetBinary, fmi.Binary, refs}
	if status := settable(i, a, values, (*Variable).checkBytes); status != fmi.OK {
		return status
	}
	known := i.referenced(a.kind)
	for _, ref := range refs {
		for k := range i.values.elements(known[ref]) {
			i.values.SetBinary(known[ref].Index+Index(k), values[k])
		}
		values = values[i.values.elements(known[ref]):]
	}
	i.values.notify(a.kind, known, refs)
	return fmi.OK
}

// set copies the values of a call if all variables may be set.
func set[T any](i *Instance, a access, to, values []T, check func(*Variable, T) error) fmi.Status {
	if status := settable(i, a, values, check); status != fmi.OK {
		return status
	}
	known := i.referenced(a.kind)
	for _, ref := range a.refs {
		v := known[ref]
		values = values[copy(to[v.Index:int(v.Index)+i.values.elements(v)], values):]
	}
	i.values.notify(a.kind, known, a.refs)
	return fmi.OK
}

// settable checks all variables before the first one is changed, so that a refused call changes
// none of them. If check is not nil, it validates the value of each variable.
func settable[T any](i *Instance, a access, values []T, check func(*Variable, T) error) fmi.Status {
	err := i.allowed(a.function)
	known := i.referenced(a.kind)
	parameters := false
	rest := values
	for k := 0; err == nil && k < len(a.refs); k++ {
		var v *Variable
		if v, err = find(known, a.kind, a.refs[k]); err != nil {
			break
		}
		n := i.values.elements(v)
		if n > len(rest) {
			err = i.wrongCount(a, k, len(rest))
			break
		}
		if err = v.checkSettable(i.state); err == nil && check != nil {
			err = checkAll(v, rest[:n], check)
		}
		parameters, rest = parameters || v.Causality != fmi.Input, rest[n:]
	}
	if err == nil && len(rest) > 0 {
		err = i.wrongCount(a, len(a.refs), len(rest))
	}
	if err != nil {
		return i.done(a.function, err)
	}
	if parameters {
		i.initialized = false
	}
	return fmi.OK
}

func checkAll[T any](v *Variable, values []T, check func(*Variable, T) error) error {
	for _, x := range values {
		if wrong := check(v, x); wrong != nil {
			return fmt.Errorf("%w: %s: %w", ErrArgument, v.Name, wrong)
		}
	}
	return nil
}

// checkInteger is like checkRange, for integers and for FMI 2.0 enumerations.
func (v *Variable) checkInteger(x int32) error {
	if err := v.checkItem(int64(x)); err != nil {
		return err
	}
	return v.checkRange(float64(x))
}
