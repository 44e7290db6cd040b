package activity

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/state"
)

// A saved state begins with the magic number, the fingerprint of the program, and whether there was
// a clock.
const (
	stateMagic = "timebase state 2"
	stateHead  = len(stateMagic) + 8 + 1
)

// StateHook saves and restores the state that a module keeps outside channels, see
// [Module.KeepState].
type StateHook interface {
	// AppendState adds the module's state to dst.
	AppendState(dst []byte) ([]byte, error)
	// RestoreState restores a state; src holds exactly the bytes added by AppendState and must not
	// be retained. If it fails, or if restoring anything else fails, the node calls it again with
	// the previous state.
	RestoreState(src []byte) error
}

// KeepState makes the module's own state part of the node's: h is called by [Node.AppendState] and
// [Node.RestoreState], in the order of the modules' names and after all parts of the node. A module
// has one hook.
func (m *Module) KeepState(h StateHook) {
	where := fmt.Sprintf("state of module %q", m.name)
	if m.build(where) != nil {
		return
	}
	if h == nil || m.hook != nil {
		m.node.mistake(fault.New(ErrSpec, fault.At(where), "no hook, or a second one", "one hook"))
		return
	}
	m.hook = h
}

// AppendState appends the state of the node to dst: the time, the data and cursors of all channels,
// alarms and their requests, the spans that triggers hold back, switched-on activities, scheduled
// work, and the state that modules save themselves (see [Module.KeepState]). If dst is large
// enough, only codecs and hooks allocate. Data that callbacks keep elsewhere is not saved.
//
// It returns [ErrRunning] inside a callback, [ErrCodec] when a channel holds data that cannot be
// encoded, [ErrName] when two readers cannot be distinguished (see [ReaderSpec].Name), and the
// error of a hook.
func (n *Node) AppendState(dst []byte) ([]byte, error) {
	if err := n.rest("saving"); err != nil {
		return dst, err
	}
	start := len(dst)
	e := &encoder{buf: append(dst, stateMagic...)}
	e.uint(n.print)
	e.bool(n.clocked)
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
		if a.guard != nil {
			n.saveTree(a.guard.on, e)
		}
		a.save(e)
	}
	n.saveItems(e)
	n.saveRetired(e)
	for _, m := range n.hooked {
		if err := e.bytes(m.hook.AppendState); err != nil {
			return dst, m.hookError(err)
		}
	}
	return state.Seal(e.buf, start), nil
}

func (m *Module) hookError(err error) error {
	return fault.Wrap(ErrSnapshot, fault.At(fmt.Sprintf("state of module %q", m.name)), err)
}

// RestoreState restores a state that AppendState saved on this node or on another one built by the
// same program, regardless of the order in which its parts were created; the objects opened and
// closed during the run must also be the same. It returns [ErrSnapshot], and changes nothing, if
// the state is damaged or belongs to another program, if only one of the two nodes had a clock, or
// if a hook rejects it; otherwise it returns the same errors as AppendState. A wall clock continues
// from the time of the state.
func (n *Node) RestoreState(saved []byte) error {
	if err := n.rest("restoring"); err != nil {
		return err
	}
	d, err := state.Open(stateMagic, saved)
	if err != nil {
		return fault.Wrap(ErrSnapshot, fault.At("saved state"), err).
			WithHint("nothing has been changed")
	}
	if other := d.Uint64(); other != n.print {
		return fault.New(ErrSnapshot, fault.At("saved state"),
			fmt.Sprintf("the state of program %016x", other),
			fmt.Sprintf("program %016x: the same channels, alarms, triggers and activities",
				n.print))
	}
	if d.Bool() != n.clocked {
		return fault.New(ErrSnapshot, fault.At("saved state"),
			"only one with a clock among the saved node and this one", "both or none").
			WithHint("make the clock before you save or restore")
	}
	// Bytes with a correct checksum can still be inconsistent, which shows only while they are
	// restored.
	n.undo, err = n.AppendState(n.undo[:0])
	if err != nil {
		return err
	}
	if err := n.loadState(d.Data); err != nil {
		return errors.Join(err, n.loadState(n.undo[stateHead:len(n.undo)-4]))
	}
	if n.restored != nil {
		n.restored()
	}
	return nil
}

func (n *Node) loadState(body []byte) error {
	d := &decoder{Decoder: state.Decoder{Data: body}}
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
		if a.guard != nil {
			n.loadTree(a.guard.on, d)
		}
		a.load(d)
	}
	n.findDeadline()
	n.loadItems(d)
	n.loadRetired(d)
	hooked := make([][]byte, len(n.hooked))
	for i := range hooked {
		hooked[i] = d.bytes()
	}
	if err := d.failure(); err != nil {
		return err
	}
	for i, m := range n.hooked {
		if err := m.hook.RestoreState(hooked[i]); err != nil {
			return m.hookError(err)
		}
	}
	return nil
}

// rest returns an error if the state of the node cannot be saved or replaced now, and computes the
// fingerprint of the program.
func (n *Node) rest(doing string) error {
	if n.running {
		return fault.New(ErrRunning, fault.At("node"), doing+" a state inside a callback",
			"between two advances")
	}
	if len(n.mistakes) > 0 {
		return n.Err()
	}
	if n.changed {
		n.seal()
	}
	if n.print == 0 {
		return n.identify()
	}
	return nil
}

// identify computes the fingerprint of the program, which covers everything that a state refers to
// by index, once for each seal.
func (n *Node) identify() error {
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
		if err := c.ambiguous(); err != nil {
			return err
		}
		add("channel", c.name, c.typeName)
		for _, e := range c.entries {
			add(e.String(), e.kind.String())
		}
		for _, e := range c.gone {
			add("gone", e.String(), e.kind.String())
		}
		for _, r := range c.readers {
			add(r.identity(), r.usage())
		}
		for _, w := range c.watchers {
			add(w.String())
		}
	}
	for _, a := range n.acts {
		add(a.String(), shape(a.trigger), strconv.FormatBool(a.guard != nil))
		if a.guard != nil {
			add(shape(a.guard.on))
		}
	}
	n.hooked = n.hooked[:0]
	for _, m := range n.modules {
		if m.hook != nil {
			n.hooked = append(n.hooked, m)
		}
	}
	slices.SortFunc(n.hooked, func(a, b *Module) int { return strings.Compare(a.name, b.name) })
	for _, m := range n.hooked {
		add("hook", m.name)
	}
	n.print = h | 1 // 0 means that it is unknown
	return nil
}

// shape describes a trigger without the parts that may change while it runs.
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

// saveTree saves the spans that the combinations of a trigger hold back, each combination once;
// alarms and readers are saved elsewhere.
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

// saveRetired saves the traces of closed objects, in the order of names.
func (n *Node) saveRetired(e *encoder) {
	e.int(len(n.retired))
	for _, name := range slices.Sorted(maps.Keys(n.retired)) {
		l := n.retired[name]
		e.text(l.Name)
		e.uint(l.Count)
		e.uint(l.Hash)
	}
}

func (n *Node) loadRetired(d *decoder) {
	n.retired = map[string]*TraceLine{}
	for range d.count(24) {
		l := &TraceLine{Name: d.String(), Count: d.uint(), Hash: d.uint()}
		n.retired[l.Name] = l
	}
}

// saveItems saves the to-do lists as one, in the order in which the items run.
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
