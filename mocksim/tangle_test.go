package mocksim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// ringRoads is a ring that a road crosses: road 1 and connection 10 through the junction form the
// ring, and roads 2 and 3 and connection 20 cross it. With an exit, road 4 and connection 11 lead
// out of the ring.
func ringRoads(t *testing.T, exit bool) *opendrive.Map {
	t.Helper()
	const radius, half = 20.0, 0.5 // m, and the junction in rad
	var b strings.Builder
	road := func(id, junction int, length, x, y, heading float64, shape, link string) {
		fmt.Fprintf(&b, `<road id="%d" junction="%d" length="%.9f"><link>%s</link><planView>`+
			`<geometry s="0" x="%.9f" y="%.9f" hdg="%.9f" length="%.9f">%s</geometry></planView>`+
			`<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>`+
			`<lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/></link>`+
			`<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes>`+
			`</road>`, id, junction, length, link, x, y, heading, length, shape)
	}
	next := func(kind string, id int) string {
		return fmt.Sprintf(`<successor elementType="%s" elementId="%d" contactPoint="start"/>`,
			kind, id)
	}
	after := func(kind string, id int) string {
		return fmt.Sprintf(`<predecessor elementType="%s" elementId="%d" contactPoint="end"/>`,
			kind, id)
	}
	const arc, line = `<arc curvature="0.05"/>`, `<line/>`
	x, y := radius*math.Cos(half), radius*math.Sin(half)
	b.WriteString(`<OpenDRIVE><header revMajor="1" revMinor="6"/>`)
	road(1, -1, radius*(2*math.Pi-2*half), x, y, math.Pi/2+half, arc,
		after("junction", 9)+next("junction", 9))
	road(2, -1, 40, 75, -7, math.Pi, line, next("junction", 9))
	road(3, -1, 15, 5, -7, math.Pi, line, after("junction", 9))
	road(10, 9, radius*2*half, x, -y, math.Pi/2-half, arc, after("road", 1)+next("road", 1))
	road(20, 9, 30, 35, -7, math.Pi, line, after("road", 2)+next("road", 3))
	if exit {
		turn := math.Pi/2 - half
		road(11, 9, 30, x, -y, turn, line, after("road", 1)+next("road", 4))
		road(4, -1, 60, x+30*math.Cos(turn), 30*math.Sin(turn)-y, turn, line, after("junction", 9))
	}
	b.WriteString(`<junction id="9">`)
	for k, from := range []int{1, 2, 1} {
		if k < 2 || exit {
			fmt.Fprintf(&b, `<connection id="%d" incomingRoad="%d" connectingRoad="%d" `+
				`contactPoint="start"><laneLink from="-1" to="-1"/></connection>`, k, from,
				[]int{10, 20, 11}[k])
		}
	}
	b.WriteString(`</junction></OpenDRIVE>`)
	m, err := opendrive.Read("ring.xodr", strings.NewReader(b.String()))
	require.NoError(t, err)
	return m
}

// fullRing is a world in which cars stand all around the ring: the first one waits for room after
// the junction, which the others leave only once it has gone.
func fullRing(t *testing.T, exit bool, seed uint64, cars int) *World {
	t.Helper()
	w, err := New(ringRoads(t, exit), Options{Seed: seed})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	put := func(name, road string, s float64) {
		require.NoError(t, w.Create(Actor{Name: name, Kind: Car, Start: OnRoad(road, -1, s)}))
	}
	put("last", "10", 10.5)
	put("next", "10", 16.7)
	for k := range cars {
		put(fmt.Sprintf("ring%02d", k), "1", 2.7+96*float64(k)/float64(cars-1))
	}
	put("first", "1", 104.9)
	for _, a := range w.actors {
		require.NoError(t, w.SetController(a.name, Controller{Driver: Driver{TimeGap: 1.5}}))
	}
	return w
}

// walk steps for some seconds, during which there must be no collisions, and returns the longest
// standing time of any actor, in s.
func walk(t *testing.T, w *World, seconds int) float64 {
	t.Helper()
	longest, since := 0.0, map[string]float64{}
	for range 10 * seconds {
		events, err := w.Step(tenth)
		require.NoError(t, err)
		for k := range events {
			require.NotEqual(t, Collision, events[k].Kind, "%v", &events[k])
		}
		for _, a := range w.actors {
			if since[a.name] += tenth.Seconds(); a.state.Speed > 0.1 {
				since[a.name] = 0
			}
			longest = max(longest, since[a.name])
		}
	}
	return longest
}

// TestUntangle_GoesRoundAFullRing: where cars wait for each other all around a ring without an
// exit, all of them keep moving up.
func TestUntangle_GoesRoundAFullRing(t *testing.T) {
	w := fullRing(t, false, 1, 17)
	require.Greater(t, walk(t, w, 20), 15.0, "they wait")
	require.Less(t, walk(t, w, 400), 120.0)
}

// TestUntangle_TakesAnotherWay: the first car in a full ring leaves it if there is an exit,
// although it wanted to stay.
func TestUntangle_TakesAnotherWay(t *testing.T) {
	tried := 0
	for seed := uint64(1); seed <= 8; seed++ {
		w := fullRing(t, true, seed, 17)
		first := w.find("first")
		if first.driver.path.legs[0].courses[1].lane.Section.Road.ID != "10" {
			continue // it leaves by itself
		}
		tried++
		walk(t, w, 25)
		require.Equal(t, "1", first.place.Road.ID)
		walk(t, w, 60)
		require.Equal(t, "4", first.place.Road.ID)
	}
	require.Positive(t, tried)
}

// TestUntangle_IsRestored: a state saved while cars move up continues as before.
func TestUntangle_IsRestored(t *testing.T) {
	w := fullRing(t, false, 1, 17)
	for at := range 10 {
		walk(t, w, 7)
		kept := w.AppendState(nil)
		again, err := New(w.m, Options{Seed: 1})
		require.NoError(t, err)
		require.NoError(t, again.Restore(kept))
		walk(t, w, 40)
		walk(t, again, 40)
		require.Equal(t, w.AppendState(nil), again.AppendState(nil), "%d", at)
		again.Close()
	}
	require.Equal(t, 470*timebase.Second, w.now)
}

// TestUntangle_TakesBackUnusedRights checks that a vehicle standing in a circle of waiting vehicles
// keeps no right to space ahead.
func TestUntangle_TakesBackUnusedRights(t *testing.T) {
	w := busy(t, "crossing.xodr", 2, 12)
	taken := 0
	for range 600 {
		_, err := w.Step(tenth)
		require.NoError(t, err)
		for k, a := range w.actors {
			d := &a.driver
			if d.cleared <= d.pos() || taken > 20 {
				continue
			}
			taken++
			w.yieldAll(int32(k), a)
			require.InDelta(t, d.pos(), d.cleared, 0)
			for _, list := range w.crossings.visitors {
				for _, v := range list {
					if v.actor == int32(k) {
						require.LessOrEqual(t, v.cleared, v.u+w.moving*a.state.Speed+1)
					}
				}
			}
		}
	}
	require.Positive(t, taken)
}
