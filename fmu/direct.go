package fmu

import "gosmp/fmi"

// DirectBinaries reports whether the environment may, until the next call, access values itself
// because a call would only copy them: it may read Binary variables where BinaryAt says, and set
// inputs without a maximum size. It must pass the inputs that it has set to AdoptBinary before the
// next call.
func (i *Instance) DirectBinaries() bool { return i.state == fmi.StepComplete }

// BinaryAt returns the value of a Binary variable, and its address if the model has published it.
func (i *Instance) BinaryAt(ref fmi.ValueReference) (data []byte, address uint64) {
	at := i.definition.Variables.All()[ref].Index
	return i.values.Binaries[at], i.values.lent[at]
}

// AdoptBinary makes data, in memory of the environment, the value of an input without copying it.
// The bytes must not change until the value is set again or the instance is freed.
func (i *Instance) AdoptBinary(ref fmi.ValueReference, data []byte) {
	known := i.definition.Variables.All()
	i.values.Publish(known[ref].Index, data[:len(data):len(data)], 0)
	i.values.notify(fmi.Binary, known, []fmi.ValueReference{ref})
}
