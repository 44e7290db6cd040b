package osmp

import (
	"fmt"
	"math"

	"gosmp/fmu"
	"gosmp/internal/fault"
	"gosmp/internal/state"
)

// smallestBlock avoids repeated growth during the first steps.
const smallestBlock = 4096

// block is memory that has been published.
type block struct {
	bytes   []byte
	address uint64
	used    uint64 // number of the newest message in it
}

// Output is a double-buffered binary output. Two blocks take turns: the next message is written
// into the one that is not live, so that the live one stays untouched until the beginning of the
// second step after the step that published it; in an FMU for FMI 3.0 that uses Enclose, the live
// block stays untouched until the input is set after the next step. A block that has become too
// small is replaced by one at least twice as large and kept: a restored state brings its bytes back
// at the address that the host knows.
type Output struct {
	place  Place
	values *fmu.Values
	memory fmu.Memory
	sides  [2]side
	live   int // index of the most recently published side
	blocks []block
	number uint64 // of the newest message
	waits  byte   // what Settle does
	draft  []byte // for a message that cannot be built in the spare block
	begin  int    // where the message that is being built begins in the spare block

	guest *Input // an input that messages contain, see Enclose; nil if there is none
	lead  int    // where it lies in a block
}

// The kinds of change that can wait for Settle.
const (
	nothingWaits = iota
	clearWaits
	messageWaits
	waitings
)

// side is one half of the double buffer.
type side struct {
	block
	start, size int // of the message in the block
}

func (s *side) message() []byte { return s.bytes[s.start : s.start+s.size] }

// at returns the address of the message.
func (s *side) at() uint64 { return s.address + uint64(s.start) }

// NewOutput creates an instance's output p. It allocates no memory before the first message.
func NewOutput(h fmu.Host, p Place) *Output {
	return &Output{place: p, values: h.Values, memory: h.Memory}
}

// Buffer returns a buffer for the next message: empty, with the capacity of the spare block. Append
// to it and pass the result to Publish. A message that outgrows it is copied into a larger block.
// While a message waits for Settle in that block, or an input lies there, the buffer is a separate
// one, from which Prepare and Publish copy.
func (o *Output) Buffer() []byte {
	o.begin = 0
	spare := o.sides[1-o.live].block
	if o.waits != messageWaits && !o.occupied(spare) {
		return spare.bytes[:0]
	}
	if cap(o.draft) < len(spare.bytes) {
		o.draft = make([]byte, 0, len(spare.bytes))
	}
	return o.draft
}

// Publish makes message the current value. An empty message means "no data", as with Clear. After
// an error the output holds no data.
func (o *Output) Publish(message []byte) error {
	if len(message) == 0 {
		o.Clear()
		return nil
	}
	o.number++
	if err := o.put(1-o.live, message); err != nil {
		o.Clear()
		return err
	}
	o.live = 1 - o.live
	o.announce()
	return nil
}

// Prepare is like Publish, but the host sees no change before Settle. A message that has not been
// settled yet is replaced.
func (o *Output) Prepare(message []byte) error {
	o.waits = clearWaits
	if len(message) == 0 {
		return nil
	}
	o.number++
	err := o.put(1-o.live, message)
	if err == nil {
		o.waits = messageWaits
	}
	o.offer()
	return err
}

// Settle publishes the prepared message, if there is one.
func (o *Output) Settle() {
	switch o.waits {
	case clearWaits:
		o.Clear()
	case messageWaits:
		o.live = 1 - o.live
		o.announce()
	}
	o.waits = nothingWaits
}

// Unsettled reports whether Settle would change something.
func (o *Output) Unsettled() bool { return o.waits != nothingWaits }

// Clear publishes "no data". The buffers do not alternate: the host may still read the live one.
func (o *Output) Clear() {
	o.waits = nothingWaits
	o.place.publish(o.values, nil, 0)
	o.offer()
}

// Message returns the newest message, prepared or published, or nil if there is none.
func (o *Output) Message() []byte {
	switch s := &o.sides[1-o.live]; o.waits {
	case messageWaits:
		return s.message()
	case clearWaits:
		return nil
	}
	if _, size := o.place.read(o.values); size == 0 {
		return nil
	}
	return o.sides[o.live].message()
}

// announce publishes the live side.
func (o *Output) announce() {
	s := &o.sides[o.live]
	o.place.publish(o.values, s.message(), s.at())
	o.offer()
}

// put stores message in one side and grows it if necessary.
func (o *Output) put(n int, message []byte) error {
	if len(message) > math.MaxInt32 {
		return fault.New(ErrTooLarge, fault.Place{}, fmt.Sprintf("%d bytes", len(message)),
			fmt.Sprintf("at most %d, the maximum of the size variable", math.MaxInt32))
	}
	s := &o.sides[n]
	if o.builtIn(s.block, message) {
		s.start, s.size = o.begin, len(message)
		o.mark(s.address)
		return nil
	}
	if len(s.bytes)-o.lead < len(message) || o.occupied(s.block) {
		b, err := o.bigger(min(len(message), math.MaxInt32-o.lead)+o.lead, len(s.bytes))
		if err != nil {
			return err
		}
		s.block = b
	}
	o.mark(s.address)
	s.start, s.size = 0, copy(s.bytes, message)
	return nil
}

