package mocksim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// The base saturation flow rate of the Highway Capacity Manual for a signalised approach, in
// passenger cars per hour and lane, and how far the simulator may be from it.
const (
	saturationFlow      = 1900.0
	saturationTolerance = 0.2
)

// signalised is a long road with a light at s = 600 m.
func signalised(t testing.TB) *opendrive.Map {
	t.Helper()
	text := strings.ReplaceAll(open, `"300"`, `"1200"`)
	text = strings.Replace(text, "</lanes>", `</lanes><signals><signal id="7" name="" s="600"
		t="-4" dynamic="yes" orientation="+" zOffset="3" country="OpenDRIVE" type="1000001"
		subtype="-1"/></signals>`, 1)
	m, err := opendrive.Read("signalised.xodr", strings.NewReader(text))
	require.NoError(t, err)
	return m
}

// headways lets a queue of vehicles on road 1 start when a light turns green, and returns the times
// at which they pass the stop line, in s.
func headways(t *testing.T, m *opendrive.Map, light string, line float64, kinds []mocksim.Kind,
	d mocksim.Driver) (passed []float64) {
	t.Helper()
	const h = 50 * ms
	w := on(t, m, mocksim.Options{})
	front := line - 1
	name := func(k int) string { return fmt.Sprintf("car%02d", k) }
	for k, kind := range kinds {
		half := kind.Shape().Length / 2
		create(t, w, name(k), kind, mocksim.OnRoad("1", -1, front-half))
		require.NoError(t, w.SetController(name(k), mocksim.Controller{Driver: d}))
		front -= 2*half + 2
	}
	require.NoError(t, w.SetLight(light, mocksim.LightRed))
	require.Empty(t, steps(t, w, 200, h))
	require.NoError(t, w.SetLight(light, mocksim.LightGreen))
	began := w.Time()
	for len(passed) < len(kinds) && w.Time() < began+300*timebase.Second {
		require.Empty(t, steps(t, w, 1, h))
		v := view(t, w, name(len(passed)))
		over := v.Place().S + v.Shape().Length/2 - line
		if v.Place().Road.ID != "1" {
			over = 0.01
		}
		if over > 0 {
			passed = append(passed, (w.Time()-began).Seconds()-over/v.State().Speed)
		}
	}
	require.Len(t, passed, len(kinds))
	return passed
}

// TestSaturation_OfASignalisedApproach measures the saturation flow rate as the Highway Capacity
// Manual does, from the time when the fourth vehicle of a queue passes the stop line, and compares
// it with the Manual's 1900 passenger cars per hour and lane. Lorries count as two cars (the
// Manual's equivalent for level terrain).
func TestSaturation_OfASignalisedApproach(t *testing.T) {
	cars := make([]mocksim.Kind, 24)
	mixed := make([]mocksim.Kind, 24)
	for k := range mixed {
		if k%8 == 6 {
			mixed[k] = mocksim.Truck
		}
	}
	for name, c := range map[string]struct {
		kinds []mocksim.Kind
		d     mocksim.Driver
		units float64 // passenger cars that pass after the fourth vehicle
	}{
		"cars at 50 km/h":     {cars, mocksim.Driver{}, 20},
		"cars at 30 km/h":     {cars, mocksim.Driver{Speed: 30 / 3.6}, 20},
		"cars at 70 km/h":     {cars, mocksim.Driver{Speed: 70 / 3.6}, 20},
		"one lorry in eight":  {mixed, mocksim.Driver{}, 23},
		"driving on steering": {cars, mocksim.Driver{Steering: true}, 20},
	} {
		passed := headways(t, signalised(t), "7", 600, c.kinds, c.d)
		flow := 3600 * c.units / (passed[23] - passed[3])
		t.Logf("%s: %.0f cars/h, the first one after %.1f s", name, flow, passed[0])
		require.InEpsilon(t, saturationFlow, flow, saturationTolerance, name)
		lost := passed[3] - 4*3600/saturationFlow
		require.Less(t, lost, 5.0, "%s: start-up lost time", name)
	}
}

// TestSaturation_OfAJunction measures the same at a junction where vehicles turn at random, which
// the Manual's figure does not include.
func TestSaturation_OfAJunction(t *testing.T) {
	m, err := opendrive.ReadFile("../examples/maps/crossing.xodr")
	require.NoError(t, err)
	passed := headways(t, m, "12", m.Road("1").Length-2, make([]mocksim.Kind, 24),
		mocksim.Driver{})
	flow := 3600 * 20 / (passed[23] - passed[3])
	t.Logf("%.0f cars/h", flow)
	require.InEpsilon(t, saturationFlow, flow, saturationTolerance)
}
