package mocksim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// TestKeepLeading_AsksOnce checks that on a chain of courses to a dead end, the courses to which
// another one leads are determined once, and not again whenever a course is removed.
func TestKeepLeading_AsksOnce(t *testing.T) {
	const chain = 5000
	for _, ring := range []bool{false, true} {
		list := slices.Repeat([]bool{true}, chain+2)
		calls := 0
		keepLeading(list, func(k int, into []int) []int {
			calls++
			switch {
			case k < chain-1 || k == chain:
				into = append(into, k+1)
			case k == chain+1:
				into = append(into, chain)
			case ring:
				into = append(into, k-1, k) // also to itself
			}
			return into
		})
		require.Equal(t, chain+2, calls)
		require.Equal(t, slices.Concat(slices.Repeat([]bool{ring}, chain), []bool{true, true}), list)
	}
}

// TestViable_FixedPoint checks on maps with dead ends and edges that exactly those courses are
// viable or lasting that remain if courses that do not lead on are removed one by one.
func TestViable_FixedPoint(t *testing.T) {
	crossing, err := opendrive.ReadFile("../examples/maps/crossing.xodr")
	require.NoError(t, err)
	motorway, err := opendrive.ReadFile("../examples/maps/motorway.xodr")
	require.NoError(t, err)
	ring, closed := ringRoads(t, true), ringRoads(t, false)
	for _, m := range []*opendrive.Map{crossing, motorway, ring, closed} {
		w := newWorld(t, m)
		const most = 0.2
		for _, stays := range []bool{false, true} {
			want := make([]bool, 2*len(m.Lanes()))
			var all []opendrive.Course
			for _, l := range m.Lanes() {
				if l.Drivable() {
					all = append(all, l.Courses()...)
				}
			}
			for _, c := range all {
				want[courseNumber(c)] = w.rail(c.Lane).most+leastBend <= most
			}
			for changed := true; changed; {
				changed = false
				for _, c := range all {
					k := courseNumber(c)
					if want[k] && !slices.ContainsFunc(w.onward(c, stays, nil),
						func(n int) bool { return want[n] }) {
						want[k], changed = false, true
					}
				}
			}
			got := w.viable(most)
			if stays {
				got = w.lasting(most)
			}
			require.Equal(t, want, got)
		}
	}
}

// TestNeighbour_StaysOnTheMap checks that an actor that stays on the map does not change by itself
// to a lane that only leads out, except on request, or if its own lane leads out, too.
func TestNeighbour_StaysOnTheMap(t *testing.T) {
	m, err := opendrive.ReadFile("../examples/maps/motorway.xodr")
	require.NoError(t, err)
	w := newWorld(t, m)
	require.NoError(t, w.Populate(Traffic{Count: 10}))
	tried := 0
	for _, a := range w.actors {
		c := a.driver.course()
		a.driver.LaneChange = ChangeWithMOBIL
		for _, side := range [...]int{1, -1} {
			to := w.neighbour(a, c, side)
			if to == nil {
				continue
			}
			tried++
			lasting := make([]bool, 2*len(m.Lanes()))
			w.wide[courseSet{a.driver.steerable, true}] = lasting
			require.Equal(t, to, w.neighbour(a, c, side), "both lead out")
			lasting[courseNumber(opendrive.Course{Lane: c.lane, Forwards: c.forwards})] = true
			require.Nil(t, w.neighbour(a, c, side))
			a.driver.LaneChange = ChangeLeft
			require.Equal(t, to, w.neighbour(a, c, side), "on request")
			a.driver.LaneChange = ChangeWithMOBIL
			w.inflow, a.passing = &inflow{}, true
			require.Equal(t, to, w.neighbour(a, c, side), "it leaves the map")
			w.inflow, a.passing = nil, false
		}
	}
	require.Positive(t, tried)
}

// TestContinues_NeedsRoom checks that a lane that ends continues in the next one only if that lane
// is open early enough. Vehicles used to stop where it had not begun yet, and to stay there.
func TestContinues_NeedsRoom(t *testing.T) {
	for length, want := range map[float64]int{4: 0, 30: 1} {
		m, err := opendrive.Read("late.xodr", strings.NewReader(fmt.Sprintf(`<OpenDRIVE>
<header revMajor="1" revMinor="7"/><road id="1" length="200" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="200"><line/></geometry></planView><lanes>
<laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<link><successor id="-1"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection>
<laneSection s="%g"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<link><predecessor id="-1"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
<roadMark sOffset="0" type="broken" laneChange="both"/></lane><lane id="-2" type="driving"><link>
<successor id="-1"/></link><width sOffset="0" a="0" b="%g" c="0" d="0"/></lane></right>
</laneSection>
<laneSection s="100"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<link><predecessor id="-2"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road></OpenDRIVE>`, 100-length, 3.5/length)))
		require.NoError(t, err)
		w := newWorld(t, m)
		for _, l := range m.Lanes() {
			if l.Section.Index == 1 && l.ID == -1 {
				_, changes := w.continues(opendrive.Course{Lane: l, Forwards: true}, -1)
				require.Equal(t, want, changes, "%g m", length)
			}
		}
	}
}

