package mocksim_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// crossing returns a world with a host vehicle in front of the light on the east arm, which is
// signal 11.
func crossing(t *testing.T) *mocksim.World {
	m, err := opendrive.ReadFile("../examples/maps/crossing.xodr")
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

func TestLights_TakeTurns(t *testing.T) {
	w := crossing(t)
	const off, green, yellow, red = mocksim.LightOff, mocksim.LightGreen, mocksim.LightYellow,
		mocksim.LightRed
	at := func(second int) {
		for w.Time() < timebase.Time(second)*timebase.Second {
			_, err := w.Step(500 * ms)
			require.NoError(t, err)
		}
	}
	for _, c := range []struct {
		second int
		ew, ns mocksim.Light
	}{{0, green, red}, {19, green, red}, {20, yellow, red}, {23, red, red}, {25, red, green},
		{45, red, yellow}, {48, red, red}, {50, green, red}, {75, red, green}} {
		at(c.second)
		for signal, want := range map[string]mocksim.Light{"11": c.ew, "21": c.ew, "12": c.ns,
			"22": c.ns} {
			require.Equal(t, want, w.LightOf(signal), "signal %s at %d s", signal, c.second)
		}
	}
	require.NoError(t, w.SetLight("11", off))
	saved := w.AppendState(nil)
	at(80)
	require.Equal(t, off, w.LightOf("11"), "it has left the cycle")
	require.Equal(t, red, w.LightOf("21"))
	again := crossing(t)
	require.NoError(t, again.Restore(saved))
	require.Equal(t, []mocksim.Light{off, red, green}, []mocksim.Light{again.LightOf("11"),
		again.LightOf("21"), again.LightOf("12")})
}

// TestLights_OfSeveralControllers checks that a light that several controllers name is green in the
// turns of all of them, without a break between two consecutive ones.
func TestLights_OfSeveralControllers(t *testing.T) {
	text, err := os.ReadFile("../examples/maps/crossing.xodr")
	require.NoError(t, err)
	edit := strings.NewReplacer(`<controller id="north-south" name`,
		`<controller id="both" name="both"><control signalId="11" type="0"/>`+
			`<control signalId="22" type="0"/></controller><controller id="north-south" name`,
		`<controller id="north-south" type="0" sequence="1"/>`,
		`<controller id="north-south" type="0" sequence="1"/>`+
			`<controller id="both" type="0" sequence="2"/>`)
	m, err := opendrive.Read("crossing.xodr", strings.NewReader(edit.Replace(string(text))))
	require.NoError(t, err)
	w := on(t, m, mocksim.Options{})
	letters := map[mocksim.Light]string{mocksim.LightGreen: "G", mocksim.LightYellow: "y",
		mocksim.LightRed: "r"}
	seen := map[string]string{}
	for _, second := range []int{1, 21, 24, 26, 46, 49, 51, 71, 74, 76, 96} {
		for w.Time() < timebase.Time(second)*timebase.Second {
			steps(t, w, 1, 500*ms)
		}
		for _, signal := range []string{"11", "12", "21", "22"} {
			seen[signal] += letters[w.LightOf(signal)]
		}
	}
	require.Equal(t, map[string]string{
		"11": "Gyr" + "rrr" + "GGG" + "Gy", // of the first and the third turn
		"21": "Gyr" + "rrr" + "rrr" + "Gy",
		"12": "rrr" + "Gyr" + "rrr" + "rr",
		"22": "rrr" + "GGG" + "Gyr" + "rr",
	}, seen)
}

// uncontrolled returns the crossing without its controllers, and with one more change to its map.
func uncontrolled(t *testing.T, old, new string) *mocksim.World {
	text, err := os.ReadFile("../examples/maps/crossing.xodr")
	require.NoError(t, err)
	bare := regexp.MustCompile(`(?s)<controller id="[^"]*" (name.*?</controller>|type[^>]*/>)`).
		ReplaceAllString(string(text), "")
	require.NotContains(t, bare, "<controller")
	m, err := opendrive.Read("crossing.xodr", strings.NewReader(strings.ReplaceAll(bare, old, new)))
	require.NoError(t, err)
	return on(t, m, mocksim.Options{Seed: 2})
}

// TestLights_WithoutAController checks that lights without a controller take turns by the
// directions of their roads, as with the controllers of the crossing: traffic is the same.
func TestLights_WithoutAController(t *testing.T) {
	w, with := uncontrolled(t, "", ""), on(t, crossing(t).Map(), mocksim.Options{Seed: 2})
	for _, x := range []*mocksim.World{w, with} {
		require.NoError(t, x.Populate(mocksim.Traffic{Count: 12}))
	}
	for range 10 * 100 {
		require.Empty(t, steps(t, w, 1, 100*ms))
		require.Empty(t, steps(t, with, 1, 100*ms))
		for _, signal := range []string{"11", "12", "21", "22"} {
			require.Equal(t, with.LightOf(signal), w.LightOf(signal))
		}
		for k := range w.Len() {
			require.Equal(t, with.At(k).State(), w.At(k).State())
		}
	}
}

// TestLights_OfOneRoadOnly checks that the lights of a single road are red for a turn, too, and
// that variable signs are not lights.
func TestLights_OfOneRoadOnly(t *testing.T) {
	w := uncontrolled(t, `t="-4.2" dynamic="yes"`, `t="-4.2" dynamic="no"`)
	require.Equal(t, mocksim.LightGreen, w.LightOf("11"))
	steps(t, w, 30, timebase.Second)
	require.Equal(t, mocksim.LightRed, w.LightOf("11"))
	w = uncontrolled(t, `type="1000001"`, `type="274"`)
	require.Equal(t, mocksim.LightOff, w.LightOf("11"))
}

// TestLights_StopTraffic expects a car to stop at a red light and to continue when it turns green.
func TestLights_StopTraffic(t *testing.T) {
	w := crossing(t)
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego", Start: mocksim.OnRoad("1", -1,
		250).WithSpeed(10)}))
	require.NoError(t, w.SetController("ego", mocksim.Controller{}))
	ego, err := w.Actor("ego")
	require.NoError(t, err)
	m := w.Map().Road("1")
	for w.Time() < 24*timebase.Second {
		_, err := w.Step(20 * ms)
		require.NoError(t, err)
	}
	require.InDelta(t, 0, ego.State().Speed, 0.1)
	require.InDelta(t, m.Length-2-2, ego.Place().S+2.3, 0.5, "2 m before the light")
	for w.Time() < 30*timebase.Second {
		_, err := w.Step(20 * ms)
		require.NoError(t, err)
	}
	require.Greater(t, ego.State().Speed, 3.0)
}

