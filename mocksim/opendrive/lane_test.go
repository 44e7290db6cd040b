package opendrive_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

func geometry(length float64, curve string, arguments ...any) string {
	return fmt.Sprintf(`<geometry s="0" x="0" y="0" hdg="0" length="%g">`, length) +
		fmt.Sprintf(curve, arguments...) + `</geometry>`
}

func lanes(t *testing.T, attributes, section string) *opendrive.Section {
	t.Helper()
	return read(t,
		document(oneRoad{attributes: attributes, sections: section,
			lateral: `<superelevation s="0" a="0.1"/>`}.String())).Roads[0].Sections[0]
}

func TestLane_Directions(t *testing.T) {
	section := `<laneSection s="0">` + center +
		`<right><lane id="-1" type="driving" %s><width a="3"/></lane></right></laneSection>`
	for _, c := range []struct {
		attributes, lane    string
		forwards, backwards bool
	}{
		{noJunction, "", true, false}, {noJunction + ` rule="LHT"`, "", false, true},
		{noJunction, `direction="reversed"`, false, true},
		{noJunction + ` rule="LHT"`, `direction="reversed"`, true, false},
		{noJunction, `direction="both"`, true, true},
	} {
		forwards, backwards := lanes(t, c.attributes, fmt.Sprintf(section, c.lane)).Lane(
			-1).Directions()
		require.Equal(t, c.forwards, forwards, "%+v", c)
		require.Equal(t, c.backwards, backwards, "%+v", c)
	}
}

func TestLane_HeightAndLevel(t *testing.T) {
	s := lanes(t, noJunction, `<laneSection s="0">`+center+`<right>
		<lane id="-1" type="driving"><width a="4"/></lane>
		<lane id="-2" type="sidewalk" level="true"><width a="2"/><height sOffset="10" inner="0.1" outer="0.3"/></lane>
		<lane id="-3" type="sidewalk"><width a="2"/></lane></right></laneSection>`)
	st, err := s.Road.Station(50)
	require.NoError(t, err)
	walk := s.Lane(-2)
	require.Zero(t, walk.Height(5, -5))
	require.InDelta(t, 0.2, walk.Height(50, -5), 1e-12)
	edge := st.Surface(-4).Z
	require.InDelta(t, -4*math.Sin(0.1), edge, 1e-12)
	require.InDelta(t, edge+0.2, walk.Point(&st, -5).Z, 1e-12,
		"level at the height of the border inside")
	require.InDelta(t, edge, s.Lane(-3).Point(&st, -7).Z, 1e-12, "lanes farther out are level too")
	require.InDelta(t, st.Surface(-5).Y, walk.Point(&st, -5).Y, 1e-12, "the projection stays")
	require.InDelta(t, st.Surface(-2).Z, s.Lane(-1).Point(&st, -2).Z, 1e-12)
}

func TestLane_SpeedLimits(t *testing.T) {
	section := `<laneSection s="0">` + center + `<right><lane id="-1" type="driving"><width a="4"/>
		<speed sOffset="20" max="60" unit="mph"/><speed sOffset="60" max="no limit"/>
		<speed sOffset="80" max="-1" unit="km/h"/></lane></right></laneSection>`
	m := read(t, document(oneRoad{sections: section,
		rest: `<type s="0" type="motorway"><speed max="130" unit="km/h"/></type>`}.String()))
	lane := m.Roads[0].Sections[0].Lane(-1)
	for s, want := range map[float64]float64{10: 36.1111, 30: 26.8224} {
		limit, ok := lane.SpeedLimit(s)
		require.True(t, ok)
		require.InDelta(t, want, limit, 1e-4)
	}
	for _, s := range []float64{70, 90} {
		_, ok := lane.SpeedLimit(s)
		require.False(t, ok, "s = %g m", s)
	}
}

func TestSection_SingleSideCarriesTheOtherOn(t *testing.T) {
	m := read(t, document(oneRoad{sections: twoLanes + `<laneSection s="40" singleSide="true">` +
		center +
		`<right><lane id="-1" type="driving"><link><predecessor id="-1"/></link><width a="2"/>` +
		`</lane></right></laneSection>`}.String()))
	second := m.Roads[0].Sections[1]
	require.InDelta(t, 3.5, second.Lane(1).Width(60), 1e-12)
	require.InDelta(t, 2, second.Lane(-1).Width(60), 1e-12)
	end := opendrive.LaneEnd{Lane: second.Lane(1), At: opendrive.AtStart}
	require.Equal(t, []opendrive.LaneEnd{{Lane: m.Roads[0].Sections[0].Lane(1),
		At: opendrive.AtEnd}}, m.Joined(end))
}

