package truth_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
)

func nextUpdate(t testing.TB, s *truth.Stream) *osi3.StreamingUpdate {
	t.Helper()
	b, err := s.Next()
	require.NoError(t, err)
	m := &osi3.StreamingUpdate{}
	require.NoError(t, proto.Unmarshal(b, m))
	require.Empty(t, rules.Check(m))
	return m
}

// TestD3_UpdatesAndObsoleteIds checks D3: an update contains the changes and lists a destroyed
// actor once. A SensorView contains the actors in range, and no destroyed ones.
func TestD3_UpdatesAndObsoleteIds(t *testing.T) {
	w := populated(t, "../../examples/maps/crossing.xodr", 8)
	step := func() {
		_, err := w.Step(20 * ms)
		require.NoError(t, err)
	}
	m, err := truth.New(w, truth.Options{Host: "ego", Range: 5})
	require.NoError(t, err)
	s := m.Stream()
	first := nextUpdate(t, s)
	moving := 0
	for k := range w.Len() {
		if w.At(k).Kind() != mocksim.Static {
			moving++
		}
	}
	require.Len(t, first.MovingObjectUpdate, moving, "whatever the range")
	require.NotEmpty(t, first.StationaryObjectUpdate)
	require.NotEmpty(t, first.TrafficLightUpdate)
	require.NotNil(t, first.EnvironmentalConditionsUpdate)
	ego, err := w.Actor("ego")
	require.NoError(t, err)
	require.Equal(t, ego.ID(), first.HostVehicleDataUpdate[0].HostVehicleId.GetValue())

	standing := mocksim.AtPosition(0, 500)
	require.NoError(t, w.Create(mocksim.Actor{Name: "parked", Start: standing}))
	step()
	second := nextUpdate(t, s)
	require.Empty(t, second.StationaryObjectUpdate, "unchanged")
	require.Empty(t, second.TrafficSignUpdate)
	parked, err := w.Actor("parked")
	require.NoError(t, err)
	has := func(u *osi3.StreamingUpdate) bool {
		for _, o := range u.MovingObjectUpdate {
			if o.Id.GetValue() == parked.ID() {
				return true
			}
		}
		return false
	}
	require.True(t, has(second))
	step()
	step()
	require.NotNil(t, nextUpdate(t, s))
	step()
	require.False(t, has(nextUpdate(t, s)), "it stands: no news")

	saved := s.AppendState(nil)
	id := parked.ID()
	require.NoError(t, w.Destroy("parked"))
	step()
	last := nextUpdate(t, s)
	require.Len(t, last.ObsoleteId, 1)
	require.Equal(t, id, last.ObsoleteId[0].GetValue())
	again := m.Stream()
	d := &state.Decoder{Data: saved}
	require.NoError(t, again.RestoreState(d))
	require.NoError(t, d.Done())
	require.True(t, proto.Equal(last, nextUpdate(t, again)), "from a saved state")
	step()
	require.Empty(t, nextUpdate(t, s).ObsoleteId, "once")

	b, err := m.SensorView()
	require.NoError(t, err)
	view := &osi3.SensorView{}
	require.NoError(t, proto.Unmarshal(b, view))
	for _, o := range view.GlobalGroundTruth.MovingObject {
		require.NotEqual(t, id, o.Id.GetValue())
	}
	s.Restart()
	require.NotEmpty(t, nextUpdate(t, s).StationaryObjectUpdate)
}

// TestD2_HostVehicleData checks D2: HostVehicleData alone has version, time stamp and id, and obeys
// the rules of OSI.
func TestD2_HostVehicleData(t *testing.T) {
	w := populated(t, "../../examples/maps/motorway.xodr", 3)
	_, err := w.Step(20 * ms)
	require.NoError(t, err)
	m, err := truth.New(w, truth.Options{Host: "ego"})
	require.NoError(t, err)
	b, err := m.HostVehicleData()
	require.NoError(t, err)
	found := &osi3.HostVehicleData{}
	require.NoError(t, proto.Unmarshal(b, found))
	require.Empty(t, rules.Check(found))
	ego, err := w.Actor("ego")
	require.NoError(t, err)
	require.Equal(t, ego.ID(), found.HostVehicleId.GetValue())
	require.EqualValues(t, 20*ms, found.Timestamp.GetNanos())
	require.NotNil(t, found.Version)
	shape, s := ego.Shape(), ego.State()
	require.InDelta(t, s.Position.Z+shape.Height/2, found.Location.Position.GetZ(), 1e-9)
	rear := found.VehicleMotion.Position
	way := proto.Float64(0)
	*way = (s.Position.X-rear.GetX())*(s.Position.X-rear.GetX()) +
		(s.Position.Y-rear.GetY())*(s.Position.Y-rear.GetY())
	require.InDelta(t, shape.Wheelbase*shape.Wheelbase/4, *way, 1e-6, "the rear axle")
}

func TestStream_AllocatesNothing(t *testing.T) {
	w := populated(t, "../../examples/maps/motorway.xodr", 8)
	m, err := truth.New(w, truth.Options{Host: "ego"})
	require.NoError(t, err)
	s := m.Stream()
	round := func() {
		_, err := w.Step(20 * ms)
		if err == nil {
			_, err = s.Next()
		}
		if err == nil {
			_, err = m.HostVehicleData()
		}
		if err != nil {
			panic(err)
		}
	}
	for range 50 {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(100, round))
}
