package mocksim_test

import (
	"fmt"
	"math"
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

// TestHalt_AllWay checks that all vehicles stop at a junction with stop signs on all arms, that the
// first one to stop goes first, and that the junction carries about as much traffic as the Highway
// Capacity Manual expects: two one-way roads that cross have departure headways of about 4 s when
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
}
