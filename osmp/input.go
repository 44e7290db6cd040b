package osmp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"gosmp/fmu"
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
	used   uint64   // number of the Set call whose bytes have been used up
	held   []byte   // bytes of our own: a configuration, or an input that came back with a restored state
	holds  Presence // what is held: Data, Contradiction, or NoData for nothing
}

// NewInput makes the reader of the input t of an instance.
func NewInput(h fmu.Host, t Triple) *Input {
	return &Input{triple: t, values: h.Values, memory: h.Memory}
}

// Take gives the bytes for the current step, to be called once in every step; they must not be kept beyond it.
func (in *Input) Take() ([]byte, Presence) {
	data, presence := in.peek()
	in.used, in.holds = in.triple.setBy(in.values), NoData
	return data, presence
}

// Capture copies the bytes that were set last, so that they outlive the host's buffer: what a configuration needs. Without a new
// Set call the copy stays as it is.
func (in *Input) Capture() ([]byte, Presence) {
	if in.Pending() {
		data, presence := in.view()
		in.held, in.holds, in.used = append(in.held[:0], data...), presence, in.triple.setBy(in.values)
	}
	if in.holds != Data {
		return nil, NoData
	}
	return in.held, Data
}

// Pending says whether the host has set the variable since it was read last.
func (in *Input) Pending() bool { return in.triple.setBy(in.values) > in.used }

// peek is what Take would give.
func (in *Input) peek() ([]byte, Presence) {
	switch {
	case in.triple.setBy(in.values) > max(in.used, in.values.SpentSets()):
		return in.view()
	case in.holds != NoData:
		return in.held, in.holds
	}
	if address, size := in.triple.read(in.values); address != 0 && size > 0 {
		return nil, Expired
	}
	return nil, NoData
}

// view looks at the host's memory. Any zero means that there is none (OSMP 0.3.0); on a 32-bit platform an address above 4 GiB
// cannot exist.
func (in *Input) view() ([]byte, Presence) {
	address, size := in.triple.read(in.values)
	switch {
	case size < 0 || address == 0 && size != 0 || strconv.IntSize == 32 && address>>32 != 0:
		return nil, Contradiction
	case size == 0:
		return nil, NoData
	}
	return in.memory.View(address, int(size)), Data
}

// ErrContradiction is what [Input.Contradiction] wraps.
var ErrContradiction = errors.New("address and size contradict each other")

// Contradiction describes the values that made Take answer [Contradiction].
func (in *Input) Contradiction() error {
	address, size := in.triple.read(in.values)
	return fmt.Errorf("%w: address %#x, size %d", ErrContradiction, address, size)
}

// Reset forgets what was set.
func (in *Input) Reset() {
	in.used, in.holds = in.triple.setBy(in.values), NoData
}

// AppendState appends the bytes that the next step would see, copied: the host's buffer will be gone when they are restored.
func (in *Input) AppendState(b []byte) []byte {
	data, presence := in.peek()
	b = append(b, byte(presence))
	return fmu.AppendBytes(b, data)
}

// RestoreState takes the bytes back; they are then served from our own memory until the host sets the input anew.
func (in *Input) RestoreState(d *fmu.Decoder) {
	presence, data := Presence(d.Byte()), d.Bytes()
	in.Reset()
	in.held, in.holds = bytes.Clone(data), presence
	if presence == Expired { // the integers tell it again
		in.holds = NoData
	}
}