func TestRoute_ChangesLanesWhereMarksAllow(t *testing.T) {
	section := `<laneSection s="0">` + center +
		`<right><lane id="-1" type="driving"><width a="3"/><roadMark sOffset="0" type="broken" laneChange="%s"/></lane>
		<lane id="-2" type="driving"><width a="3"/></lane></right></laneSection>`
	for change, ok := range map[string]bool{"both": true, "decrease": true, "increase": false,
		"none": false} {
		m := read(t, document(oneRoad{sections: fmt.Sprintf(section, change)}.String()))
		s := m.Roads[0].Sections[0]
		route, err := m.Route(s.Lane(-1), s.Lane(-2))
		if !ok {
			require.ErrorIs(t, err, opendrive.ErrNoRoute)
			require.ErrorContains(t, err, "the last lane reached is road 1, section 0, lane -1")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, []opendrive.Course{{Lane: s.Lane(-1), Forwards: true}, {Lane: s.Lane(-2),
			Forwards: true}}, route)
	}
}

func TestSignal_FacesTheTrafficItIsFor(t *testing.T) {
	rest := `<signals><signal id="1" s="50" t="-4" zOffset="2" height="0.6" orientation="%s" ` +
		`dynamic="no"/></signals>`
	for orientation, yaw := range map[string]float64{"+": math.Pi, "-": 0, "none": math.Pi} {
		r := read(t, document(oneRoad{rest: fmt.Sprintf(rest, orientation)}.String())).Roads[0]
		pose, err := r.Signals[0].Pose(r)
		require.NoError(t, err)
		require.InDelta(t, yaw, pose.Orientation.Yaw, 1e-12)
		require.InDelta(t, 2.3, pose.Position.Z, 1e-12)
		want := map[string][]int{"+": {-1}, "-": {1}, "none": {1, -1}}[orientation]
		var ids []int
		for _, l := range r.Signals[0].Lanes(r) {
			ids = append(ids, l.ID)
		}
		require.Equal(t, want, ids)
	}
}

func TestLocate_OffTheRoad(t *testing.T) {
	m := read(t, document(oneRoad{}.String()))
	st := station(t, m, 50)
	place := m.Locate(st.Point(1000, 2))
	require.False(t, place.OnRoad())
	require.InDelta(t, 996.5, place.Distance, 1e-9)
	place = m.Locate(st.Point(1, 2))
	require.Equal(t, 1, place.Lane.ID)
	require.InDelta(t, 2, place.H, 1e-9)
}

// TestHeight_IsInterpolatedAlongTheLane checks a ramp at a kerb, which has two records: the height
// is linear from one to the next, and constant after the last one.
func TestHeight_IsInterpolatedAlongTheLane(t *testing.T) {
	l := lanes(t, noJunction,
		`<laneSection s="0">`+center+`<right><lane id="-1" type="sidewalk"><width a="2"/>`+
			`<height sOffset="10" inner="0" outer="0.1"/>`+
			`<height sOffset="12" inner="0.12" outer="0.3"/></lane></right></laneSection>`).Lane(-1)
	for _, c := range []struct{ s, t, want float64 }{{9, -1, 0}, {10, -2, 0.1}, {11, 0, 0.06},
		{11, -2, 0.2}, {12, 0, 0.12}, {50, -1, 0.21}} {
		require.InDelta(t, c.want, l.Height(c.s, c.t), 1e-12, "s %g t %g", c.s, c.t)
	}
}

// TestUniform_TypeOfPartOfARoad checks that a lane is not uniform if the only type of its road, and
// thus the speed limit, starts after the road does.
func TestUniform_TypeOfPartOfARoad(t *testing.T) {
	for s, want := range map[float64]bool{0: true, 50: false} {
		m, err := opendrive.Read("type.xodr", strings.NewReader(fmt.Sprintf(
			`<OpenDRIVE><header revMajor="1" revMinor="6"/><road id="1" length="100" junction="-1">
<type s="%g" type="rural"><speed max="20"/></type><planView><geometry s="0" x="0" y="0" hdg="0"
length="100"><line/></geometry></planView><lanes><laneSection s="0"><center>
<lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>
</OpenDRIVE>`, s)))
		require.NoError(t, err)
		require.Equal(t, want, m.Road("1").SectionAt(0).Lane(-1).Uniform(), "s %g", s)
	}
}
