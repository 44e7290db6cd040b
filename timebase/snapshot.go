package timebase

import (
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
)

// A saved state begins with the magic and the fingerprint of the program, and ends with a checksum.
const (
	stateMagic    = "timebase state 1"
	stateOverhead = len(stateMagic) + 8 + 4
)

// AppendState adds the state of the node to dst, as bytes: the time, the data and cursors of all channels, alarms and their
// requests, what triggers hold back, what is switched on and what is scheduled. With dst large enough it allocates only what
// the codecs do. What callbacks keep elsewhere is theirs to save.
//
// It fails with [ErrRunning] inside a callback, and with [ErrCodec] when a channel holds data without a byte form.
func (n *Node) AppendState(dst []byte) ([]byte, error) {
	if err := n.rest("saving"); err != nil {
		return dst, err
	}
	start := len(dst)
	e := &encoder{buf: append(dst, stateMagic...)}
	e.uint(n.fingerprint())
	e.time(n.now)
	for _, a := range n.alarms {
		a.self.save(e)
	}
	for _, c := range n.channels {
		if err := c.save(e); err != nil {
			return dst, err
		}
	}
	n.tours++
	for _, a := range n.acts {
		n.saveTree(a.trigger, e)
		a.save(e)
	}
	n.saveItems(e)
	return appendUint32(e.buf, crc32.ChecksumIEEE(e.buf[start:])), nil
}

// RestoreState brings back a state that AppendState has made on this node, or on another one that was built by the same
// program. It fails with [ErrSnapshot], and changes nothing, when state is damaged or of another program, and with
// [ErrRunning] inside a callback.
func (n *Node) RestoreState(state []byte) error {
	if err := n.rest("restoring"); err != nil {
		return err
	}
	body, err := n.checkState(state)
	if err != nil {
		return err
	}
	// Bytes with a good checksum can still be wrong in themselves; that shows on the way only.
	n.undo, err = n.AppendState(n.undo[:0])
	if err != nil {
		return err
	}
	if err := n.loadState(body); err != nil {
		return errors.Join(err, n.loadState(n.undo[stateOverhead-4:len(n.undo)-4]))
	}
	return nil
}

// checkState is the part of state after the fingerprint and before the checksum.
func (n *Node) checkState(state []byte) ([]byte, error) {
	bad := func(found, want string) error {
		return fault("saved state", ErrSnapshot, found, want)
	}
	if len(state) < stateOverhead || string(state[:len(stateMagic)]) != stateMagic {
		return nil, bad(fmt.Sprintf("%d bytes that begin %.16q", len(state), state), fmt.Sprintf("bytes that begin %q", stateMagic))
	}
	body, sum := state[:len(state)-4], crc32.ChecksumIEEE(state[:len(state)-4])
	if stored := (&decoder{buf: state[len(state)-4:]}).uint32(); stored != sum {
		return nil, bad(fmt.Sprintf("checksum %08x", sum), fmt.Sprintf("%08x: the bytes are damaged", stored))
	}
	d := &decoder{buf: body[len(stateMagic):]}
	if other := d.uint(); other != n.fingerprint() {
		return nil, bad(fmt.Sprintf("the state of program %016x", other),
			fmt.Sprintf("program %016x: the same channels, alarms, triggers and activities", n.fingerprint()))
	}
	return d.buf, nil
}

func (n *Node) loadState(body []byte) error {
	d := &decoder{buf: body}
	n.now = d.time()
	for _, a := range n.alarms {
		a.self.load(d)
	}
	n.queue = n.queue[:0]
	for _, a := range n.alarms {
		d.check(a.due >= n.now, "an alarm that is due in the past")
		n.queue.add(a)
	}
	n.joined, n.guards = n.joined[:0], n.guards[:0]
	for _, c := range n.channels {
		c.restore(d)
	}
	n.tours++
	for _, a := range n.acts {
		n.loadTree(a.trigger, d)
		a.load(d)
	}
	n.loadItems(d)
	d.check(len(d.buf) == 0, "bytes left over")
	return d.failure()
}

// rest says whether the node is in a state that can be saved or replaced.
func (n *Node) rest(doing string) error {
	if n.running {
		return fault("node", ErrRunning, doing+" a state inside a callback", "between two advances")
	}
	if len(n.mistakes) > 0 {
		return n.Err()
	}
	if n.changed {
		n.seal()
	}
	return nil
}

// fingerprint identifies the program: everything that a state refers to by its place. It is found once for each seal.
func (n *Node) fingerprint() uint64 {
	if n.print != 0 {
		return n.print
	}
	h := newHash()
	add := func(parts ...string) {
		for _, p := range parts {
			h = mixBytes(h, []byte(p))
		}
	}
	for _, a := range n.alarms {
		add(fmt.Sprintf("%T", a.self), a.name)
	}
	for _, c := range n.channels {
		add("channel", c.name, c.typeName)
		for _, e := range c.entries {
			add(e.String(), e.kind.String())
		}
		for _, r := range c.readers {
			add(r.String(), r.spec.Mode.String())
		}
	}
	for _, a := range n.acts {
		add(a.String(), shape(a.trigger), strconv.FormatBool(a.guard != nil))
	}
	n.print = h
	return h
}

// shape is a trigger without what may change while it runs.
func shape(t part) string {
	parts := t.trigger().inputs
	if len(parts) == 0 {
		if a, ok := t.(alarm); ok {
			return a.core().name
		}
		return t.String()
	}
	text := fmt.Sprintf("%T(", t)
	for _, p := range parts {
		text += shape(p) + ","
	}
	return text + ")"
}

// saveTree saves what the combinations of a trigger hold back, each once; alarms and readers are saved elsewhere.
func (n *Node) saveTree(t part, e *encoder) {
	if len(t.trigger().inputs) == 0 || t.trigger().tour == n.tours {
		return
	}
	t.trigger().tour = n.tours
	for _, in := range t.trigger().inputs {
		n.saveTree(in, e)
	}
	t.save(e)
}

func (n *Node) loadTree(t part, d *decoder) {
	if len(t.trigger().inputs) == 0 || t.trigger().tour == n.tours {
		return
	}
	t.trigger().tour = n.tours
	for _, in := range t.trigger().inputs {
		n.loadTree(in, d)
	}
	t.load(d)
}

// saveItems saves the to-do lists as one, in the order in which they are worked off.
func (n *Node) saveItems(e *encoder) {
	e.int(n.waiting)
	for i := range n.managers {
		for _, it := range n.managers[i].ordered() {
			e.int(it.act.rank)
			e.span(it.span)
			e.int(it.missed)
		}
	}
}

func (n *Node) loadItems(d *decoder) {
	for i := range n.managers {
		clear(n.managers[i].items)
		n.managers[i].items = n.managers[i].items[:0]
	}
	n.waiting = 0
	for _, a := range n.acts {
		a.behind = 0
	}
	for range d.count(32) {
		rank, s, missed := d.count(0), d.span(), d.count(0)
		if !d.check(rank < len(n.acts), "an activity that does not exist") {
			return
		}
		a := n.acts[rank]
		d.check(missed == 0 || a.guard != nil, "a safe cycle of an activity without one")
		n.managers[a.manager].push(a, s, missed)
	}
}
