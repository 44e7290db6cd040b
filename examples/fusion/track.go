package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"gosmp/fmu"
	"gosmp/timebase"
)

// track is what is remembered of an object. Its fields are exported and of fixed size, so that encoding/binary can save
// it.
type track struct {
	ID          uint64
	Since, Seen timebase.Time
	Motion      motion // when it was seen
	Sources     [2]source
}

// tracks are in the order in which they began.
type tracks []track

// follow finds the tracks of the objects, begins new ones, and puts the objects into the order of their ids.
func (f *fusion) follow(t *tracks, now timebase.Time, objects []object) {
	*t = slices.DeleteFunc(*t, func(k track) bool { return (now - k.Seen).Seconds() > f.keep })
	expected := make([]motion, len(*t))
	for i, k := range *t {
		expected[i] = k.Motion
		f.prediction.predict(&expected[i], (now - k.Seen).Seconds())
	}
	// Sensors that have carried on their own tracks are evidence: what one of them calls by another name costs more
	// than anything that all of them call by the same.
	gate2 := f.gate * f.gate
	partners := assign(len(*t), len(objects), 3*gate2, func(i, j int) float64 {
		d2 := expected[i].Position.distance2(&objects[j].Position, gate2)
		if d2 >= gate2 {
			return math.Inf(1)
		}
		return d2 + 2*gate2*(*t)[i].strangeness(&objects[j])
	})
	for i, j := range partners {
		if j >= 0 {
			objects[j].id = (*t)[i].ID
			(*t)[i].see(&objects[j], now)
		}
	}
	for j := range objects {
		if o := &objects[j]; o.id == 0 {
			o.id = f.state.NextID
			*t = append(*t, track{ID: o.id, Since: now})
			(*t)[len(*t)-1].see(o, now)
			f.state.NextID++
		}
	}
	slices.SortFunc(objects, func(a, b object) int { return cmp.Compare(a.id, b.id) })
}

// strangeness is the part of the sensors that see o which do not give it the tracking id that they have given here
// before.
func (t *track) strangeness(o *object) float64 {
	seen, strange := 0, 0
	for k, s := range o.sources {
		if s.Known {
			seen++
			strange += one(s != t.Sources[k])
		}
	}
	if seen == 0 {
		return 1
	}
	return float64(strange) / float64(seen)
}

func (t *track) see(o *object, now timebase.Time) {
	t.Seen, t.Motion, o.age = now, o.motion, (now - t.Since).Seconds()
	for k, s := range o.sources {
		if s.Known {
			t.Sources[k] = s
		}
	}
}

// append appends the tracks in a form that restore reads.
func (t tracks) append(b []byte) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, t) // fails for types without a fixed size only
	return b
}

func (t *tracks) restore(b []byte) error {
	size := binary.Size(track{})
	if len(b)%size != 0 {
		return fmt.Errorf("%w: %d bytes of tracks, expected a multiple of %d", fmu.ErrState, len(b), size)
	}
	*t = make(tracks, len(b)/size)
	_, err := binary.Decode(b, binary.LittleEndian, *t)
	return err
}
