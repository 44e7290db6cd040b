package mocksim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// capacity is a movement against conflicting flows, and the Highway Capacity Manual's figure for it.
type capacity struct {
	name  string
	m     *opendrive.Map
	lanes float64 // with conflicting traffic
	want  func(flow float64) float64
	most  float64   // the largest flow at which the tolerance holds
	flows []float64 // conflicting vehicles per hour, on all lanes
	short []float64 // the flows that the short test measures
}

// capacities lists the movements. The formulas and parameters come from the Manual's 6th edition:
// chapter 31 for turns at lights, chapter 20 for stop signs on a road with two lanes, and chapter 22
// for roundabouts.
func capacities(t testing.TB) []capacity {
	gaps := func(critical, followUp float64) func(float64) float64 {
		return func(flow float64) float64 { return potential(flow, critical, followUp) }
	}
	stop := func(to int, ways ...[2]int) *opendrive.Map {
		return crossroads{half: 10, ways: append(ways, [2]int{south, to}),
			signs: map[int]string{south: "206"}}.read(t)
	}
	through, back := [2]int{west, east}, [2]int{east, west}
	arms := func(list ...int) map[int]bool {
		of := map[int]bool{}
		for _, arm := range list {
			of[arm] = true
		}
		return of
	}
	return []capacity{
		{"left turn across oncoming traffic", crossroads{half: 12, ways: [][2]int{{north, south},
			{south, west}}}.read(t), 1, gaps(4.5, 2.5), 900, []float64{300, 600, 900, 1200},
			[]float64{600}},
		{"stop sign, to the right", stop(east, through), 1, gaps(6.2, 3.3),
			900, []float64{300, 600, 900}, []float64{300}},
		{"stop sign, straight on", stop(north, through, back), 2, gaps(6.5, 4),
			900, []float64{300, 600, 900}, []float64{600}},
		{"stop sign, to the left", stop(west, through, back), 2, gaps(7.1, 3.5),
			600, []float64{300, 600, 900}, []float64{600}},
		{"entry of a roundabout", roundabout{18, arms(west, south), arms(east), "205",
			arms(south)}.read(t), 1,
			func(flow float64) float64 { return 1380 * math.Exp(-1.02e-3*flow) },
			800, []float64{1, 200, 400, 600, 800, 1000}, []float64{800}},
	}
}

// TestCapacity_AgainstTheManual compares the flow of cars from a queue with the Highway Capacity
// Manual, for each movement against several conflicting flows of cars. The test that is not short
// prints the table of the documentation.
func TestCapacity_AgainstTheManual(t *testing.T) {
	for _, c := range capacities(t) {
		seeds, flows := uint64(4), c.short
		if !testing.Short() {
			seeds, flows = 16, c.flows
		}
		for _, flow := range flows {
			sum := 0.0
			for seed := range seeds {
				sum += discharge(t, c.m, flow/c.lanes, seed+1, mocksim.Car)
			}
			got, want := sum/float64(seeds), c.want(flow)
			t.Logf("| %s | %.0f | %.0f | %.0f | %+.0f %% |", c.name, flow, got, want,
				100*(got/want-1))
			if flow <= c.most {
				require.InEpsilon(t, want, got, saturationTolerance, "%s, %g/h", c.name, flow)
			}
		}
	}
}

// headwaysOn returns the headways, in s, of the vehicles of a flow that come through a junction on a
// road.
func headwaysOn(t *testing.T, m *opendrive.Map, road string, rate float64,
	seed uint64) (list []float64) {
	t.Helper()
	const begin, end = 60 * timebase.Second, 900 * timebase.Second
	w := on(t, m, mocksim.Options{Seed: seed})
	require.NoError(t, w.SetFlow(mocksim.Flow{Rate: rate, Kinds: []mocksim.Kind{mocksim.Car}}))
	seen, last := map[string]bool{}, 0.0
	for w.Time() < end {
		steps(t, w, 1, 100*ms)
		for k := range w.Len() {
			v := w.At(k)
			if v.Place().Road.ID != road || seen[v.Name()] {
				continue
			}
			seen[v.Name()] = true
			gap := w.Time().Seconds() - last
			if last += gap; w.Time() >= begin {
				list = append(list, gap)
			}
		}
	}
	return list
}

// using is the number of vehicles per hour that use the gaps of headways, with a critical and a
// follow-up headway in s. The Manual's formula is the same for exponentially distributed headways.
func using(headways []float64, critical, followUp float64) float64 {
	users, sum := 0.0, 0.0
	for _, gap := range headways {
		sum += gap
		if gap >= critical {
			users += 1 + math.Floor((gap-critical)/followUp)
		}
	}
	return 3600 * users / sum
}

