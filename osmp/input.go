package osmp

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"gosmp/fmu"
	"gosmp/internal/fault"
	"gosmp/internal/state"
)

// Presence describes what an input holds.
type Presence uint8

const (
	// NoData means that base or size is 0.
	NoData Presence = iota
	// Data means bytes that are readable until the step ends.
	Data
	// Expired means an address that was set for an earlier step. OSMP lets the host reuse its
	// buffer once fmi2DoStep has returned, so reading it could crash the host; it counts as no
	// data.
	Expired
	// Contradiction means a size without an address, a negative size, or an address that does not
	// exist on this platform. It counts as no data, but cannot be what the host intended.
	Contradiction
)

// Input is a binary variable that the host sets. Three integers refer to memory of the host, which
// is read in place and only within the lifetime that OSMP guarantees. A Binary of FMI 3.0 was
// copied when it was set, and keeps its value like every other variable.
type Input struct {
	place  Place
	values *fmu.Values
	memory fmu.Memory
	set    bool   // the host has set the variable since it was read last
	wasSet bool   // set, before the newest Take
	lent   bool   // ... and the host's buffer is still valid
	held   []byte // a copy: a configuration, or an input from a restored state
	// state of held: Data, Contradiction, or NoData if empty; Expired for a configuration that
	// could not be read
	holds Presence
	saved []byte // buffer of the copy for the newest state, reused for its capacity
}

// NewInput creates the reader of an instance's input p.
func NewInput(h fmu.Host, p Place) *Input {
	in := &Input{place: p, values: h.Values, memory: h.Memory}
	p.watch(h.Values, in)
	return in
}

// VariableSet implements fmu.Watcher.
func (in *Input) VariableSet() { in.set, in.lent = true, !in.place.IsBinary }

// MemoryReleased implements fmu.Watcher: the host may reuse its buffer from here on.
func (in *Input) MemoryReleased() { in.lent = false }

// done records that the value set by the host was read.
func (in *Input) done() {
	in.set, in.lent = false, false
}

// Take returns the bytes for the current step. It must be called once in every step, and the bytes
// must not be kept beyond it.
func (in *Input) Take() ([]byte, Presence) {
	in.wasSet = in.set
	if in.place.IsBinary {
		in.done()
		in.holds = NoData
		return in.binary()
	}
	var data []byte
	var presence Presence
	if in.lent {
		data, presence = in.view()
	} else {
		data, presence = in.kept()
	}
	in.done()
	in.holds = NoData
	return data, presence
}

// PutBack undoes Take after a discarded step. In FMI 3.0 the instance is then in its state before
// the step; in FMI 2.0 the host's buffer is no longer valid.
func (in *Input) PutBack() { in.set = in.wasSet && in.place.IsBinary }

// binary returns the value of a Binary.
func (in *Input) binary() ([]byte, Presence) {
	data := in.place.data(in.values)
	if len(data) == 0 {
		return nil, NoData
	}
	return data, Data
}

// Capture copies the bytes that were set last, so that they outlive the host's buffer, as
// configurations must. Without a new Set call the copy does not change.
func (in *Input) Capture() ([]byte, Presence) {
	if in.Pending() {
		in.held, in.holds = in.copied(in.held)
		in.done()
	}
	if in.holds != Data {
		return nil, NoData
	}
	return in.held, Data
}

// Pending reports whether the host has set the variable since it was last read.
func (in *Input) Pending() bool { return in.set }

// kept returns the held value for a step without a Set call.
func (in *Input) kept() ([]byte, Presence) {
	if in.holds != NoData {
		return in.held, in.holds
	}
	if address, size := in.place.read(in.values); address != 0 && size > 0 {
		return nil, Expired
	}
	return nil, NoData
}

// locate returns the address and size of the host's bytes. If base or size is 0, there are no bytes
// (OSMP 0.3.0). On a 32-bit platform an address above 4 GiB cannot exist.
func (in *Input) locate() (address uint64, size int, presence Presence) {
	address, n := in.place.read(in.values)
	switch {
	case n < 0 || address == 0 && n != 0 || strconv.IntSize == 32 && address>>32 != 0:
		return 0, 0, Contradiction
	case n == 0:
		return 0, 0, NoData
	}
	return address, int(n), Data
}

// view returns the bytes in the host's memory.
func (in *Input) view() ([]byte, Presence) {
	address, size, presence := in.locate()
	if presence != Data {
		return nil, presence
	}
	return in.memory.View(address, size), Data
}

// copied copies the host's memory to a buffer. Outside a step the host may be setting the three
// integers one at a time, so that the address may be invalid: bytes that cannot be read have
// expired.
func (in *Input) copied(buffer []byte) ([]byte, Presence) {
	if in.place.IsBinary {
		data, presence := in.binary()
		return append(buffer[:0], data...), presence
	}
	address, size, presence := in.locate()
	if presence != Data {
		return buffer[:0], presence
	}
	buffer = slices.Grow(buffer[:0], size)[:size]
	if !in.memory.Copy(buffer, address) {
		return buffer[:0], Expired
	}
	return buffer, Data
}

// Contradiction describes the values that made Take return [Contradiction].
func (in *Input) Contradiction() error {
	address, size := in.place.read(in.values)
	return fault.New(ErrContradiction, fault.Place{}, fmt.Sprintf("address %#x, size %d", address,
		size), "")
}

// Reset discards the value.
func (in *Input) Reset() {
	in.done()
	in.holds = NoData
}

// AppendState appends a copy of the bytes that the next step would see: the host's buffer will no
// longer exist when they are restored.
func (in *Input) AppendState(b []byte) []byte {
	data, presence := in.kept()
	switch {
	case in.place.IsBinary && in.set:
		data, presence = in.binary()
	case in.lent:
		in.saved, presence = in.copied(in.saved)
		data = in.saved
	}
	return state.AppendBytes(append(b, byte(presence)), data)
}

// RestoreState restores the bytes. They are served from a copy until the host sets the input again.
func (in *Input) RestoreState(d *state.Decoder) {
	presence, data := Presence(d.Byte()), d.Bytes()
	in.Reset()
	in.held, in.holds = bytes.Clone(data), presence
	if presence == Expired { // this follows from the integers
		in.holds = NoData
	}
}
