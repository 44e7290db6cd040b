package mocksim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// open is a straight road with a lane in each direction, which ends on both sides.
const open = `<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="300" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="300"><line/></geometry></planView>
<lanes><laneSection s="0">
<left><lane id="1" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
</lane></left>
<center><lane id="0" type="none" level="false"/></center>
<right><lane id="-1" type="driving" level="false"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
</lane></right></laneSection></lanes></road></OpenDRIVE>`

func openRoad(t testing.TB) *opendrive.Map {
	t.Helper()
	m, err := opendrive.Read("open.xodr", strings.NewReader(open))
	require.NoError(t, err)
	return m
}

// TestFlow_EntersAndLeaves checks that as many vehicles enter per hour as requested, all of them
// leave, and none collide, brake hard or leave the road.
func TestFlow_EntersAndLeaves(t *testing.T) {
	w := on(t, openRoad(t), mocksim.Options{Seed: 3})
	require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 400}))
	before := map[string]float64{}
	for range 3600 * 10 {
		require.Empty(t, steps(t, w, 1, 100*ms))
		for k := range w.Len() {
			v := w.At(k)
			s := v.State()
			require.Greater(t, s.Along, -3.0, "%s at %s", v.Name(), w.Time())
			if speed, ok := before[v.Name()]; ok {
				require.InDelta(t, speed, s.Speed, 0.4)
			}
			before[v.Name()] = s.Speed
		}
	}
	entered, left, waiting := w.FlowCounts()
	require.InDelta(t, 800, entered, 3*28.3, "two lanes, a Poisson process")
	require.Equal(t, entered-w.Len(), left)
	require.Less(t, waiting, 5)
	require.Less(t, w.Len(), 20)
}

// TestFlow_IsRestored checks that a restored state continues as before in a world with the same
// flow, and that a world without a flow refuses it.
func TestFlow_IsRestored(t *testing.T) {
	w := on(t, openRoad(t), mocksim.Options{Seed: 1})
	require.NoError(t, w.Populate(mocksim.Traffic{Count: 4, Host: "ego", Flow: 900}))
	steps(t, w, 300, 100*ms)
	kept := w.AppendState(nil)
	steps(t, w, 600, 100*ms)
	want := w.AppendState(nil)

	again := on(t, openRoad(t), mocksim.Options{Seed: 1})
	require.ErrorIs(t, again.Restore(kept), mocksim.ErrState)
	require.NoError(t, again.SetFlow(mocksim.Flow{Rate: 900}))
	require.NoError(t, again.Restore(kept))
	steps(t, again, 600, 100*ms)
	require.Equal(t, want, again.AppendState(nil))
	_, err := w.Actor("ego")
	require.NoError(t, err, "the host stays")
}

// TestFlow_IsRefused checks that a flow is refused if no vehicle can enter, and for rates that no
// lane can carry.
func TestFlow_IsRefused(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	require.ErrorContains(t, w.SetFlow(mocksim.Flow{Rate: 100}),
		"no road of this map leads beyond it")
	w = on(t, openRoad(t), mocksim.Options{})
	for _, rate := range []float64{-1, 0, 1e9} {
		require.ErrorIs(t, w.SetFlow(mocksim.Flow{Rate: rate}), mocksim.ErrValue)
	}
	require.ErrorIs(t, w.Populate(mocksim.Traffic{Flow: -1}), mocksim.ErrValue)
}

