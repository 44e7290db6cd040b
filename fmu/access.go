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
	status := i.settable(SetReal, refs, func(v *Variable, k int) error { return v.checkRange(values[k]) })
	return set(status, refs, i.values.Reals, values)
}

// SetInteger is fmi2SetInteger.
func (i *Instance) SetInteger(refs []ValueReference, values []int32) Status {
	status := i.settable(SetInteger, refs, func(v *Variable, k int) error { return v.checkRange(float64(values[k])) })
	if status == OK {
		i.values.sets++
		for _, ref := range refs {
			i.values.setBy[ref] = i.values.sets
		}
	}
	return set(status, refs, i.values.Integers, values)
}

// SetBoolean is fmi2SetBoolean.
func (i *Instance) SetBoolean(refs []ValueReference, values []bool) Status {
	status := i.settable(SetBoolean, refs, func(*Variable, int) error { return nil })
	return set(status, refs, i.values.Booleans, values)
}

// SetString is fmi2SetString.
func (i *Instance) SetString(refs []ValueReference, values []string) Status {
	status := i.settable(SetString, refs, func(v *Variable, k int) error { return v.checkText(values[k]) })
	return set(status, refs, i.values.Strings, values)
}

// settable checks all variables before the first one is changed, so that a refused call leaves no half-set group. The function given
// checks the k-th value.
func (i *Instance) settable(f Function, refs []ValueReference, check func(v *Variable, k int) error) Status {
	if err := i.allowed(f); err != nil {
		return i.done(f, err)
	}
	known := i.definition.Variables.OfType(BaseType(f - SetReal)) // the Set functions are declared in the order of the types
	for k, ref := range refs {
		if err := checkSet(i.state, known, ref); err != nil {
			return i.done(f, err)
		}
		if err := check(known[ref], k); err != nil {
			return i.done(f, fmt.Errorf("%w: %s: %w", ErrArgument, known[ref].Name, err))
		}
	}
	for _, ref := range refs {
		if known[ref].Causality != Input {
			i.initialized = false
		}
	}
	return OK
}

// set copies the values of a call that may set them.
func set[T any](status Status, refs []ValueReference, to, values []T) Status {
	if status == OK {
		for k, ref := range refs {
			to[ref] = values[k]
		}
	}
	return status
}

func checkSet(s State, known []*Variable, ref ValueReference) error {
	if int64(ref) >= int64(len(known)) {
		return unknown(ref, len(known))
	}
	return known[ref].checkSettable(s)
}