// TestViable_ConnectingRoadToNowhere checks that a connecting road without an end that vehicles can
// reach, such as a turn back within centimetres, is not taken for the edge of the map. Vehicles used
// to stop there, and the others behind them.
func TestViable_ConnectingRoadToNowhere(t *testing.T) {
	const lane = `<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><link><predecessor id="-1"/><successor id="-1"/></link>
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>`
	road := func(id, junction int, x, heading, length float64, link string) string {
		return fmt.Sprintf(`<road id="%d" length="%g" junction="%d"><link>%s</link><planView>`+
			`<geometry s="0" x="%g" y="0" hdg="%g" length="%g"><line/></geometry></planView>`, id,
			length, junction, link, x, heading, length) + lane
	}
	ends := func(before, after int) string {
		return fmt.Sprintf(`<predecessor elementType="road" elementId="%d" contactPoint="end"/>`+
			`<successor elementType="road" elementId="%d" contactPoint="start"/>`, before, after)
	}
	const to, from = `<successor elementType="junction" elementId="9"/>`,
		`<predecessor elementType="junction" elementId="9"/>`
	connection := func(id int) string {
		return fmt.Sprintf(`<connection id="%d" incomingRoad="1" connectingRoad="%d" `+
			`contactPoint="start"><laneLink from="-1" to="-1"/></connection>`, id, id)
	}
	m, err := opendrive.Read("turn.xodr", strings.NewReader(
		`<OpenDRIVE><header revMajor="1" revMinor="6"/>`+road(1, -1, 0, 0, 200, to)+
			road(2, -1, 200.1, math.Pi, 200, from)+road(3, -1, 210, 0, 200, from)+
			road(12, 9, 200, 0, 0.1, ends(1, 2))+road(13, 9, 200, 0, 10, ends(1, 3))+
			`<junction id="9">`+connection(12)+connection(13)+`</junction></OpenDRIVE>`))
	require.NoError(t, err)
	w := newWorld(t, m)
	for id, want := range map[string]bool{"1": true, "12": false, "13": true, "3": true} {
		l := m.Road(id).Sections[0].Lane(-1)
		require.Equal(t, want, w.viable(0.2)[courseNumber(opendrive.Course{Lane: l,
			Forwards: true})], "road %s", id)
	}
	require.NoError(t, w.SetFlow(Flow{Rate: 300}))
	for range 5 * 60 * 10 {
		_, err := w.Step(100 * timebase.Millisecond)
		require.NoError(t, err)
	}
	_, left, _ := w.FlowCounts()
	require.Greater(t, left, 10)
}

// TestFlow_LeavesAtTheEndOfAConnectingRoad checks that vehicles leave where the map is cut off behind
// a connecting road. They used to stop there, and all others behind them.
func TestFlow_LeavesAtTheEndOfAConnectingRoad(t *testing.T) {
	const lane = `<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road>`
	m, err := opendrive.Read("cut.xodr", strings.NewReader(`<OpenDRIVE>
<header revMajor="1" revMinor="6"/><road id="1" length="200" junction="-1">
<link><successor elementType="junction" elementId="9"/></link><planView>
<geometry s="0" x="0" y="0" hdg="0" length="200"><line/></geometry></planView>`+lane+`
<road id="12" length="50" junction="9">
<link><predecessor elementType="road" elementId="1" contactPoint="end"/></link><planView>
<geometry s="0" x="200" y="0" hdg="0" length="50"><line/></geometry></planView>`+
		strings.Replace(lane, `"driving">`, `"driving"><link><predecessor id="-1"/></link>`, 1)+`
<junction id="9"><connection id="0" incomingRoad="1" connectingRoad="12" contactPoint="start">
<laneLink from="-1" to="-1"/></connection></junction></OpenDRIVE>`))
	require.NoError(t, err)
	w := newWorld(t, m)
	require.NoError(t, w.SetFlow(Flow{Rate: 300}))
	for range 5 * 60 * 10 {
		_, err := w.Step(100 * timebase.Millisecond)
		require.NoError(t, err)
	}
	_, left, _ := w.FlowCounts()
	require.Greater(t, left, 10)
}
