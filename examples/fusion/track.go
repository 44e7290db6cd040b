package main

import (
	"cmp"
	"slices"

	"gosmp/frames"
	"gosmp/model"
	"gosmp/timebase"
)

// track is the stored state of an object.
type track struct {
	id           uint64
	since, seen  timebase.Time
	at, velocity frames.Vector // when it was seen
}

// follow assigns every object the tracking id of its track, and sorts the objects by id.
func (f *fusion) follow(now timebase.Time, objects []object) {
	f.tracks = slices.DeleteFunc(f.tracks, func(t track) bool {
		return (now - t.seen).Seconds() > f.keep
	})
	for k := range objects {
		o := &objects[k]
		i := nearest(len(f.tracks), f.gate, func(i int) (frames.Vector, bool) {
			t := &f.tracks[i]
			return t.at.Add(t.velocity.Scale((now - t.seen).Seconds())).Sub(o.at), t.seen != now
		})
		if i < 0 {
			i = len(f.tracks)
			f.tracks = append(f.tracks, track{id: f.nextID, since: now})
			f.nextID++
		}
		t := &f.tracks[i]
		t.seen, t.at, t.velocity = now, o.at, o.velocity
		o.id, o.age = t.id, (now - t.since).Seconds()
	}
	slices.SortFunc(objects, func(a, b object) int { return cmp.Compare(a.id, b.id) })
}

// Snapshot implements model.Snapshotter.
func (f *fusion) Snapshot(b []byte) ([]byte, error) { //nolint:unparam // the interface has an error
	b = model.AppendUint64(model.AppendUint64(b, f.cycle), f.nextID)
	b = model.AppendUint64(b, uint64(len(f.tracks)))
	for _, t := range f.tracks {
		b = model.AppendUint64(model.AppendUint64(model.AppendUint64(b, t.id), uint64(t.since)),
			uint64(t.seen))
		for _, x := range []float64{t.at.X, t.at.Y, t.at.Z, t.velocity.X, t.velocity.Y,
			t.velocity.Z} {
			b = model.AppendFloat64(b, x)
		}
	}
	return b, nil
}

// Restore implements model.Snapshotter.
func (f *fusion) Restore(b []byte) error {
	d := model.StateReader{Data: b}
	f.cycle, f.nextID, f.tracks = d.Uint64(), d.Uint64(), nil
	vector := func() frames.Vector {
		return frames.Vector{X: d.Float64(), Y: d.Float64(), Z: d.Float64()}
	}
	for n := d.Uint64(); n > 0 && d.Err() == nil; n-- {
		f.tracks = append(f.tracks, track{
			id: d.Uint64(), since: timebase.Time(d.Uint64()), seen: timebase.Time(d.Uint64()),
			at: vector(), velocity: vector(),
		})
	}
	return d.Done()
}
