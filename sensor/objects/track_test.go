package objects_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// trackingIDs returns the tracking ids of a message by object id.
func trackingIDs(data *osi3.SensorData) map[uint64]uint64 {
	ids := map[uint64]uint64{}
	for _, o := range data.MovingObject {
		ids[o.Header.GroundTruthId[0].GetValue()] = o.Header.TrackingId.GetValue()
	}
	return ids
}

// TestTrack_StaysWithTheObject: an object keeps its id and ages, regardless of the order and number
// of the others.
func TestTrack_StaysWithTheObject(t *testing.T) {
	a, b, c := carAt(10, 100, 90, 1), carAt(0, 105, 100, 1), carAt(math.MaxUint64, 95, 110, 1)
	p := newPair(t, objects.Default())
	show := func(cycle int, others ...*osi3.MovingObject) *osi3.SensorData {
		return p.step(t, marshal(t, plainView(others...)), timebase.Time(cycle)*step)
	}
	require.Equal(t, map[uint64]uint64{10: 1, 0: 2}, trackingIDs(show(1, a, b)))
	require.Equal(t, map[uint64]uint64{10: 1, 0: 2, math.MaxUint64: 3},
		trackingIDs(show(2, c, b, a)))
	require.Equal(t, map[uint64]uint64{math.MaxUint64: 3}, trackingIDs(show(3, c)))
	data := show(11, b, c)
	require.Equal(t, map[uint64]uint64{0: 2, math.MaxUint64: 3}, trackingIDs(data))
	require.InDelta(t, 0.20, data.MovingObject[0].Header.GetAge(), 1e-12)
	require.InDelta(t, 0.18, data.MovingObject[1].Header.GetAge(), 1e-12)
	require.EqualValues(t, 4, data.MovingObjectHeader.GetCycleCounter())
}

// TestTrack_IsForgotten: a track expires after exactly ForgetAfter cycles, and its id is not
// reused.
func TestTrack_IsForgotten(t *testing.T) {
	for _, unseen := range []int{4, 5} {
		c := objects.Default()
		c.ForgetAfter = 5
		p := newPair(t, c)
		now := timebase.Time(0)
		show := func(others ...*osi3.MovingObject) *osi3.SensorData {
			now += step
			return p.step(t, marshal(t, plainView(others...)), now)
		}
		show(carAt(10, 100, 90, 1))
		for range unseen {
			show()
		}
		data := show(carAt(10, 100, 90, 1))
		want, age := uint64(1), 0.1
		if unseen == 5 {
			want, age = 2, 0
		}
		require.Equal(t, want, data.MovingObject[0].Header.TrackingId.GetValue())
		require.InDelta(t, age, data.MovingObject[0].Header.GetAge(), 1e-12)
	}
}

// TestTrack_KindsAreApart: a moving and a stationary object may have the same id.
func TestTrack_KindsAreApart(t *testing.T) {
	view := plainView(carAt(10, 100, 90, 1))
	view.GlobalGroundTruth.StationaryObject = []*osi3.StationaryObject{{
		Id: id(10), Base: &osi3.BaseStationary{Position: vec(100, 80, 1), Orientation: turn(0,
			0, 0)},
	}}
	data, p := detect(t, objects.Default(), view)
	require.Zero(t, p.fast.Problems())
	require.EqualValues(t, 1, data.MovingObject[0].Header.TrackingId.GetValue())
	require.EqualValues(t, 2, data.StationaryObject[0].Header.TrackingId.GetValue())
}

// churn returns a view whose objects appear and disappear; their ids never return.
func churn(cycle int) *osi3.SensorView {
	var others []*osi3.MovingObject
	for k := range 40 {
		n := uint64(cycle/(1+k%5)*1000 + k)
		others = append(others, carAt(n<<32|100+uint64(k), 95+float64(k)/4, 90+float64(k), 1))
	}
	return plainView(others...)
}

// TestTrack_MemoryIsBounded: the state stays small after thousands of objects.
func TestTrack_MemoryIsBounded(t *testing.T) {
	c := objects.Default()
	c.ForgetAfter = 3
	p := newPair(t, c)
	largest := 0
	for k := range 300 {
		p.step(t, marshal(t, churn(k)), timebase.Time(k)*step)
		largest = max(largest, len(p.fast.AppendState(nil)))
	}
	require.Less(t, largest, 300+5*40*32)
}

