package objects

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"gosmp/timebase"
)

// stateMagic starts every state; its last digit is the version of the layout.
const stateMagic = "objects1"

// Layout, little-endian: magic, cycle, next tracking id; for each kind the number of tracks and the tracks in order of
// object ids (object id, tracking id, begin, cycle last seen); CRC-32 (IEEE) of all that.
const (
	stateHead = len(stateMagic) + 2*8
	trackSize = 4 * 8
	crcSize   = 4
)

// AppendState appends what the detector knows from the views before: about 32 bytes per tracked object. Results of the
// newest view are not part of it.
func (d *Detector) AppendState(b []byte) []byte {
	le := binary.LittleEndian
	start := len(b)
	b = append(b, stateMagic...)
	b = le.AppendUint64(b, d.memory.cycle)
	b = le.AppendUint64(b, d.memory.next)
	for k := range d.memory.tracks {
		live := d.memory.tracks[k].sorted(d.memory.cycle)
		b = le.AppendUint64(b, uint64(len(live)))
		for _, t := range live {
			b = le.AppendUint64(b, t.id)
			b = le.AppendUint64(b, t.number)
			b = le.AppendUint64(b, uint64(t.since))
			b = le.AppendUint64(b, t.seen)
		}
	}
	return le.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}

// sorted are the tracks that are not expired, in order of object ids, so that equal detectors have equal states.
func (t *tracks) sorted(cycle uint64) []*track {
	var live []*track // pointers are sorted by code that is in the program anyway
	for i := range t.slots {
		if k := &t.slots[i]; k.number != 0 && !t.expired(k, cycle) {
			live = append(live, k)
		}
	}
	slices.SortStableFunc(live, func(a, b *track) int { return cmp.Compare(a.id, b.id) })
	return live
}

// RestoreState goes on where the detector was that the state was taken from, provided that both have the same
// configuration: equal views then give equal bytes. Results of a view are dropped. For anything but a state it returns
// an error with cause [ErrState] and changes nothing.
func (d *Detector) RestoreState(b []byte) error {
	refuse := func(found, want string) error {
		return &Error{Where: "state", Err: ErrState, Found: found, Want: want,
			Hint: "restore the bytes that AppendState of the same version has appended"}
	}
	if len(b) < stateHead+crcSize || string(b[:len(stateMagic)]) != stateMagic {
		begin := b[:min(len(b), len(stateMagic))]
		return refuse(fmt.Sprintf("%d bytes that begin with %q", len(b), begin), fmt.Sprintf("%q", stateMagic))
	}
	le := binary.LittleEndian
	body := b[:len(b)-crcSize]
	if crc32.ChecksumIEEE(body) != le.Uint32(b[len(body):]) {
		return refuse("a wrong checksum", "an undamaged state")
	}
	cycle, next := le.Uint64(body[len(stateMagic):]), le.Uint64(body[len(stateMagic)+8:])
	rest := body[stateHead:]
	var lists [kindCount][]track
	for k := range lists {
		var ok bool
		if lists[k], rest, ok = readTracks(rest, cycle, next); !ok {
			return refuse("tracks that contradict each other", "ids in order, numbers and cycles that have been reached")
		}
	}
	if len(rest) != 0 || next == 0 {
		found := fmt.Sprintf("%d bytes behind the tracks, next tracking id %d", len(rest), next)
		return refuse(found, "none, and an id above 0")
	}
	d.Reset()
	d.memory.cycle, d.memory.next = cycle, next
	for k := range lists {
		d.memory.tracks[k].restore(lists[k], cycle)
	}
	return nil
}

// readTracks reads the tracks of one kind and checks what they must fulfil.
func readTracks(b []byte, cycle, next uint64) (list []track, rest []byte, ok bool) {
	le := binary.LittleEndian
	if len(b) < 8 || le.Uint64(b) > uint64(len(b)-8)/trackSize {
		return nil, nil, false
	}
	n := int(le.Uint64(b))
	b = b[8:]
	for i := range n {
		t := track{le.Uint64(b), le.Uint64(b[8:]), timebase.Time(le.Uint64(b[16:])), le.Uint64(b[24:])}
		if t.number == 0 || t.number >= next || t.seen > cycle || i > 0 && list[i-1].id >= t.id {
			return nil, nil, false
		}
		list = append(list, t)
		b = b[trackSize:]
	}
	return list, b, true
}

// restore fills an empty table.
func (t *tracks) restore(list []track, cycle uint64) {
	for _, k := range list {
		t.room(cycle)
		*t.find(k.id) = k
		t.used++
	}
}
