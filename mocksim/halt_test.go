package mocksim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/timebase"
)

// stopsOn counts the vehicles that stood on a road before they left it, and those that did not.
type stopsOn struct {
	road        string
	slowest     map[string]float64
	stood, flew int
}

func (s *stopsOn) step(w *mocksim.World) {
	for k := range w.Len() {
		v := w.At(k)
		slowest, known := s.slowest[v.Name()]
		if p := v.Place(); p.Road.ID == s.road && p.Lane.ID == -1 {
			if !known {
				slowest = math.Inf(1)
			}
			if p.S > armLength-15 {
				slowest = min(slowest, v.State().Speed)
			}
			s.slowest[v.Name()] = slowest
		} else if known {
			delete(s.slowest, v.Name())
			if slowest < 0.3 {
				s.stood++
			} else {
				s.flew++
			}
		}
	}
}

// TestHalt_AtAStopSign checks that all vehicles stop at a stop sign even on an empty road, and that
// no vehicle stops at a give-way sign without reason.
func TestHalt_AtAStopSign(t *testing.T) {
	for sign, stops := range map[string]bool{"206": true, "B2": true, "205": false} {
		m := crossroads{half: 10, ways: [][2]int{{west, east}, {south, east}},
			signs: map[int]string{south: sign}}.read(t)
		w := on(t, m, mocksim.Options{Seed: 1})
		s := stopsOn{road: "2", slowest: map[string]float64{}}
		for k := range 8 {
			for _, e := range steps(t, w, 200, 100*ms) {
				require.NotEqual(t, mocksim.Collision, e.Kind, describe(w, &e))
			}
			name := fmt.Sprintf("car%d", k)
			create(t, w, name, mocksim.Kind(k%4), mocksim.OnRoad("2", -1, 400).WithSpeed(10))
			require.NoError(t, w.SetController(name, mocksim.Controller{}))
			for range 200 {
				steps(t, w, 1, 100*ms)
				s.step(w)
			}
		}
		require.Equal(t, 8, s.stood+s.flew, sign)
		require.Equal(t, stops, s.stood == 8, "%s: %d of 8 stopped", sign, s.stood)
		require.Equal(t, !stops, s.flew == 8, "%s: %d of 8 stopped", sign, s.stood)
	}
}

// TestHalt_OtherSigns checks at which signs of the south a vehicle stops on an empty road, and that
// it leaves the road in any case.
func TestHalt_OtherSigns(t *testing.T) {
	sign := func(kind, country, subtype string, s float64) string {
		return fmt.Sprintf(`<signal id="%s%g" s="%g" t="-4" orientation="+" type="%s" country="%s"
subtype="%s" dynamic="no" zOffset="2"/>`, kind, s, s, kind, country, subtype)
	}
	const light = `<signal id="light" s="497" t="-4" orientation="+" type="1000001"
country="OpenDRIVE" subtype="-1" dynamic="yes" zOffset="2"/>`
	both := sign("206", "DE", "-1", 497)
	for _, c := range []struct {
		signs string
		stops bool
	}{
		{both + strings.NewReplacer(`"206497"`, `"left"`, `"-4"`, `"4"`).Replace(both), true},
		{sign("206", "DE", "-1", 440) + sign("206", "DE", "-1", 420), true}, // not in order
		{both + light, false}, // the light is green
		{sign("206", "NO", "-1", 497), false},
		{sign("R1", "US", "1", 497), true},
		{sign("R12", "US", "1", 497), false}, // not R1-2
		{sign("R11", "US", "2", 497), false}, // not R1-1
		{sign("B-2", "PL", "0", 497), false}, // not B-20
		{sign("B7", "NL", "-1", 497), true},
	} {
		m := crossroads{half: 10, ways: [][2]int{{west, east}, {south, east}},
			south: c.signs}.read(t)
		w := on(t, m, mocksim.Options{Seed: 1})
		if strings.Contains(c.signs, `"light"`) {
			require.NoError(t, w.SetLight("light", mocksim.LightGreen))
		}
		create(t, w, "car", mocksim.Car, mocksim.OnRoad("2", -1, 380).WithSpeed(10))
		require.NoError(t, w.SetController("car", mocksim.Controller{}))
		slowest, left := math.Inf(1), false
		for k := 0; k < 600 && !left; k++ {
			steps(t, w, 1, 100*ms)
			v, err := w.Actor("car")
			if left = err != nil || v.Place().Road.ID != "2"; !left {
				slowest = min(slowest, v.State().Speed)
			}
		}
		require.True(t, left, c.signs)
		require.Equal(t, c.stops, slowest < 0.3, "%v m/s: %s", slowest, c.signs)
	}
}

// TestHalt_AllWay checks that all vehicles stop at a junction with stop signs on all arms, that none
// of the arms is preferred, and that the junction carries about as much traffic as the Highway
// Capacity Manual expects: two one-way roads that cross have departure headways of 5.8 s each when
// both have queues (chapter 21).
func TestHalt_AllWay(t *testing.T) {
	m := crossroads{half: 10, ways: [][2]int{{west, east}, {south, north}},
		signs: map[int]string{west: "206", south: "206"}}.read(t)
	w := on(t, m, mocksim.Options{Seed: 1})
	require.NoError(t, w.SetFlow(mocksim.Flow{Rate: 1200}))
	both := [2]stopsOn{{road: "1", slowest: map[string]float64{}},
		{road: "2", slowest: map[string]float64{}}}
	for w.Time() < 900*timebase.Second {
		for _, e := range steps(t, w, 1, 100*ms) {
			require.NotEqual(t, mocksim.Collision, e.Kind, describe(w, &e))
		}
		both[0].step(w)
		both[1].step(w)
	}
	for k := range both {
		require.Zero(t, both[k].flew)
		t.Logf("%d vehicles in 900 s", both[k].stood)
	}
	require.InEpsilon(t, both[0].stood, both[1].stood, 0.1)
	require.InEpsilon(t, 2*900/5.8, both[0].stood+both[1].stood, 0.25)
}

// TestHalt_InsideABlock checks that a bus drives on although the line of its stop sign is inside a
// row of conflicts, in which it may not stop: two roads cross its own road shortly before the
// junction.
func TestHalt_InsideABlock(t *testing.T) {
	const lane = `<right><lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
</lane></right>`
	m := crossroads{half: 10, ways: [][2]int{{west, east}, {south, north}},
		signs: map[int]string{south: "206"},
		more: road(50, -1, -300, -34.5, 0, 600, "<line/>", "", lane) + "</road>" +
			road(51, -1, -300, -18, 0, 600, "<line/>", "", lane) + "</road>"}.read(t)
	w := on(t, m, mocksim.Options{Seed: 1})
	create(t, w, "bus", mocksim.Bus, mocksim.OnRoad("2", -1, 400).WithSpeed(10))
	require.NoError(t, w.SetController("bus", mocksim.Controller{}))
	steps(t, w, 600, 100*ms)
	require.Equal(t, "4", view(t, w, "bus").Place().Road.ID)
}
