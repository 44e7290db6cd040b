package osmp

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"gosmp/fmu"
	"gosmp/internal/state"
)

// Presence says what an input holds.
type Presence uint8

const (
	// NoData means that base or size is 0.
	NoData Presence = iota
	// Data means bytes that may be read until the step ends.
	Data
	// Expired means an address that was set for an earlier step. OSMP lets the host reuse its buffer once fmi2DoStep has returned,
	// so that reading it could take the host down; it counts as no data.
	Expired
	// Contradiction means a size without an address, a negative size, or an address that this platform does not have. It counts as
	// no data, but the host cannot have meant that.
	Contradiction
)

// Input is a binary variable that the host sets, read in place and only within the lifetime that OSMP guarantees.
type Input struct {
	triple Triple
	values *fmu.Values
	memory fmu.Memory
	set    bool     // the host has set the variable since it was read last
	lent   bool     // ... and its buffer is still there
	held   []byte   // bytes of our own: a configuration, or an input that came back with a restored state
	holds  Presence // what is held: Data, Contradiction, or NoData for nothing; Expired of a configuration that could not be read
	saved  []byte   // what was copied for the newest state, for its capacity
}

// NewInput makes the reader of the input t of an instance.
func NewInput(h fmu.Host, t Triple) *Input {
	in := &Input{triple: t, values: h.Values, memory: h.Memory}
	t.watch(h.Values, in)
	return in
}

// VariableSet implements fmu.Watcher.
func (in *Input) VariableSet() { in.set, in.lent = true, true }

// MemoryReleased implements fmu.Watcher: the host may reuse its buffer from here on.
func (in *Input) MemoryReleased() { in.lent = false }

// done notes that what the host has set was read.
func (in *Input) done() {
	in.set, in.lent = false, false
}

// Take gives the bytes for the current step, to be called once in every step; they must not be kept beyond it.
func (in *Input) Take() ([]byte, Presence) {
	data, presence := in.kept()
	if in.lent {
		data, presence = in.view()
	}
	in.done()
	in.holds = NoData
	return data, presence
}

// Capture copies the bytes that were set last, so that they outlive the host's buffer: what a configuration needs. Without a new
// Set call the copy stays as it is.
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

// Pending says whether the host has set the variable since it was read last.
func (in *Input) Pending() bool { return in.set }

// kept is what there is when the host has set nothing for the step.
func (in *Input) kept() ([]byte, Presence) {
	if in.holds != NoData {
		return in.held, in.holds
	}
	if address, size := in.triple.read(in.values); address != 0 && size > 0 {
		return nil, Expired
	}
	return nil, NoData
}

// locate says where the host's bytes are. Any zero means that there are none (OSMP 0.3.0); on a 32-bit platform an address above 4 GiB
// cannot exist.
func (in *Input) locate() (address uint64, size int, presence Presence) {
	address, n := in.triple.read(in.values)
	switch {
	case n < 0 || address == 0 && n != 0 || strconv.IntSize == 32 && address>>32 != 0:
		return 0, 0, Contradiction
	case n == 0:
		return 0, 0, NoData
	}
	return address, int(n), Data
}

// view looks at the host's memory.
func (in *Input) view() ([]byte, Presence) {
	address, size, presence := in.locate()
	if presence != Data {
		return nil, presence
	}
	return in.memory.View(address, size), Data
}

// copied copies the host's memory to a buffer. Outside a step the host may be in the middle of setting the three integers one by one,
// when they lead anywhere: what cannot be read has expired.
func (in *Input) copied(buffer []byte) ([]byte, Presence) {
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
	address, size := in.triple.read(in.values)
	return &Error{Kind: ErrContradiction, Found: fmt.Sprintf("address %#x, size %d", address, size)}
}

// Reset forgets what was set.
func (in *Input) Reset() {
	in.done()
	in.holds = NoData
}

// AppendState appends the bytes that the next step would see, copied: the host's buffer will be gone when they are restored.
func (in *Input) AppendState(b []byte) []byte {
	data, presence := in.kept()
	if in.lent {
		in.saved, presence = in.copied(in.saved)
		data = in.saved
	}
	return state.AppendBytes(append(b, byte(presence)), data)
}

// RestoreState takes the bytes back; they are then served from our own memory until the host sets the input anew.
func (in *Input) RestoreState(d *state.Decoder) {
	presence, data := Presence(d.Byte()), d.Bytes()
	in.Reset()
	in.held, in.holds = bytes.Clone(data), presence
	if presence == Expired { // the integers tell it again
		in.holds = NoData
	}
}
