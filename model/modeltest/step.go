package modeltest

import (
	"bytes"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/osmp"
)

// published is a message as it was when a step returned.
type published struct {
	name    string
	address uint64
	bytes   []byte
	age     int // steps since
}

// Start initializes the instance with start time 0.
func (r *Rig) Start() {
	r.t.Helper()
	r.must(r.TryStart(0), "initialization")
}

// TryStart initializes the instance with a start time in seconds and returns the worst status; it
// stops at a status worse than fmi2Warning.
func (r *Rig) TryStart(at float64) (worst fmi.Status) {
	r.t.Helper()
	r.now = at
	calls := []func() fmi.Status{
		func() fmi.Status { return r.instance.SetupExperiment(fmu.ExperimentSetup{Start: at}) },
		r.instance.EnterInitializationMode, r.instance.ExitInitializationMode,
	}
	if r.instance.Version() >= fmi.FMI3 {
		calls = []func() fmi.Status{
			func() fmi.Status { return r.instance.Initialize(fmu.ExperimentSetup{Start: at}) },
			r.instance.ExitInitializationMode,
		}
	}
	for _, call := range calls {
		if worst = max(worst, call()); worst > fmi.Warning {
			return worst
		}
	}
	r.takeBack(&r.fixed)
	return worst
}

// takeBack makes buffers unreadable, as a host may do at the end of their lifetime.
func (r *Rig) takeBack(addresses *[]uint64) {
	for _, address := range *addresses {
		r.memory.Protect(address)
	}
	*addresses = (*addresses)[:0]
}

// Step performs one step of h seconds, which must not fail.
func (r *Rig) Step(h float64) {
	r.t.Helper()
	r.must(r.TryStep(h), "step")
}

// TryStep performs one step of h seconds and returns its status. Buffers written for it are invalid
// afterwards.
func (r *Rig) TryStep(h float64) fmi.Status {
	r.t.Helper()
	return r.TryStepFrom(r.now, h)
}

// TryStepFrom is like TryStep, from a communication point of the caller's choice.
func (r *Rig) TryStepFrom(at, h float64) fmi.Status {
	r.t.Helper()
	s := r.instance.DoStep(at, h)
	r.takeBack(&r.given)
	if s <= fmi.Warning {
		r.now = at + h
		r.age()
	}
	r.keepPromises(s)
	return s
}

// age drops messages that the FMU may have overwritten by now.
func (r *Rig) age() {
	kept := r.promised[:0]
	for _, p := range r.promised {
		if p.age++; p.age < 2 {
			kept = append(kept, p)
		}
	}
	r.promised = kept
}

// keepPromises checks that earlier messages are unchanged, and records the messages of this step.
func (r *Rig) keepPromises(s fmi.Status) {
	r.t.Helper()
	for _, p := range r.promised {
		if now, err := r.memory.Read(p.address, len(p.bytes)); err != nil || !bytes.Equal(now,
			p.bytes) {
			r.t.Errorf(
				"%s: bytes published by a step changed before "+
					"the second step after it (%v)", p.name, err)
		}
	}
	if s > fmi.Warning {
		return
	}
	for _, v := range r.variables.All() {
		prefix, is := binaryOutput(v)
		if !is {
			continue
		}
		if address, data := r.read(prefix); data != nil {
			r.promised = append(r.promised, published{prefix, address, bytes.Clone(data), 0})
		}
	}
}

// binaryOutput returns the prefix of a notional output, from the annotation of its size variable or
// of its only variable.
func binaryOutput(v *fmu.Variable) (prefix string, is bool) {
	part, is := osmp.PartOf(v.Annotations)
	return part.Name, is && v.Causality == fmi.Output &&
		(part.Role == osmp.Size || part.Role == osmp.Full)
}

// Save returns the serialized state of the instance.
func (r *Rig) Save() []byte {
	r.t.Helper()
	s, status := r.instance.GetFMUstate(nil)
	r.must(status, "save")
	data := make([]byte, s.Size())
	r.must(r.instance.SerializeFMUstate(s, data), "serialize")
	return data
}

// Restore restores a saved state; now is the value of Now when it was saved.
func (r *Rig) Restore(state []byte, now float64) {
	r.t.Helper()
	s, status := r.instance.DeSerializeFMUstate(state)
	r.must(status, "deserialize")
	r.must(r.TryRestore(s, now), "restore")
}

// TryRestore restores a snapshot and returns the status. Previously published data may change.
func (r *Rig) TryRestore(s *fmu.Snapshot, now float64) fmi.Status {
	r.now, r.promised = now, nil
	return r.instance.SetFMUstate(s)
}

// Now returns the communication point in seconds.
func (r *Rig) Now() float64 { return r.now }

// Reset resets the instance to its state after instantiation; Start may follow. Previously
// published data may change.
func (r *Rig) Reset() {
	r.t.Helper()
	r.must(r.instance.Reset(), "reset")
	r.promised = nil
}
