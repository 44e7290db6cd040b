package objects

import "gosmp/timebase"

// track is an object that has been detected: the number it is tracked by, since when, and the newest step with a
// detection. The zero value is a free slot; numbers start at 1.
type track struct {
	id, number uint64
	since      timebase.Time
	seen       uint64
	moved      bool // since it began
}

// tracks finds tracks by the id of the object: an open hash table that is at most half full. A track is expired when it
// has not been seen for more than forget steps; that is decided by what it holds, so that what has been swept out, and
// when, does not show.
type tracks struct {
	slots, spare []track
	used         int
	forget       uint64
}

const firstSlots = 64

func (t *tracks) expired(k *track, step uint64) bool { return step-k.seen > t.forget }

func newTracks(forget uint64) tracks { return tracks{slots: make([]track, firstSlots), forget: forget} }

// find is the slot of id: its track, or a free one to put it in. It is valid until room makes any.
func (t *tracks) find(id uint64) *track {
	mask := uint64(len(t.slots) - 1)
	for i := spread(id) & mask; ; i = (i + 1) & mask {
		if k := &t.slots[i]; k.id == id || k.number == 0 {
			return k
		}
	}
}

// spread makes neighbouring ids into distant slots.
func spread(id uint64) uint64 {
	id = (id ^ id>>32) * 0x9e3779b97f4a7c15
	return id ^ id>>29
}

// see notes that id is detected in this step. first is false when that has been noted already. next is the number for
// a new track, and used up if there is one.
func (t *tracks) see(id, step uint64, now timebase.Time, next *uint64) (k *track, first bool) {
	k = t.find(id)
	switch {
	case k.number == 0:
		if t.room(step) {
			k = t.find(id)
		}
		t.used++
	case k.seen == step:
		return k, false
	case !t.expired(k, step):
		k.seen = step
		return k, true
	}
	*k = track{id: id, number: *next, since: now, seen: step}
	*next++
	return k, true
}

// room makes sure that the table has a free slot after the next one is taken, and sweeps out what is expired when it is
// half full. It is true when that has moved the slots.
func (t *tracks) room(step uint64) (moved bool) {
	if 2*(t.used+1) <= len(t.slots) {
		return false
	}
	live := 0
	for i := range t.slots {
		if k := &t.slots[i]; k.number != 0 && !t.expired(k, step) {
			live++
		}
	}
	size := firstSlots
	for size < 4*(live+1) {
		size *= 2
	}
	old := t.slots
	if cap(t.spare) < size {
		t.spare = make([]track, size)
	}
	t.slots, t.used = t.spare[:size], live
	clear(t.slots)
	for i := range old {
		if k := &old[i]; k.number != 0 && !t.expired(k, step) {
			*t.find(k.id) = *k
		}
	}
	t.spare = old
	return true
}

// reset forgets everything and keeps the memory.
func (t *tracks) reset() {
	clear(t.slots)
	t.used = 0
}