// TestCapacity_ForTheHeadwaysThatCome checks that turns across dense oncoming traffic use the gaps
// that come at least as well as the Manual expects. On one lane, these are fewer than the
// exponentially distributed ones of its formula. It also checks that they use no gaps that are too
// short: a rolling car needs 1.6 s for the 8 m that it shares with the oncoming lane, at the 5 m/s
// of the turn, an oncoming car needs 0.6 s for the same place, and 0.5 s remain before and after it.
// Cars follow each other at (4.5 m + 2 m) / (5 m/s) + 1 s at least.
func TestCapacity_ForTheHeadwaysThatCome(t *testing.T) {
	const critical, followUp = 1.6 + 0.6 + 2*0.5, (4.5+2)/5.0 + 1
	c := capacities(t)[0]
	seeds, flows := uint64(1), []float64{900}
	if !testing.Short() {
		seeds, flows = 16, c.flows
	}
	for _, flow := range flows {
		got, want, most := 0.0, 0.0, 0.0
		for seed := range seeds {
			list := headwaysOn(t, c.m, "100", flow, seed+1)
			want += using(list, 4.5, 2.5) / float64(seeds)
			most += using(list, critical, followUp) / float64(seeds)
			got += discharge(t, c.m, flow, seed+1, mocksim.Car) / float64(seeds)
		}
		t.Logf("| %.0f | %.0f | %.0f | at most %.0f |", flow, got, want, most)
		require.Greater(t, got, (1-saturationTolerance)*want, "%g/h", flow)
		require.Less(t, got, most, "%g/h", flow)
	}
}

// TestCapacity_OfAnAllWayStop compares the flow of cars from queues on all arms that have a way
// with the Manual's saturation headways for one lane (chapter 21), which depend on the number of
// conflicting vehicles.
func TestCapacity_OfAnAllWayStop(t *testing.T) {
	north, south, west := [2]int{north, south}, [2]int{south, north}, [2]int{west, east}
	everyWay := func() (ways [][2]int) {
		for from := range 4 {
			for _, turn := range []int{1, 2, 3} {
				ways = append(ways, [2]int{from, (from + turn) % 4})
			}
		}
		return ways
	}
	for _, c := range []struct {
		name    string
		ways    [][2]int
		headway float64
	}{
		{"one arm", [][2]int{south}, 3.9},
		{"two opposing arms", [][2]int{south, north}, 4.7},
		{"two crossing arms", [][2]int{south, west}, 5.8},
		{"four arms, a third turns to each side", everyWay(), 9.6 + 0.2/3 - 0.6/3},
	} {
		x := crossroads{half: 10, ways: c.ways, signs: map[int]string{}}
		for _, way := range c.ways {
			x.signs[way[0]] = "206"
		}
		w := on(t, x.read(t), mocksim.Options{Seed: 1})
		require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 1800, Kinds: []mocksim.Kind{mocksim.Car}}))
		passed := map[string]bool{}
		begin, end := timebase.Time(100), timebase.Time(250) // s
		if !testing.Short() {
			begin, end = 200, 500
		}
		for w.Time() < end*timebase.Second {
			for _, e := range steps(t, w, 1, 100*ms) {
				require.NotEqual(t, mocksim.Collision, e.Kind, describe(w, &e))
			}
			for k := range w.Len() {
				v := w.At(k)
				if w.Time() > begin*timebase.Second && len(v.Place().Road.ID) == 3 {
					passed[v.Name()] = true
				}
			}
		}
		got := float64(len(passed)) * 3600 / float64(end-begin) / float64(len(x.signs))
		want := 3600 / c.headway
		t.Logf("| %s | %.0f | %.0f | %+.0f %% |", c.name, got, want, 100*(got/want-1))
		require.InEpsilon(t, want, got, saturationTolerance, c.name)
	}
}

// TestFlow_Kinds checks that only vehicles of the given kinds enter, and that others are refused.
func TestFlow_Kinds(t *testing.T) {
	w := world(t, "straight.xodr", mocksim.Options{Seed: 1})
	err := w.SetFlow(mocksim.Flow{Rate: 900, Kinds: []mocksim.Kind{mocksim.Pedestrian}})
	require.ErrorIs(t, err, mocksim.ErrValue)
	require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 900, Kinds: []mocksim.Kind{mocksim.Bus}}))
	steps(t, w, 600, 100*ms)
	require.Positive(t, w.Len())
	for k := range w.Len() {
		require.Equal(t, mocksim.Bus, w.At(k).Kind())
	}
}
