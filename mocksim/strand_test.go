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

// sections returns a straight road whose right lane has sections that start with the given widths
// and slopes.
func sections(t *testing.T, list [][3]float64, length float64) *opendrive.Map {
	t.Helper()
	var lanes strings.Builder
	for k, x := range list {
		link := ""
		if k > 0 {
			link = `<predecessor id="-1"/>`
		}
		if k+1 < len(list) {
			link += `<successor id="-1"/>`
		}
		fmt.Fprintf(&lanes, `<laneSection s="%g"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link>%s</link><width sOffset="0" a="%g" b="%g" c="0" d="0"/></lane>
</right></laneSection>`, x[0], link, x[1], x[2])
	}
	m, err := opendrive.Read("sections.xodr", strings.NewReader(fmt.Sprintf(
		`<OpenDRIVE><header revMajor="1" revMinor="7"/><road id="1" length="%g" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="%g"><line/></geometry></planView>
<lanes>%s</lanes></road></OpenDRIVE>`, length, length, lanes.String())))
	require.NoError(t, err)
	return m
}

// TestStrand_ShortSections checks that vehicles can follow a lane of many short sections whose
// width changes at once, as in maps from surveys: the path is continuous from section to section,
// turns no more sharply than a car, and stays near the middle. It used to follow each change, with
// the steering at its limit.
func TestStrand_ShortSections(t *testing.T) {
	m := sections(t, [][3]float64{{0, 4, 0}, {40, 4, -1.4}, {40.5, 3.3, -1.4}, {40.7, 3.02, 0},
		{41.3, 3.02, 0.6}, {42.3, 3.62, 0}, {42.8, 3.62, 0}, {43.1, 3.62, -2}, {43.25, 3.32, 0},
		{45, 3.32, 0.9}, {45.7, 3.95, 0}}, 90)
	w, err := New(m, Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	var last railPoint
	for k, l := range m.Lanes() {
		if l.ID == 0 {
			continue
		}
		r := w.rail(l)
		var p railPoint
		for u := 0.0; u < r.length; u += 0.01 {
			r.at(u, true, &p)
			require.Less(t, math.Abs(p.curvature), 0.15, "s = %g m", p.s)
			require.InDelta(t, l.Center(p.s), p.position.Y, 0.3, "s = %g m", p.s)
		}
		if r.at(0, true, &p); k > 1 {
			gap := last.gapTo(&p)
			require.Less(t, gap.distance+math.Abs(gap.angle), 1e-6, "s = %g m", p.s)
			require.InDelta(t, last.curvature, p.curvature, 1e-4, "s = %g m", p.s)
		}
		r.at(r.length, true, &last)
	}
	require.NoError(t, w.Populate(Traffic{Count: 3}))
	for range 200 {
		_, err := w.Step(100 * timebase.Millisecond)
		require.NoError(t, err)
		for k := range w.Len() {
			require.Less(t, math.Abs(w.At(k).State().Steering), 0.4)
		}
	}
}

// TestStrand_LoneKinks checks that a kink with room around it keeps its window, and that a kink
// between two long sections remains a joint, which vehicles cross according to their speed.
func TestStrand_LoneKinks(t *testing.T) {
	m := sections(t, [][3]float64{{0, 3, 0}, {40, 3, 0.1}, {50, 4, 0}}, 90)
	for _, l := range m.Lanes() {
		if l.ID != 0 {
			x := strandOf(m, l)
			require.Len(t, x.lanes, 3)
			require.Len(t, x.kinks, 2)
			require.Empty(t, x.windows)
		}
	}
}

// TestStrand_ShortRoads checks that vehicles cross roads that are too short for the change of the
// width on them. A road of 0.15 m with a jump of millimetres used to stop all of them.
func TestStrand_ShortRoads(t *testing.T) {
	road := func(id string, from, length float64, links, lane, widths string) string {
		return fmt.Sprintf(`<road id="%s" length="%g" junction="-1"><link>%s</link><planView>
<geometry s="0" x="%g" y="0" hdg="0" length="%g"><line/></geometry></planView><lanes>
<laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<link>%s</link>%s</lane></right></laneSection></lanes></road>`, id, length, links, from, length,
			lane, widths)
	}
	link := func(kind, road, at string) string {
		return fmt.Sprintf(`<%s elementType="road" elementId="%s" contactPoint="%s"/>`, kind, road,
			at)
	}
	width := func(s, a, b float64) string {
		return fmt.Sprintf(`<width sOffset="%g" a="%g" b="%g" c="0" d="0"/>`, s, a, b)
	}
	const before, after = `<predecessor id="-1"/>`, `<successor id="-1"/>`
	for _, length := range []float64{0.1, 0.15, 0.3, 0.6, 1, 2} {
		for _, jump := range [][2]float64{{0.004, 0}, {0.1, 0}, {1, 0}, {0, 0.3}, {0, 1}} {
			end := 3.5 + jump[0] + jump[1]*length/2
			m, err := opendrive.Read("short.xodr", strings.NewReader(
				`<OpenDRIVE><header revMajor="1" revMinor="7"/>`+
					road("0", 0, 200, link("successor", "1", "start"), after, width(0, 3.5, 0))+
					road("1", 200, length, link("predecessor", "0", "end")+link("successor", "2",
						"start"), before+after, width(0, 3.5, 0)+
						width(length/2, 3.5+jump[0], jump[1]))+
					road("2", 200+length, 200, link("predecessor", "1", "end"), before,
						width(0, end, 0))+`</OpenDRIVE>`))
			require.NoError(t, err)
			require.True(t, crosses(t, m, 200+length), "%g m, %g", length, jump)
		}
	}
}

// crosses reports whether a vehicle crosses a place on a road along x within 50 s.
func crosses(t *testing.T, m *opendrive.Map, x float64) bool {
	t.Helper()
	w, err := New(m, Options{Seed: 3})
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Populate(Traffic{Count: 4}))
	before := map[uint64]bool{}
	for range 500 {
		_, err := w.Step(100 * timebase.Millisecond)
		require.NoError(t, err)
		for k := range w.Len() {
			v := w.At(k)
			switch at := v.State().Position.X; {
			case at < x-5:
				before[v.ID()] = true
			case at > x+5 && before[v.ID()]:
				return true
			}
		}
	}
	return false
}
