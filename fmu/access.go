package fmu

import "fmt"

// GetReal is fmi2GetReal: refs and values have the same length, values come in the variables' units.
func (i *Instance) GetReal(refs []ValueReference, values []float64) Status {
	return get(i, GetReal, refs, i.values.Reals, values)
}

// GetInteger is fmi2GetInteger.
func (i *Instance) GetInteger(refs []ValueReference, values []int32) Status {
	return get(i, GetInteger, refs, i.values.Integers, values)
}

// GetBoolean is fmi2GetBoolean.
func (i *Instance) GetBoolean(refs []ValueReference, values []bool) Status {
	return get(i, GetBoolean, refs, i.values.Booleans, values)
}

// GetString is fmi2GetString.
func (i *Instance) GetString(refs []ValueReference, values []string) Status {
	return get(i, GetString, refs, i.values.Strings, values)
}

// get copies the referenced values. A getter changes nothing, with one exception that FMI asks for: in initialization mode
// calculated values are computed from the parameters set so far.
func get[T any](i *Instance, f Function, refs []ValueReference, from, to []T) Status {
	err := i.allowed(f)
	if err == nil && i.state == InitializationMode {
		err = i.initialize()
	}
	if Usable(err) {
		if wrong := copyValues(refs, from, to); wrong != nil {
			err = wrong
		}
	}
	if err == nil { // the hot path
		return OK
	}
	return i.done(f, err)
}

func copyValues[T any](refs []ValueReference, from, to []T) error {
	for k, ref := range refs {
		if int64(ref) >= int64(len(from)) {
			return unknown(ref, len(from))
		}
		to[k] = from[ref]
	}
	return nil
}

func unknown(ref ValueReference, count int) error {
	return fmt.Errorf("%w: %d, this type has %d variables, numbered from 0", ErrUnknownReference, ref, count)
}

// SetReal is fmi2SetReal.
func (i *Instance) SetReal(refs []ValueReference, values []float64) Status {
	return set(i, SetReal, refs, i.values.Reals, values, func(v *Variable, x float64) error { return v.checkRange(x) })
}

// SetInteger is fmi2SetInteger.
func (i *Instance) SetInteger(refs []ValueReference, values []int32) Status {
	status := set(i, SetInteger, refs, i.values.Integers, values,
		func(v *Variable, x int32) error { return v.checkRange(float64(x)) })
	if status == OK {
		i.values.sets++
		for _, ref := range refs {
			i.values.setBy[ref] = i.values.sets
		}
	}
	return status
}

// SetBoolean is fmi2SetBoolean.
func (i *Instance) SetBoolean(refs []ValueReference, values []bool) Status {
	return set(i, SetBoolean, refs, i.values.Booleans, values, func(*Variable, bool) error { return nil })
}

// SetString is fmi2SetString.
func (i *Instance) SetString(refs []ValueReference, values []string) Status {
	return set(i, SetString, refs, i.values.Strings, values, func(v *Variable, x string) error { return v.checkText(x) })
}

// set checks all variables before it changes the first one, so that a refused call leaves no half-set group.
func set[T any](i *Instance, f Function, refs []ValueReference, to, values []T, check func(*Variable, T) error) Status {
	if err := i.allowed(f); err != nil {
		return i.done(f, err)
	}
	known := i.definition.Variables.OfType(BaseType(f - SetReal)) // the Set functions are declared in the order of the types
	for k, ref := range refs {
		if err := checkSet(i.state, known, ref); err != nil {
			return i.done(f, err)
		}
		if err := check(known[ref], values[k]); err != nil {
			return i.done(f, fmt.Errorf("%w: %s: %w", ErrArgument, known[ref].Name, err))
		}
	}
	for k, ref := range refs {
		to[ref] = values[k]
		if known[ref].Causality != Input && i.state != StepComplete {
			i.initialized = false
		}
	}
	return OK
}

func checkSet(s State, known []*Variable, ref ValueReference) error {
	if int64(ref) >= int64(len(known)) {
		return unknown(ref, len(known))
	}
	return known[ref].checkSettable(s)
}