// TestLights_LeaveRoomForLongVehicles expects a bus to turn into a road, in which it swings out into
// the oncoming lane, while a car stands at a red light there. If the bus would touch the car at the
// line, the car stands farther back until the bus has turned. After that, it waits at the line.
func TestLights_LeaveRoomForLongVehicles(t *testing.T) {
	type junction struct{ half, line float64 }
	list := []junction{{8, 499}, {12, 496}}
	if !testing.Short() {
		for half := 7.0; half <= 12; half++ {
			list = append(list, junction{half, 494}, junction{half, 498}, junction{half, 499.9})
		}
	}
	for _, j := range list {
		for _, kind := range []mocksim.Kind{mocksim.Bus, mocksim.Truck, mocksim.Car} {
			m := crossroads{half: j.half, ways: [][2]int{{south, north}, {west, south}},
				south: fmt.Sprintf(`<signal id="8" s="%g" t="-4" orientation="+" type="1000001"
country="OpenDRIVE" subtype="-1" dynamic="yes" zOffset="3"/>`, j.line)}.read(t)
			w := on(t, m, mocksim.Options{})
			require.NoError(t, w.SetLight("8", mocksim.LightRed))
			create(t, w, "waits", mocksim.Car, mocksim.OnRoad("2", -1, 440).WithSpeed(10))
			create(t, w, "turns", kind, mocksim.OnRoad("1", -1, 400).WithSpeed(8))
			for _, name := range []string{"waits", "turns"} {
				require.NoError(t, w.SetController(name, mocksim.Controller{}))
			}
			waits, err := w.Actor("waits")
			require.NoError(t, err)
			turns, err := w.Actor("turns")
			require.NoError(t, err)
			back := 0.0 // how far from its final place the car stands first
			for range 400 {
				require.Empty(t, steps(t, w, 1, 100*ms))
				if waits.State().Speed < 0.01 {
					back = max(back, j.line-2-waits.Place().S-waits.Shape().Length/2)
				}
			}
			if kind != mocksim.Car && j.line > 497 {
				require.Greater(t, back, 1.0, "%s %+v", kind, j)
				require.Less(t, back, 15.0, "%s %+v", kind, j)
			} else {
				require.InDelta(t, 0, back, 0.05, "%s %+v", kind, j)
			}
			require.Equal(t, "2", turns.Place().Road.ID, "%s %+v", kind, j)
			require.Less(t, turns.Place().S, 400.0, "%s %+v", kind, j)
			require.InDelta(t, 0, waits.State().Speed, 0.1)
			require.InDelta(t, j.line-2, waits.Place().S+waits.Shape().Length/2, 0.5, "%+v", j)
		}
	}
}

// TestLights_ForPedestriansStopNoVehicle checks that lights for pedestrians stop no vehicles,
// whatever their color.
func TestLights_ForPedestriansStopNoVehicle(t *testing.T) {
	for kind, stops := range map[string]bool{"1000001": true, "1000002": false, "1000013": false} {
		m, err := opendrive.Read("light.xodr", strings.NewReader(strings.Replace(open, "</lanes>",
			`</lanes><signals><signal id="7" name="" s="200" t="-4" dynamic="yes" orientation="+"
				zOffset="3" country="OpenDRIVE" type="`+kind+`" subtype="-1"/></signals>`, 1)))
		require.NoError(t, err)
		w := on(t, m, mocksim.Options{})
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -1, 100).WithSpeed(10))
		require.NoError(t, w.SetController("a", mocksim.Controller{}))
		require.NoError(t, w.SetLight("7", mocksim.LightRed))
		steps(t, w, 1000, 20*ms)
		require.Equal(t, stops, view(t, w, "a").State().Position.X < 200, kind)
	}
}
