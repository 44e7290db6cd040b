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
