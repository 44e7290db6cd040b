package objects

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/scene"
)

// TestLayouts_ReadAsWithoutThem reads objects with layouts learned from earlier objects, and again
// field by field. The objects come from a scene and from a mixed one, and from both with wrong
// bytes in some of the objects.
func TestLayouts_ReadAsWithoutThem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	even, err := proto.Marshal(scene.Tilt(scene.Crowd(300, 0, 50)))
	require.NoError(t, err)
	mixed, err := proto.Marshal(scene.Mix(scene.Tilt(scene.Crowd(300, 0, 50))))
	require.NoError(t, err)
	var l layouts
	known := 0
	for round := range 200 {
		bytes := append([]byte(nil), [][]byte{even, even, mixed}[round%3]...)
		var v view
		require.NoError(t, v.read(bytes))
		for _, at := range v.moving {
			if random.IntN(4) == 0 {
				bytes[at.lo+random.IntN(min(40, at.hi-at.lo))] ^= 1 << random.IntN(8)
			}
			if random.IntN(8) == 0 {
				bytes[at.lo+random.IntN(at.hi-at.lo)] = byte(random.Uint32())
			}
			with, without := object{view: bytes, kind: MovingObject}, object{view: bytes,
				kind: MovingObject}
			ok := l.read(&with, at, true)
			require.Equal(t, without.read(at), ok)
			if !ok {
				continue
			}
			require.Equal(t, without.id, with.id)
			require.Equal(t, without.class, with.class)
			requireSamePlaces(t, without.places, with.places)
			if with.places != &with.own {
				known++
			}
		}
	}
	require.Greater(t, known, 10_000, "layouts are used")
}

// requireSamePlaces compares only meaningful extents: the extents of absent fields do not count.
func requireSamePlaces(t *testing.T, want, got *places) {
	t.Helper()
	clean := func(p places) places {
		for number := range p.other {
			if p.seen>>number&1 == 0 || number <= p.inRow {
				p.other[number] = extent{}
			}
		}
		for k := range p.parts {
			if !p.has[k] {
				p.parts[k] = extent{}
			}
		}
		if !p.hasAttributes {
			p.attributes = extent{}
		}
		if !p.hasBase {
			p.row = 0
		}
		return p
	}
	require.Equal(t, clean(*want), clean(*got))
}

// TestLayouts_PauseInMixedScenes: if every object has its own layout, looking for layouts does not
// pay off, and pauses for a while.
func TestLayouts_PauseInMixedScenes(t *testing.T) {
	bytes, err := proto.Marshal(scene.Mix(scene.Tilt(scene.Crowd(1000, 0, 50))))
	require.NoError(t, err)
	var l layouts
	var v view
	require.NoError(t, v.read(bytes))
	for _, at := range v.moving {
		o := object{view: bytes, kind: MovingObject}
		require.True(t, l.read(&o, at, true))
	}
	require.Positive(t, l.pause)
}

// TestAppendUsual_SameBytes compares detections of the usual form with those written field by
// field, for ids and texts of all lengths.
func TestAppendUsual_SameBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	vector := func() frames.Vector {
		return frames.Vector{X: random.NormFloat64(), Y: random.NormFloat64(),
			Z: random.NormFloat64()}
	}
	usual := 0
	for range 20_000 {
		c := Default()
		c.PositionNoise, c.VelocityNoise = random.Float64(), random.Float64()
		d, err := New(c)
		require.NoError(t, err)
		d.sensorID = random.Uint64() >> (30 + random.IntN(34))
		d.encodeHeaders()
		d.text = make([]byte, random.IntN(140))
		for k := range d.text {
			d.text[k] = byte(random.Uint32())
		}
		candidate := random.IntN(len(d.text) + 1)
		x := Detection{
			ObjectID:   random.Uint64() >> (30 + random.IntN(34)),
			TrackingID: random.Uint64() >> (30 + random.IntN(34)), Existence: random.Float64(),
			Type: int32(random.IntN(160)) - 10, Movement: Movement(random.IntN(5)),
			Has: allQuantities &^ Quantities(
				random.Uint32()&random.Uint32()&random.Uint32()&random.Uint32()&random.Uint32()),
			Position: vector(), Orientation: orientation(vector()), Dimension: vector(),
			Velocity: vector(), Acceleration: vector(), OrientationRate: orientation(vector()),
			candidate: extent{0, candidate}, color: extent{candidate, len(d.text)},
		}
		before := make([]byte, random.IntN(20), 20+random.IntN(1000))
		got, ok := d.appendUsual(append(before[:0:0], before...), &x)
		if !ok {
			require.Equal(t, before, got)
			continue
		}
		usual++
		require.Equal(t, d.appendDetection(append(before[:0:0], before...), MovingObject, &x), got)
	}
	require.Greater(t, usual, 1000)
}