// TestState_ContinuesIdentically takes a state in the middle of a run and compares both detectors
// from that point on.
func TestState_ContinuesIdentically(t *testing.T) {
	for name, c := range configs() {
		first, err := objects.New(c)
		require.NoError(t, err)
		second, err := objects.New(c)
		require.NoError(t, err)
		run := func(d *objects.Detector, k timebase.Time) []byte {
			view := marshal(t, scene.Motorway(k*40*step))
			r, err := d.Detect(view, until(k*40*step))
			require.NoError(t, err)
			return appendSensorData(nil, view, d, r, k*40*step)
		}
		for k := range timebase.Time(15) {
			run(first, k)
		}
		run(second, 99) // it has its own history, which must be replaced
		state := first.AppendState([]byte("before"))
		require.NoError(t, second.RestoreState(state[len("before"):]))
		require.Equal(t, first.Cycle(), second.Cycle())
		require.Empty(t, second.AppendMovingObjects(nil), "results are not part of the state")
		for k := timebase.Time(15); k < 30; k++ {
			require.Equal(t, run(first, k), run(second, k), name)
			require.Equal(t, first.AppendState(nil), second.AppendState(nil), name)
		}
		second.Reset()
		fresh, err := objects.New(c)
		require.NoError(t, err)
		require.Equal(t, run(fresh, 3), run(second, 3), "reset")
	}
}

// TestState_Damaged: every truncation, flipped byte and impossible content is rejected and changes
// nothing.
func TestState_Damaged(t *testing.T) {
	d, err := objects.New(objects.Default())
	require.NoError(t, err)
	_, err = d.Detect(marshal(t, plainView(carAt(10, 100, 90, 1), carAt(11, 105, 100, 1))),
		until(step))
	require.NoError(t, err)
	good := d.AppendState(nil)
	refused := func(b []byte, what any) {
		err := d.RestoreState(b)
		require.ErrorIs(t, err, objects.ErrState, what)
		require.ErrorContains(t, err, "found", what)
		require.Equal(t, good, d.AppendState(nil), what)
	}
	for n := range good {
		refused(good[:n], n)
		bad := append([]byte(nil), good...)
		bad[n] ^= 0x40
		refused(bad, n)
	}
	// The same with a correct checksum: offsets of the fields after magic (8), cycle, skipped,
	// next, count, then tracks of 33 bytes.
	for what, change := range map[string]func(b []byte){
		"tracking id 0":           func(b []byte) { binary.LittleEndian.PutUint64(b[48:], 0) },
		"tracking id of tomorrow": func(b []byte) { binary.LittleEndian.PutUint64(b[48:], 99) },
		"cycle of tomorrow":       func(b []byte) { binary.LittleEndian.PutUint64(b[64:], 2) },
		"ids out of order":        func(b []byte) { binary.LittleEndian.PutUint64(b[40:], 12) },
		"more tracks than bytes":  func(b []byte) { binary.LittleEndian.PutUint64(b[32:], 3) },
		"2^64-1 tracks": func(b []byte) {
			binary.LittleEndian.PutUint64(b[32:], math.MaxUint64)
		},
		"fewer tracks than bytes":  func(b []byte) { binary.LittleEndian.PutUint64(b[32:], 1) },
		"next tracking id reached": func(b []byte) { binary.LittleEndian.PutUint64(b[24:], 1) },
	} {
		bad := append([]byte(nil), good...)
		change(bad)
		body := bad[:len(bad)-4]
		binary.LittleEndian.PutUint32(bad[len(body):], crc32.ChecksumIEEE(body))
		refused(bad, what)
	}
	require.NoError(t, d.RestoreState(good))
}

// TestTrack_AnyIDs has ids that fall into the same or neighboring slots of a hash table.
func TestTrack_AnyIDs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 20 {
		var others []*osi3.MovingObject
		for k := range 200 {
			n := uint64(k)<<(round*3) + uint64(round)<<60
			if n != 7 {
				others = append(others, carAt(n, 95+random.Float64()*10, 90, 1))
			}
		}
		p := newPair(t, objects.Default())
		view := marshal(t, plainView(others...))
		want := trackingIDs(p.step(t, view, step))
		require.Equal(t, want, trackingIDs(p.step(t, view, 2*step)))
	}
}

// TestDetect_HostMovesInTheList: the host vehicle is the first object with its id, wherever it is
// in the list and wherever it was before.
func TestDetect_HostMovesInTheList(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	p := newPair(t, objects.Default())
	for k := range 200 {
		view := plainView(carAt(10, 100, 90, 1), carAt(11, 105, 100, 1), carAt(12, 95, 110, 1))
		list := view.GlobalGroundTruth.MovingObject
		if random.IntN(3) == 0 { // another object elsewhere with the host vehicle's id
			list = append(list, carAt(7, 100, 30, 1))
		}
		if random.IntN(4) == 0 {
			list = list[:1+random.IntN(len(list))]
		}
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		view.GlobalGroundTruth.MovingObject = list
		now := timebase.Time(k+1) * step
		data := p.step(t, marshal(t, view), now)
		fresh, err := objects.New(objects.Default())
		require.NoError(t, err)
		r, err := fresh.Detect(marshal(t, view), until(now))
		require.NoError(t, err)
		require.Len(t, data.MovingObject, r.Moving)
		h1, _ := p.fast.Host()
		h2, _ := fresh.Host()
		require.Equal(t, h2, h1)
	}
}
