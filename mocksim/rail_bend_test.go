package mocksim

import (
	"fmt"
	"math"
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
