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

// TestRail_OverTinyRecords checks the direction of a lane in a curve that consists of records of 1
// m and of 2 µm in turns, far from the origin, as in maps from surveys. Where the rounding of
// coordinates is not small compared to a record, the record must not turn vehicles: one used to
// start a sidestep at right angles to its lane.
func TestRail_OverTinyRecords(t *testing.T) {
	const curvature, length = 0.004, 20.0
	var geometry strings.Builder
	for k, s := 0, 0.0; s < length; k++ {
		part := min([]float64{1, 2e-6}[k%2], length-s)
		fmt.Fprintf(&geometry, `<geometry s="%.17g" x="%.17g" y="%.17g" hdg="%.17g"
length="%.17g"><arc curvature="%g"/></geometry>`, s, -5200+math.Sin(curvature*s)/curvature,
			-33000+(1-math.Cos(curvature*s))/curvature, curvature*s, part, curvature)
		s += part
	}
	m, err := opendrive.Read("tiny.xodr", strings.NewReader(fmt.Sprintf(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="%g" junction="-1">
<planView>%s</planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center>
<right><lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road></OpenDRIVE>`, length, geometry.String())))
	require.NoError(t, err)
	w, err := New(m, Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	r := w.rail(m.Lanes()[0])
	for k := range r.pieces {
		var p railPoint
		for _, share := range []float64{0, 0.3, 0.7, 1} {
			r.pieces[k].at(r.pieces[k].u0+share*r.pieces[k].length, &p)
			require.InDelta(t, curvature*p.s, p.angles.Yaw, 2e-5, "s = %g m", p.s)
			require.Less(t, math.Abs(p.turn.Yaw), 2*curvature, "s = %g m", p.s)
		}
	}
}

// TestRail_FarFromTheOrigin checks that a rail in a map with the coordinates of a national grid is as
// simple as at the origin. It used to be divided as finely as possible, because rounding errors
// exceeded the accuracy: such a map took 40 times as long.
func TestRail_FarFromTheOrigin(t *testing.T) {
	at := func(x, y float64) *rail {
		m, err := opendrive.Read("grid.xodr", strings.NewReader(fmt.Sprintf(
			`<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="400" junction="-1">
<planView><geometry s="0" x="%g" y="%g" hdg="0.3" length="400"><spiral curvStart="1e-6"
curvEnd="0.004"/></geometry></planView>
<elevationProfile><elevation s="0" a="500" b="0.01" c="1e-5" d="0"/></elevationProfile>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road></OpenDRIVE>`, x, y)))
		require.NoError(t, err)
		w, err := New(m, Options{})
		require.NoError(t, err)
		t.Cleanup(w.Close)
		return w.rail(m.Lanes()[0])
	}
	here, there := at(0, 0), at(692_000, 5_335_000)
	require.Len(t, there.pieces, len(here.pieces))
	require.InDelta(t, here.length, there.length, 1e-6)
	for u := 0.0; u < here.length; u += 3 {
		var a, b railPoint
		here.at(u, true, &a)
		there.at(u, true, &b)
		require.InDelta(t, a.position.X+692_000, b.position.X, 1e-7, "u = %g m", u)
		require.InDelta(t, a.position.Y+5_335_000, b.position.Y, 1e-7, "u = %g m", u)
		require.InDelta(t, a.angles.Yaw, b.angles.Yaw, 1e-8, "u = %g m", u)
		require.InDelta(t, a.curvature, b.curvature, 1e-7, "u = %g m", u)
	}
}

// laneOf returns the lane of a straight road of 10 m, and its rail.
func laneOf(t *testing.T, widths string) (*opendrive.Lane, *rail) {
	t.Helper()
	m, err := opendrive.Read("kinks.xodr", strings.NewReader(`<OpenDRIVE>
<header revMajor="1" revMinor="6"/><road id="1" length="10" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="10"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving">`+widths+`</lane></right></laneSection></lanes></road></OpenDRIVE>`))
	require.NoError(t, err)
	w, err := New(m, Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return m.Lanes()[0], w.rail(m.Lanes()[0])
}

// TestRail_KinksNearOtherRecords checks the middle of a lane whose width has kinks next to the start
// of the lane, and midway between other records, which jump by a few micrometres. The smoothed
// middle stays near the lane; it used to lie 200 km away, because its slope at the ends of the
// smoothed part was measured across the other records.
func TestRail_KinksNearOtherRecords(t *testing.T) {
	for name, widths := range map[string]string{
		"near the start": `<width sOffset="0" a="6.4" b="-0.17" c="0" d="0"/>
<width sOffset="0.96" a="6.2368" b="-0.15" c="0" d="0"/><width sOffset="1.9" a="6.0958" b="0.1" c="0"
d="0"/>`,
		"between records": `<width sOffset="0" a="3" b="0" c="0" d="0"/>
<width sOffset="2" a="3" b="0.1" c="0" d="0"/><width sOffset="3" a="3.100009" b="0.1" c="0" d="0"/>
<width sOffset="4" a="3.200009" b="-0.1" c="0" d="0"/>`,
		"near the end": `<width sOffset="0" a="3" b="0" c="0" d="0"/>
<width sOffset="9.2" a="3" b="0.2" c="0" d="0"/>`,
	} {
		l, r := laneOf(t, widths)
		require.NotEmpty(t, r.windows, name)
		require.InDelta(t, 10, r.length, 0.1, name)
		for s := 0.0; s <= 10; s += 0.01 {
			require.InDelta(t, l.Center(s), r.center(s), 0.05, "%s, s = %g m", name, s)
		}
	}
}

// TestRail_LeapOfAShortRecord checks that vehicles do not follow a record of 1 mm that leads 0.7 m
// aside and back: they used to turn in circles there.
func TestRail_LeapOfAShortRecord(t *testing.T) {
	_, r := laneOf(t, `<width sOffset="0" a="3" b="0" c="0" d="0"/>
<width sOffset="5" a="3" b="0" c="9e6" d="-9e9"/><width sOffset="5.001" a="3" b="0" c="0" d="0"/>`)
	require.InDelta(t, 10, r.length, 0.01)
	for k := range r.pieces {
		require.InDelta(t, 0, r.pieces[k].yaw.value(0), 1e-6)
	}
}

// TestRail_SectionWithoutLength checks that a map whose first two sections start at the same place
// is simulated; it used to end the program.
func TestRail_SectionWithoutLength(t *testing.T) {
	section := `<laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3" b="0" c="0" d="0"/></lane></right>
</laneSection>`
	m, err := opendrive.Read("twice.xodr", strings.NewReader(`<OpenDRIVE>
<header revMajor="1" revMinor="6"/><road id="1" length="100" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry></planView>
<lanes>`+section+section+`</lanes></road></OpenDRIVE>`))
	require.NoError(t, err)
	w, err := New(m, Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.Populate(Traffic{Count: 3}))
	_, err = w.Step(timebase.Second)
	require.NoError(t, err)
}
