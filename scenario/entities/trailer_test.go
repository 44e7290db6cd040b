package entities_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTrailer checks that a trailer follows its vehicle: its coupler stays at the hitch, and the
// trailer turns towards the hitch.
func TestTrailer(t *testing.T) {
	hitched := strings.Replace(car("A", "10"), "<Properties/>", `<Properties/><TrailerHitch
dx="-1"/><Trailer><TrailerRef entityRef="T"/></Trailer>`, 1)
	trailer := strings.Replace(car("T", "10"), "<Properties/>", `<Properties/><TrailerCoupler
dx="4"/>`, 1)
	change := `<LateralAction><LaneChangeAction>` + dynamics("LaneChangeActionDynamics",
		"sinusoidal", "time", 3) +
		`<LaneChangeTarget><AbsoluteTargetLane value="-2"/></LaneChangeTarget></LaneChangeAction>
</LateralAction>`
	r := start(t, hitched+trailer, one(10), story(change))
	b := r.until(0, 1)
	require.InDelta(t, 95, b.X, 1e-9)
	turned := 0.0
	for k := range 400 {
		a := r.until(1+float64(k)/100, 0)
		b := r.until(1+float64(k)/100, 1)
		x, y := a.X-math.Cos(a.H)-b.X, a.Y-math.Sin(a.H)-b.Y
		require.InDelta(t, 4, math.Hypot(x, y), 1e-9)
		require.InDelta(t, 0, math.Remainder(math.Atan2(y, x)-b.H, 2*math.Pi), 1e-9)
		require.InDelta(t, 10, b.Speed, 1e-9)
		turned = max(turned, math.Abs(math.Remainder(b.H, 2*math.Pi)))
	}
	require.Greater(t, turned, 0.05)
	b = r.until(20, 1)
	require.InDelta(t, -5.25, b.Y, 1e-3)
	require.Equal(t, -2, b.Lane)
}

// TestTrailer_DescribedWithinItsVehicle checks that a trailer that is described inside its vehicle
// is not an entity but exists and follows the vehicle, as does a second trailer behind it.
func TestTrailer_DescribedWithinItsVehicle(t *testing.T) {
	described := func(name, rest string) string {
		x := strings.NewReplacer("ScenarioObject", "Trailer", "<Properties/>",
			`<Properties/><TrailerCoupler dx="4"/><TrailerHitch dx="-1"/>`+rest)
		return `<Trailer>` + x.Replace(car(name, "10")) + `</Trailer>`
	}
	hitched := strings.Replace(car("A", "10"), "<Properties/>",
		`<Properties/><TrailerHitch dx="-1"/>`+described("T", described("U", "")), 1)
	r := start(t, hitched, one(10), "")
	r.until(2, 0)
	a := r.world.State(0)
	x := a.X
	for _, name := range []string{"A.T", "A.T.U"} {
		v, err := r.world.Simulation().Actor(name)
		require.NoError(t, err)
		require.InDelta(t, x-5+1.4, v.State().Position.X, 1e-9, "the middle of its box")
		require.InDelta(t, 10, v.State().Speed, 1e-9)
		x -= 5
	}
}
