package fmu

import (
	"fmt"

	"gosmp/fmi"
)

// GetReal is fmi2GetReal: refs and values have the same length, values come in the variables' units.
func (i *Instance) GetReal(refs []fmi.ValueReference, values []float64) fmi.Status {
	return get(i, GetReal, refs, i.values.Reals, values)
}

// GetInteger is fmi2GetInteger.
func (i *Instance) GetInteger(refs []fmi.ValueReference, values []int32) fmi.Status {
	return get(i, GetInteger, refs, i.values.Integers, values)
}

// GetBoolean is fmi2GetBoolean.
func (i *Instance) GetBoolean(refs []fmi.ValueReference, values []bool) fmi.Status {
	return get(i, GetBoolean, refs, i.values.Booleans, values)
}

// GetString is fmi2GetString.
func (i *Instance) GetString(refs []fmi.ValueReference, values []string) fmi.Status {
	return get(i, GetString, refs, i.values.Strings, values)
}

// get copies the referenced values. A getter changes nothing, with one exception that FMI asks for: in initialization mode
// calculated values are computed from the parameters set so far.
func get[T any](i *Instance, f Function, refs []fmi.ValueReference, from, to []T) fmi.Status {
	err := i.allowed(f)
	if err == nil && i.state == fmi.InitializationMode {
		err = i.initialize()
	}
	if Usable(err) {
		if wrong := copyValues(refs, from, to); wrong != nil {
			err = wrong
		}
	}
	if err == nil { // the hot path
		return fmi.OK
	}
	return i.done(f, err)
}

func copyValues[T any](refs []fmi.ValueReference, from, to []T) error {
	for k, ref := range refs {
		if int64(ref) >= int64(len(from)) {
			return unknown(ref, len(from))
		}
		to[k] = from[ref]
	}
	return nil
}

func unknown(ref fmi.ValueReference, count int) error {
	return fmt.Errorf("%w: %d, this type has %d variables, numbered from 0", ErrUnknownReference, ref, count)
}

// SetReal is fmi2SetReal.
func (i *Instance) SetReal(refs []fmi.ValueReference, values []float64) fmi.Status {
	status := i.settable(SetReal, fmi.Real, refs, func(v *Variable, k int) error { return v.checkRange(values[k]) })
	return set(status, refs, i.values.Reals, values)
}

// SetInteger is fmi2SetInteger.
func (i *Instance) SetInteger(refs []fmi.ValueReference, values []int32) fmi.Status {
	status := i.settable(SetInteger, fmi.Integer, refs, func(v *Variable, k int) error { return v.checkRange(float64(values[k])) })
	if status == fmi.OK {
		i.values.sets++
		for _, ref := range refs {
			i.values.setBy[ref] = i.values.sets
		}
	}
	return set(status, refs, i.values.Integers, values)
}

// SetBoolean is fmi2SetBoolean.
func (i *Instance) SetBoolean(refs []fmi.ValueReference, values []bool) fmi.Status {
	status := i.settable(SetBoolean, fmi.Boolean, refs, func(*Variable, int) error { return nil })
	return set(status, refs, i.values.Booleans, values)
}

// SetString is fmi2SetString.
func (i *Instance) SetString(refs []fmi.ValueReference, values []string) fmi.Status {
	status := i.settable(SetString, fmi.String, refs, func(v *Variable, k int) error { return v.checkText(values[k]) })
	return set(status, refs, i.values.Strings, values)
}

// settable checks all variables before the first one is changed, so that a refused call leaves no half-set group. The function given
// checks the k-th value.
func (i *Instance) settable(f Function, t fmi.Type, refs []fmi.ValueReference, check func(v *Variable, k int) error) fmi.Status {
	if err := i.allowed(f); err != nil {
		return i.done(f, err)
	}
	known := i.definition.Variables.OfType(t)
	for k, ref := range refs {
		if err := checkSet(i.state, known, ref); err != nil {
			return i.done(f, err)
		}
		if err := check(known[ref], k); err != nil {
			return i.done(f, fmt.Errorf("%w: %s: %w", ErrArgument, known[ref].Name, err))
		}
	}
	for _, ref := range refs {
		if known[ref].Causality != fmi.Input {
			i.initialized = false
		}
	}
	return fmi.OK
}

// set copies the values of a call that may set them.
func set[T any](status fmi.Status, refs []fmi.ValueReference, to, values []T) fmi.Status {
	if status == fmi.OK {
		for k, ref := range refs {
			to[ref] = values[k]
		}
	}
	return status
}

func checkSet(s fmi.State, known []*Variable, ref fmi.ValueReference) error {
	if int64(ref) >= int64(len(known)) {
		return unknown(ref, len(known))
	}
	return known[ref].checkSettable(s)
}
