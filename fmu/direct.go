package fmu

import "gosmp/fmi"

// room is a block of memory and its address.
type room struct {
	bytes   []byte
	address uint64
}

// DirectBinaries reports whether the environment may, until the next call, access values itself
// because a call would only copy them: it may read Binary variables where BinaryAt says, and set
// inputs without a maximum size. It must pass the inputs that it has set to AdoptBinary before the
// next call.
func (i *Instance) DirectBinaries() bool { return i.state == fmi.StepComplete }

// BinaryAt returns the value of a Binary variable, and its address if the model has published it or
// the environment has put it there.
func (i *Instance) BinaryAt(at Index) (data []byte, address uint64) {
	return i.values.Binaries[at], i.values.lent[at] | i.values.adopted[at]
}

// RoomFor returns the memory, and its address, in which the model would like to find the next value
// of an input, so that it need not copy the value once more. It is empty if the model has no
// preference. A value that does not fit must be stored elsewhere.
func (i *Instance) RoomFor(at Index) (bytes []byte, address uint64) {
	r := &i.values.rooms[at]
	return r.bytes, r.address
}

// AdoptBinary makes data the value of an input without copying it. The bytes lie at an address
// outside Go's memory: at the beginning of the room for the value, or in memory of the environment.
// The latter must not change until the value is set again or the instance is freed.
func (i *Instance) AdoptBinary(ref fmi.ValueReference, data []byte, address uint64) {
	known := i.definition.Variables.All()
	at := known[ref].Index
	i.values.Binaries[at], i.values.adopted[at] = data[:len(data):len(data)], address
	i.values.notify(fmi.Binary, known, []fmi.ValueReference{ref})
}

// Offer makes bytes, which lie at an address in the [Memory] of the host, the room for the next
// value of an input: the environment may overwrite them between two calls. Without bytes there is
// no room.
func (v *Values) Offer(at Index, bytes []byte, address uint64) {
	v.rooms[at] = room{bytes, address}
}

// Adopted returns the address of the value of an input if the environment has put it there, and 0
// otherwise.
func (v *Values) Adopted(at Index) uint64 { return v.adopted[at] }