// builtIn reports whether a message has been built in a block, see Buffer and Enclose.
func (o *Output) builtIn(b block, message []byte) bool {
	return len(message) > 0 && o.begin+len(message) <= len(b.bytes) &&
		&message[0] == &b.bytes[o.begin]
}

// bigger finds a block of at least size bytes to replace one that has become too small.
func (o *Output) bigger(size, tooSmall int) (block, error) {
	for _, b := range o.blocks {
		if len(b.bytes) >= size && o.idle(b) {
			return b, nil
		}
	}
	return o.allocate(max(size, min(2*tooSmall, math.MaxInt32), smallestBlock))
}

// idle reports whether b is unused: it is not part of the double buffer, which a restored state may
// have returned to earlier blocks, the host can no longer be reading it, and it contains no input.
func (o *Output) idle(b block) bool {
	return b.address != o.sides[0].address && b.address != o.sides[1].address &&
		o.number >= b.used+2 && !o.occupied(b)
}

// mark records that the block at address holds the newest message.
func (o *Output) mark(address uint64) {
	for n := range o.blocks {
		if o.blocks[n].address == address {
			o.blocks[n].used = o.number
		}
	}
}

func (o *Output) allocate(n int) (block, error) {
	bytes, address, err := o.memory.Allocate(n)
	if err != nil {
		return block{}, fmt.Errorf("buffer for a message: %w", err)
	}
	b := block{bytes: bytes, address: address}
	o.blocks = append(o.blocks, b)
	return b, nil
}

// Close frees all memory.
func (o *Output) Close() {
	o.Clear()
	for _, b := range o.blocks {
		o.memory.Free(b.address)
	}
	o.blocks, o.sides, o.draft = nil, [2]side{}, nil
	o.offer()
}

// The possible values of the variable.
const (
	saysNothing = iota
	saysLive    // address of the live side
	// set by the host, which FMI allows before the first step for outputs with a start value.
	saysHosts
	sayings
)

// says compares the value with the live side.
func (o *Output) says() byte {
	address, size := o.place.read(o.values)
	switch s := &o.sides[o.live]; {
	case address == 0 && size == 0:
		return saysNothing
	case address == s.at() && int(size) == s.size:
		return saysLive
	}
	return saysHosts
}

// AppendState appends both buffers and records which one is live.
func (o *Output) AppendState(b []byte) []byte {
	b = append(b, byte(o.live), o.says(), o.waits)
	for n := range o.sides {
		s := &o.sides[n]
		b = state.AppendUint64(b, s.at())
		if n != o.live && o.waits != messageWaits && o.occupied(s.block) {
			b = state.AppendBytes(b, nil) // the input has overwritten the message
			continue
		}
		b = state.AppendBytes(b, s.message())
	}
	return b
}

// RestoreState restores both buffers: at their original addresses if this output published those
// addresses, otherwise in memory of its own.
func (o *Output) RestoreState(d *state.Decoder) error {
	address, size := o.place.read(o.values)
	hosts := o.place.data(o.values)
	o.Clear() // the restored values hold addresses of the instance that was saved
	live, says, waits := int(d.Byte()), d.Byte(), d.Byte()
	var addresses [2]uint64
	var messages [2][]byte
	for n := range o.sides {
		addresses[n], messages[n] = d.Uint64(), d.Bytes()
	}
	if err := d.Err(); err != nil {
		return err
	}
	if live > 1 || says >= sayings || waits >= waitings {
		return fault.New(state.ErrState, fault.At("double buffer"),
			fmt.Sprintf("side %d, form %d and part %d", live, says, waits),
			fmt.Sprintf("at most 1, %d and %d", sayings-1, waitings-1))
	}
	o.arrange(addresses)
	for n, message := range messages {
		if err := o.putBack(n, message, addresses[n]); err != nil {
			return err
		}
	}
	o.live, o.waits = live, waits
	o.offer()
	switch says {
	case saysLive:
		o.announce()
	case saysHosts:
		o.place.restore(o.values, hosts, address, size)
	}
	return nil
}

// arrange gives each side the block that was published at its address. A side whose block is
// unknown keeps its own, unless the other side has just claimed it.
func (o *Output) arrange(addresses [2]uint64) {
	var wanted [2]block
	for n, address := range addresses {
		wanted[n] = o.find(address)
	}
	if wanted[0].address == wanted[1].address { // addresses of another instance
		wanted[1] = block{}
	}
	for n := range o.sides {
		switch {
		case wanted[n].bytes != nil:
			o.sides[n].block = wanted[n]
		case o.sides[n].address == wanted[1-n].address:
			o.sides[n].block = block{}
		}
	}
}

// putBack stores a restored message where it was published, if there is room for it.
func (o *Output) putBack(n int, message []byte, address uint64) error {
	s := &o.sides[n]
	if s.holds(address) && uint64(len(s.bytes))-(address-s.address) >= uint64(len(message)) {
		s.start = int(address - s.address)
		s.size = copy(s.bytes[s.start:], message)
		o.mark(s.address)
		return nil
	}
	return o.put(n, message)
}

// find returns the block that contains an address.
func (o *Output) find(address uint64) block {
	for _, b := range o.blocks {
		if b.holds(address) {
			return b
		}
	}
	return block{}
}

// holds reports whether an address lies in the block.
func (b *block) holds(address uint64) bool {
	return address >= b.address && address-b.address < uint64(len(b.bytes))
}
