package opendrive_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/mocksim/opendrive"
)

func TestStation_Clips(t *testing.T) {
	r := read(t, document(oneRoad{}.String())).Roads[0]
	for s, ok := range map[float64]bool{0: true, 100: true, -1e-7: true, 100 + 1e-7: true,
		100.00001: false, -1: false, math.NaN(): false} {
		st, err := r.Station(s)
		if !ok {
			require.ErrorIs(t, err, opendrive.ErrOutside, "%g", s)
			continue
		}
		require.NoError(t, err)
		require.InDelta(t, s, st.Origin.X, 1e-6)
	}
}

// TestSpiral_EndPoints compares end points with values that were integrated with 40 digits.
func TestSpiral_EndPoints(t *testing.T) {
	for _, c := range []struct{ start, end, length, u, v float64 }{
		{0, 0.01, 100, 97.52876882003445, 16.37140473757006},
		{-0.02, 0.03, 50, 49.48053429046287, -4.148093053370964},
		{0.5, -0.5, 30, -13.96581955438757, 6.265996624226824},
		{0.01, 0.0100000001, 100, 84.14709836916751, 45.96976953275284},
		{1e-7, 2e-7, 1000, 999.9999968333333, 0.06666666655119047},
	} {
		plan := geometry(c.length, `<spiral curvStart="%.17g" curvEnd="%.17g"/>`, c.start, c.end)
		st := station(t, read(t, document(oneRoad{plan: plan, length: c.length}.String())),
			c.length)
		require.InDelta(t, c.u, st.Origin.X, 1e-9)
		require.InDelta(t, c.v, st.Origin.Y, 1e-9)
		require.InDelta(t, (c.start+c.end)/2*c.length, st.Heading, 1e-12)
		require.InDelta(t, c.end, st.Curvature, 1e-15)
	}
}

func TestPoly3_MeetsQuadrature(t *testing.T) {
	plan := `<geometry s="0" x="10" y="20" hdg="0.5" length="100">` +
		`<poly3 a="0" b="0" c="0.002" d="-1e-5"/></geometry>`
	m := read(t, document(oneRoad{plan: plan}.String()))
	for s, want := range map[float64][4]float64{50: {51.940508219, 47.160801398, 0.624184605,
		0.000987167},
		100: {92.498048771, 76.399452836, 0.600771656, -0.001936517}} {
		st := station(t, m, s)
		for k, got := range []float64{st.Origin.X, st.Origin.Y, st.Heading, st.Curvature} {
			require.InDelta(t, want[k], got, 1e-9)
		}
	}
}

// TestStation_IsAnArcLengthParametrization checks that, for every kind of element, the arc length
// of the reference line is s, and its heading changes by its curvature.
func TestStation_IsAnArcLengthParametrization(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		length := rapid.Float64Range(5, 300).Draw(rt, "length")
		number := func(name string, limit float64) float64 {
			return rapid.Float64Range(-limit, limit).Draw(rt, name)
		}
		plan := rapid.SampledFrom([]string{
			geometry(length, `<line/>`),
			geometry(length, `<arc curvature="%.17g"/>`, number("curvature", 0.1)),
			geometry(length, `<spiral curvStart="%.17g" curvEnd="%.17g"/>`, number("start", 0.1),
				number("end", 0.1)),
			geometry(length, `<poly3 c="%.17g" d="%.17g"/>`, number("c", 1/length),
				number("d", 1/length/length)),
		}).Draw(rt, "plan")
		m := read(t, document(oneRoad{plan: plan, length: length}.String()))
		const step = 1e-4
		s := rapid.Float64Range(2*step, length-2*step).Draw(rt, "s")
		before, here, after := station(t, m, s-step), station(t, m, s), station(t, m, s+step)
		sin, cos := math.Sincos(here.Heading)
		require.InDelta(t, cos, (after.Origin.X-before.Origin.X)/(2*step), 1e-4)
		require.InDelta(t, sin, (after.Origin.Y-before.Origin.Y)/(2*step), 1e-4)
		require.InDelta(t, here.Curvature, (after.Heading-before.Heading)/(2*step), 1e-4)
	})
}

