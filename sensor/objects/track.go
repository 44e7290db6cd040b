package objects

import "gosmp/timebase"

// track is an object that has been detected: its tracking id, the start of the track, and the
// newest step with a detection. The zero value is a free slot; ids start at 1.
type track struct {
	id, number uint64
	since      timebase.Time
	seen       uint64
	moved      bool // since it began
}

// tracks finds tracks by object id: an open hash table that is at most half full. A track is
// expired when it has not been seen for more than forget steps. Expiry depends only on the content
// of the track, so the time at which the table is swept has no visible effect.
type tracks struct {
	slots, spare []track
	used         int
	forget       uint64
}

const firstSlots = 64

func (t *tracks) expired(k *track, step uint64) bool { return step-k.seen > t.forget }

func newTracks(forget uint64) tracks {
	return tracks{slots: make([]track, firstSlots), forget: forget}
}

// find returns the slot of id: its track, or a free slot for it. The slot is valid until the next
// call of room.
func (t *tracks) find(id uint64) *track {
	mask := uint64(len(t.slots) - 1)
	for i := spread(id) & mask; ; i = (i + 1) & mask {
		if k := &t.slots[i]; k.id == id || k.number == 0 {
			return k
		}
	}
}

// spread maps neighboring ids to distant slots.
func spread(id uint64) uint64 {
	id = (id ^ id>>32) * 0x9e3779b97f4a7c15
	return id ^ id>>29
}

// see records that id is detected in this step. first is false if that was already recorded. next
// is the tracking id for a new track, and is advanced if one begins.
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

// room ensures that the table has a free slot after the next one is taken. It removes expired
// tracks when the table is half full. It returns true if this has moved the slots.
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

// reset removes all tracks and keeps the memory.
func (t *tracks) reset() {
	clear(t.slots)
	t.used = 0
}
