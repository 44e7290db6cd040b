package opendrive_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/mocksim/opendrive"
)

// TestX1_Versions checks X1: versions 1.4 to 1.8 are read without a warning and others with one,
// and missing coefficients are 0.
func TestX1_Versions(t *testing.T) {
	for minor := 1; minor <= 9; minor++ {
		text := strings.Replace(document(oneRoad{elevation: `<elevation s="0" a="2"/>`}.String()),
			`revMinor="8"`, fmt.Sprintf(`revMinor="%d"`, minor), 1)
		m := read(t, text)
		warnings := 0
		for _, f := range m.Check() {
			if f.ID == "X-VERSION" {
				require.Equal(t, finding.Warning, f.Severity)
				warnings++
			}
		}
		want := 0
		if minor < 4 || minor > 8 {
			want = 1
		}
		require.Equal(t, want, warnings, "1.%d", minor)
		require.InDelta(t, 2, station(t, m, 50).Origin.Z, 0)
	}
}

// TestX4_OffsetThatTurns checks X4: a rotated offset gives a warning; it rotates first and then
// translates.
func TestX4_OffsetThatTurns(t *testing.T) {
	text := strings.Replace(document(oneRoad{}.String()), "</geoReference>",
		`</geoReference><offset x="100" y="50" z="3" hdg="0.5"/>`, 1)
	m := read(t, text)
	require.True(t, has(m.Check(), "X-GEO", finding.Warning))
	st := station(t, m, 10)
	w := m.Header.World(st.Point(0, 0))
	require.InDelta(t, 100+10*math.Cos(0.5), w.X, 1e-12)
	require.InDelta(t, 50+10*math.Sin(0.5), w.Y, 1e-12)
	require.InDelta(t, 3, w.Z, 1e-12)
}

// TestX8_ArcsWithoutCurvature checks X8: an arc compared with sums of sines and cosines, and an arc
// of curvature 0, which is a line.
func TestX8_ArcsWithoutCurvature(t *testing.T) {
	for _, k := range []float64{0, 1e-12, 1e-4, -0.005} {
		st := station(t, read(t, document(oneRoad{plan: geometry(100, `<arc curvature="%g"/>`,
			k)}.String())), 80)
		x, y, a := 80.0, 40*80*k, 80*k // by series: sin a / k and (1 - cos a) / k
		x *= 1 - a*a/6 + a*a*a*a/120 - math.Pow(a, 6)/5040 + math.Pow(a, 8)/362880
		y *= 1 - a*a/12 + a*a*a*a/360 - math.Pow(a, 6)/20160 + math.Pow(a, 8)/1814400
		require.InDelta(t, x, st.Origin.X, 1e-9)
		require.InDelta(t, y, st.Origin.Y, 1e-9)
		require.InDelta(t, a, st.Heading, 1e-12)
	}
}

// TestX13_TinyGeometries checks X13: every joint of Town07 has a position, although some of its
// geometries are shorter than a micrometer.
func TestX13_TinyGeometries(t *testing.T) {
	joints := 0
	for _, r := range load(t, "carla_town07.xodr").Roads {
		for _, g := range r.Plan {
			for _, s := range []float64{g.S, g.S + g.Length} {
				st, err := r.Station(min(s, r.Length))
				require.NoError(t, err)
				require.True(t, st.Point(1, 0).Finite() && !math.IsNaN(st.Heading+st.Curvature),
					"road %s s %g", r.ID, s)
				joints++
			}
		}
	}
	require.Greater(t, joints, 1000)
}

// TestX24_LanesForCars checks X24: the types of lanes on which cars drive.
func TestX24_LanesForCars(t *testing.T) {
	for _, kind := range []string{"driving", "bidirectional", "entry", "exit", "onRamp", "offRamp",
		"connectingRamp", "slipLane", "mwyEntry",
		"mwyExit", "shared", "bus", "taxi", "HOV", "-", "none", "shoulder", "border", "stop",
		"restricted", "parking", "biking", "sidewalk",
		"walking", "median", "curb", "tram", "rail", "special1", ""} {
		lane := lanes(t, noJunction, `<laneSection s="0">`+center+`<right><lane id="-1" type="`+
			kind+`"><width a="3"/></lane></right></laneSection>`).Lane(-1)
		_, others,
			_ := strings.Cut(
			"- none shoulder border stop restricted parking biking sidewalk walking median curb "+
				"tram rail special1", "-")
		drivable := kind != "" && kind != "-" && !strings.Contains(others+" ", " "+kind+" ")
		require.Equal(t, drivable, lane.Drivable(), kind)
	}
}

// TestX26_RoadMarks checks X26: road marks and their colors, each up to the next one.
func TestX26_RoadMarks(t *testing.T) {
	types := map[string]bool{}
	for _, l := range lanesOf(load(t, "straight_500m_roadmarks.xodr")) {
		for _, m := range l.Marks {
			types[m.Type] = true
		}
	}
	require.True(t, types["solid"] && types["broken"], "%v", types)
}

// TestX29_DirectJunction checks X29: a direct junction leads from road to road.
func TestX29_DirectJunction(t *testing.T) {
	m := load(t, "direct_junction_simple.xodr")
	from := opendrive.Course{Lane: m.Road("1").Sections[len(m.Road("1").Sections)-1].Lane(-3),
		Forwards: true}
	var next []string
	for _, c := range m.Next(from) {
		next = append(next, fmt.Sprintf("%s/%d", c.Lane.Section.Road.ID, c.Lane.ID))
	}
	require.Equal(t, []string{"3/-1"}, next)
}

// TestX35_ObjectPose checks X35: the middle of an object is half its height above its base.
func TestX35_ObjectPose(t *testing.T) {
	r := read(t, document(oneRoad{elevation: `<elevation s="0" a="5"/>`,
		rest: `<objects><object id="1" s="50" t="-6" zOffset="0.5" hdg="0.3" length="2" ` +
			`width="1" height="3"/></objects>`}.String())).Roads[0]
	pose, err := r.Objects[0].Pose(r)
	require.NoError(t, err)
	require.InDelta(t, 50, pose.Position.X, 1e-12)
	require.InDelta(t, -6, pose.Position.Y, 1e-12)
	require.InDelta(t, 5+0.5+1.5, pose.Position.Z, 1e-12)
	require.InDelta(t, 0.3, pose.Orientation.Yaw, 1e-12)
}