func TestSurface_Shape(t *testing.T) {
	shape := `<shape s="0" t="-5" a="0.1" b="-0.02"/><shape s="0" t="0" b="0.025"/>` +
		`<shape s="100" t="-5" a="0.2" b="-0.04"/><shape s="100" t="0" b="0.05"/>`
	r := read(t, document(oneRoad{lateral: shape}.String())).Roads[0]
	require.InDelta(t, 0.05, r.SurfaceHeight(25, -2), 1e-12)
	require.InDelta(t, 0.1125, r.SurfaceHeight(50, 3), 1e-12)
	require.InDelta(t, 0.1, r.SurfaceHeight(-1, -5), 1e-12)
	require.InDelta(t, 0.22, r.SurfaceHeight(200, -5.5), 1e-12,
		"right of all parts the first one holds")
}

func TestSurface_Crossfall(t *testing.T) {
	for side, want := range map[string][2]float64{"both": {-0.1, -0.1}, "left": {-0.1, 0},
		"right": {0, -0.1}} {
		r := read(t, document(oneRoad{lateral: `<crossfall side="` + side +
			`" s="10" a="0.0499583957219427"/>`}.String())).Roads[0]
		require.InDelta(t, want[0], r.SurfaceHeight(20, 2), 1e-9, side)
		require.InDelta(t, want[1], r.SurfaceHeight(20, -2), 1e-9, side)
		require.Zero(t, r.SurfaceHeight(5, 2))
	}
}

func TestStation_AttitudeOfVehicles(t *testing.T) {
	m := read(t,
		document(oneRoad{elevation: `<elevation s="0" b="0.1"/>`,
			lateral: `<superelevation s="0" a="0.05"/>`}.String()))
	st := station(t, m, 50)
	up, down := st.Attitude(st.Heading), st.Attitude(st.Heading+math.Pi)
	require.InDelta(t, -math.Atan(0.1), up.Pitch, 1e-12, "nose up is negative")
	require.InDelta(t, up.Pitch, -down.Pitch, 1e-12)
	require.InDelta(t, 0.05, up.Roll, 1e-12)
	require.InDelta(t, -0.05, down.Roll, 1e-12)
	require.Negative(t, st.Point(-3, 0).Z-st.Origin.Z, "superelevation falls to the right")
	arc := read(t, document(oneRoad{plan: geometry(100, `<arc curvature="0.01"/>`)}.String()))
	curve := station(t, arc, 50)
	require.InDelta(t, 0.0111111, curve.CurvatureAt(10), 1e-6)
}

func TestLane_AdvanceAlongACurve(t *testing.T) {
	m := read(t, document(oneRoad{plan: geometry(700, `<arc curvature="0.01"/>`),
		length: 700}.String()))
	lane := m.Roads[0].Sections[0].Lane(-1)
	s, rest := lane.Advance(500, 100)
	require.InDelta(t, 598.280098, s, 1e-6)
	require.Zero(t, rest)
	s, rest = lane.Advance(500, 1000)
	require.InDelta(t, 700, s, 1e-12)
	require.InDelta(t, 1000-200*1.0175, rest, 1e-6)
	s, rest = lane.Advance(500, -100)
	require.InDelta(t, 401.719902, s, 1e-6)
	require.Zero(t, rest)
}

// TestStation_BeyondTheReferenceLine checks that a road that is longer than its reference line
// continues with the last line, arc or spiral.
func TestStation_BeyondTheReferenceLine(t *testing.T) {
	bent := [2]float64{100 * math.Sin(0.75), 100 * (1 - math.Cos(0.75))}
	for curve, want := range map[string][2]float64{`<line/>`: {75, 0},
		`<arc curvature="0.01"/>`: bent, `<spiral curvStart="0.01" curvEnd="0.01"/>`: bent} {
		m := read(t, document(oneRoad{plan: geometry(50, "%s", curve)}.String()))
		st := station(t, m, 75)
		require.InDelta(t, want[0], st.Origin.X, 1e-9, curve)
		require.InDelta(t, want[1], st.Origin.Y, 1e-9, curve)
		p := st.Point(-2, 0)
		place := m.Locate(p)
		require.Zero(t, place.Distance, curve)
		require.InDelta(t, 75, place.S, 1e-6, curve)
		require.Contains(t, rulesOf(m.Check()), "X-PLAN-S")
	}
}