// TestFlow_OmitsStubs checks that no vehicle waits for a road at the edge of the map that is shorter
// than a car and leads nowhere.
func TestFlow_OmitsStubs(t *testing.T) {
	const stub = `<road id="2" length="2" junction="-1"><planView><geometry s="0" x="0" y="50"
hdg="0" length="2"><line/></geometry></planView><lanes><laneSection s="0"><center>
<lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>`
	read := func(text string) *mocksim.World {
		m, err := opendrive.Read("stub.xodr", strings.NewReader(text))
		require.NoError(t, err)
		return on(t, m, mocksim.Options{Seed: 1})
	}
	w := read(strings.Replace(open, "</OpenDRIVE>", stub+"</OpenDRIVE>", 1))
	require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 600}))
	steps(t, w, 3000, 100*ms)
	entered, _, waiting := w.FlowCounts()
	require.Greater(t, entered, 60)
	require.Less(t, waiting, 5)
	w = read(`<OpenDRIVE><header revMajor="1" revMinor="6"/>` + stub + `</OpenDRIVE>`)
	require.ErrorContains(t, w.SetFlow(mocksim.Flow{Rate: 600}), "long enough for a car")
}

// TestFlow_WaitsForRoom checks that if more vehicles arrive than a lane can carry, they wait
// outside, and the flow on the lane is realistic: 1500 to 2400 vehicles an hour (Highway Capacity
// Manual, basic segments).
func TestFlow_WaitsForRoom(t *testing.T) {
	w := on(t, openRoad(t), mocksim.Options{Seed: 1})
	require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 3600}))
	steps(t, w, 10*600, 100*ms)
	_, before, _ := w.FlowCounts()
	steps(t, w, 10*1800, 100*ms)
	_, left, waiting := w.FlowCounts()
	require.Positive(t, waiting)
	perHour := float64(left-before) * 2 / 2 // of two lanes in half an hour
	require.Greater(t, perHour, 1000.0)
	require.Less(t, perHour, 2400.0)
	require.Equal(t, 2400*timebase.Second, w.Time())
}

// TestFlow_WaitsForAHostAtTheEntry checks that while a vehicle stands where others enter, they wait
// outside, and that they enter once it has driven on. The other lane is not obstructed, and there
// are no collisions.
func TestFlow_WaitsForAHostAtTheEntry(t *testing.T) {
	for _, s := range []float64{3, 6, 20} {
		w := on(t, openRoad(t), mocksim.Options{Seed: 2})
		create(t, w, "ego", mocksim.Car, mocksim.OnRoad("1", -1, s))
		require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 600}))
		for range 10 * 300 {
			require.Empty(t, steps(t, w, 1, 100*ms), "at %g m", s)
		}
		entered, left, waiting := w.FlowCounts()
		require.Greater(t, waiting, 20, "at %g m", s)
		require.Greater(t, left, 20, "of the other lane, at %g m", s)
		require.NoError(t, w.SetController("ego", mocksim.Controller{}))
		for range 10 * 300 {
			require.Empty(t, steps(t, w, 1, 100*ms), "at %g m", s)
		}
		after, _, _ := w.FlowCounts()
		require.Greater(t, after-entered, 60, "at %g m", s)
	}
}

// crossed is an open road and another one that crosses it 30 m after its start.
func crossed(t testing.TB) *opendrive.Map {
	t.Helper()
	_, road, found := strings.Cut(open, "<road")
	require.True(t, found)
	road = "<road" + road
	second := strings.NewReplacer(`id="1" length`, `id="2" length`, `x="0" y="0" hdg="0"`,
		`x="30" y="-100" hdg="1.5707963267948966"`).Replace(road)
	m, err := opendrive.Read("crossed.xodr",
		strings.NewReader(strings.TrimSuffix(open, "</OpenDRIVE>")+second))
	require.NoError(t, err)
	return m
}

// TestFlow_EntersBeforeACrossing checks that entering vehicles see vehicles that cross their path
// after others have left in the same step. They used to mistake others for them, or to panic.
func TestFlow_EntersBeforeACrossing(t *testing.T) {
	for seed := range uint64(4) {
		w := on(t, crossed(t), mocksim.Options{Seed: seed})
		require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 300}))
		for range 10 * 900 {
			require.Empty(t, steps(t, w, 1, 100*ms), "seed %d", seed)
		}
		_, left, _ := w.FlowCounts()
		require.Greater(t, left, 200, "seed %d", seed)
	}
}
