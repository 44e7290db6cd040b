package objects

import (
	"cmp"
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// stateMagic starts every state; its last digit is the version of the layout.
const stateMagic = "objects2"

// trackSize is the size of a track in a state: object id, tracking id, start, step last seen,
// moved.
const trackSize = 4*8 + 1

// AppendState appends what the detector keeps from earlier views: about 33 bytes per tracked
// object. Results of the newest view are not part of it.
func (d *Detector) AppendState(b []byte) []byte {
	start := len(b)
	b = append(b, stateMagic...)
	b = state.AppendUint64(b, d.memory.cycle)
	b = state.AppendUint64(b, d.memory.skipped)
	b = state.AppendUint64(b, d.memory.next)
	for k := range d.memory.tracks {
		live := d.memory.tracks[k].sorted(d.memory.step())
		b = state.AppendUint64(b, uint64(len(live)))
		for _, t := range live {
			b = state.AppendUint64(b, t.id)
			b = state.AppendUint64(b, t.number)
			b = state.AppendUint64(b, uint64(t.since))
			b = state.AppendUint64(b, t.seen)
			b = state.AppendBool(b, t.moved)
		}
	}
	return state.Seal(b, start)
}

// sorted returns the tracks that are not expired, ordered by object id, so that equal detectors
// have equal states.
func (t *tracks) sorted(step uint64) []track {
	var live []track
	for i := range t.slots {
		if k := &t.slots[i]; k.number != 0 && !t.expired(k, step) {
			live = append(live, *k)
		}
	}
	slices.SortFunc(live, func(a, b track) int { return cmp.Compare(a.id, b.id) })
	return live
}

// RestoreState continues from the point at which the state was taken, provided that both detectors
// have the same configuration: equal views then give equal bytes. Results of a view are discarded.
// For any other input it returns an error of kind [ErrState] and changes nothing.
func (d *Detector) RestoreState(b []byte) error {
	in, err := state.Open(stateMagic, b)
	if err != nil {
		return err
	}
	m := memory{cycle: in.Uint64(), skipped: in.Uint64(), next: in.Uint64()}
	var lists [kindCount][]track
	for k := range lists {
		if lists[k], err = readTracks(in, m.step(), m.next); err != nil {
			return err
		}
	}
	if err := in.Done(); err != nil {
		return err
	}
	if m.next == 0 {
		return badState("0 as the next tracking id", "one above 0")
	}
	d.Reset()
	d.memory.cycle, d.memory.skipped, d.memory.next = m.cycle, m.skipped, m.next
	for k := range lists {
		d.memory.tracks[k].restore(lists[k], m.step())
	}
	return nil
}

func badState(found, expected string) error {
	return fault.New(ErrState, fault.At("state of an object detector"), found, expected).
		WithHint("restore bytes that AppendState of the same version has appended")
}

// readTracks reads and validates the tracks of one kind.
func readTracks(in *state.Decoder, step, next uint64) (list []track, err error) {
	n := in.Uint64()
	if n > uint64(len(in.Data))/trackSize {
		return nil, badState(fmt.Sprintf("%d tracks", n),
			fmt.Sprintf("as many as fit into %d bytes", len(in.Data)))
	}
	for i := range n {
		t := track{in.Uint64(), in.Uint64(), timebase.Time(in.Uint64()), in.Uint64(), in.Bool()}
		if t.number == 0 || t.number >= next || t.seen > step || i > 0 && list[i-1].id >= t.id {
			return nil, badState(fmt.Sprintf("track %d of object %d, seen in step %d", t.number,
				t.id, t.seen),
				fmt.Sprintf("objects in order, track numbers below %d, steps up to %d", next, step))
		}
		list = append(list, t)
	}
	return list, nil
}

// restore fills an empty table.
func (t *tracks) restore(list []track, step uint64) {
	for _, k := range list {
		t.room(step)
		*t.find(k.id) = k
		t.used++
	}
}
