package mocksim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// digitized returns a road of two lanes whose reference line has a line of 50 m, some other
// geometry, and another line of 50 m in a direction.
func digitized(t *testing.T, between string, s, x, y, heading float64) *opendrive.Map {
	t.Helper()
	m, err := opendrive.Read("digitized.xodr", strings.NewReader(fmt.Sprintf(`<OpenDRIVE>
<header revMajor="1" revMinor="6"/><road id="1" length="%.9f" junction="-1"><planView>
<geometry s="0" x="0" y="0" hdg="0" length="50"><line/></geometry>%s
<geometry s="%.9f" x="%.9f" y="%.9f" hdg="%.9f" length="50"><line/></geometry></planView><lanes>
<laneSection s="0"><left><lane id="1" type="driving"><width sOffset="0" a="3.2" b="0" c="0" d="0"/>
</lane></left><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<width sOffset="0" a="3.2" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>
</OpenDRIVE>`, s+50, between, s, x, y, heading)))
	require.NoError(t, err)
	return m
}

// TestRail_OverAWiggle checks that vehicles drive straight over a digitized point that lies some
// centimetres beside the road, where the reference line turns with a radius of 1 to 2 m.
func TestRail_OverAWiggle(t *testing.T) {
	cubic := func(s, x, y, v1, v2 float64) string {
		return fmt.Sprintf(`<geometry s="%g" x="%g" y="%g" hdg="0" length="1.6"><paramPoly3 `+
			`pRange="normalized" aU="0" bU="1.2" cU="1.2" dU="-0.8" aV="0" bV="0" cV="%g" dV="%g"/>`+
			`</geometry>`, s, x, y, v1, v2)
	}
	m := digitized(t, cubic(50, 50, 0, 0.39, -0.26)+cubic(51.6, 51.6, 0.13, -0.39, 0.26), 53.2, 53.2,
		0, 0)
	w := newWorld(t, m)
	for _, id := range []int{1, -1} {
		l := m.Road("1").Sections[0].Lane(id)
		r := w.rail(l)
		sharp := 0.0
		var p railPoint
		for u := 0.0; u <= r.length; u += 0.01 {
			r.at(u, true, &p)
			sharp = max(sharp, math.Abs(p.curvature))
			st, err := m.Road("1").Station(p.s)
			require.NoError(t, err)
			middle := l.Point(&st, l.Center(p.s))
			require.Less(t, math.Hypot(p.position.X-middle.X, p.position.Y-middle.Y), 0.2)
		}
		require.Less(t, sharp, 0.1, "lane %d", id)
		require.Empty(t, r.joints)
		truck := Truck.Shape()
		require.True(t, w.viable(truck.steerable())[courseNumber(opendrive.Course{Lane: l,
			Forwards: id < 0})])
	}
}

// TestRail_InATightCurve checks that vehicles follow a curve that really is tight.
func TestRail_InATightCurve(t *testing.T) {
	const radius = 5.0
	m := digitized(t, fmt.Sprintf(`<geometry s="50" x="50" y="0" hdg="0" length="%.9f">
<arc curvature="0.2"/></geometry>`, radius*math.Pi/2), 50+radius*math.Pi/2, 50+radius, radius,
		math.Pi/2)
	r := newWorld(t, m).rail(m.Road("1").Sections[0].Lane(1))
	require.Empty(t, r.bends)
	require.InDelta(t, 1/(radius-1.6), r.most, 1e-6)
}

// bent returns a map with one road of two lanes that begins in a direction. Each of its arcs has a
// curvature and a length.
func bent(t *testing.T, heading float64, arcs ...[2]float64) *opendrive.Map {
	t.Helper()
	s, x, y := 0.0, 0.0, 0.0
	var plan strings.Builder
	for _, a := range arcs {
		fmt.Fprintf(&plan, `<geometry s="%.12f" x="%.12f" y="%.12f" hdg="%.12f" length="%.12f">`+
			`<arc curvature="%g"/></geometry>`, s, x, y, heading, a[1], a[0])
		next := heading + a[0]*a[1]
		x += (math.Sin(next) - math.Sin(heading)) / a[0]
		y -= (math.Cos(next) - math.Cos(heading)) / a[0]
		s, heading = s+a[1], next
	}
	lane := func(id int) string {
		return fmt.Sprintf(`<lane id="%d" type="driving"><width sOffset="0" a="3.2" b="0" c="0" `+
			`d="0"/></lane>`, id)
	}
	m, err := opendrive.Read("bent.xodr", strings.NewReader(fmt.Sprintf(`<OpenDRIVE>
<header revMajor="1" revMinor="6"/><road id="1" length="%.12f" junction="-1"><planView>%s</planView>
<lanes><laneSection s="0"><left>%s</left><center><lane id="0" type="none"/></center>
<right>%s</right></laneSection></lanes></road></OpenDRIVE>`, s, plan.String(), lane(1), lane(-1))))
	require.NoError(t, err)
	return m
}

// TestRail_OverAWiggleInACurve checks that the curve over a bend begins and ends with the curvature
// of the lane, in whatever direction the road leads.
func TestRail_OverAWiggleInACurve(t *testing.T) {
	for heading := 0.0; heading < 6; heading += 0.7 {
		m := bent(t, heading, [2]float64{0.02, 50}, [2]float64{0.42, 0.2}, [2]float64{-0.38, 0.4},
			[2]float64{0.42, 0.2}, [2]float64{0.02, 50})
		r := newWorld(t, m).rail(m.Road("1").Sections[0].Lane(-1))
		require.Len(t, r.bends, 1)
		for _, s := range []float64{r.bends[0].from, r.bends[0].to} {
			var before, after railPoint
			r.at(r.way(s, true)-1e-5, true, &before)
			r.at(r.way(s, true)+1e-5, true, &after)
			require.InDelta(t, before.curvature, after.curvature, 1e-3, "heading %g", heading)
			require.InDelta(t, 0.02/(1+0.02*1.6), after.curvature, 1e-3, "heading %g", heading)
		}
	}
}

// TestRail_OverWigglesOfDifferentSize checks that curves close to each other become one that begins
// and ends where the widest one does.
func TestRail_OverWigglesOfDifferentSize(t *testing.T) {
	small := [][2]float64{{0.3, 0.1}, {-0.3, 0.2}, {0.3, 0.1}}
	large := [][2]float64{{0.42, 0.2}, {-0.42, 0.4}, {0.42, 0.2}}
	pause := [][2]float64{{1e-9, 0.8}}
	long := [][2]float64{{1e-9, 50}}
	for _, order := range [][][][2]float64{{long, small, pause, large, long},
		{long, large, pause, small, long}} {
		m := bent(t, 0.3, slices.Concat(order...)...)
		r := newWorld(t, m).rail(m.Road("1").Sections[0].Lane(-1))
		require.Len(t, r.bends, 1)
		middle := 50 + (0.4+0.8+0.8)/2
		require.Less(t, r.bends[0].from, middle-2.2)
		require.Greater(t, r.bends[0].to, middle+2.2)
	}
}
