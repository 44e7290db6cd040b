package entities_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/storyboard"
)

// fork is a road with two lanes along x, of which the left one leads straight on to road 2, and the
// right one turns right to road 3.
const fork = `<OpenDRIVE><header revMajor="1" revMinor="6"/>
<road id="1" length="100" junction="-1"><link><successor elementType="junction" elementId="9"/></link>
<planView><geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry></planView><lanes>
<laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane><lane id="-2" type="driving"><width sOffset="0"
a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road>
<road id="2" length="100" junction="-1"><link><predecessor elementType="junction" elementId="9"/>
</link><planView><geometry s="0" x="130" y="0" hdg="0" length="100"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1"
type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes>
</road>
<road id="3" length="100" junction="-1"><link><predecessor elementType="junction" elementId="9"/>
</link><planView><geometry s="0" x="120" y="-23.5" hdg="-1.5707963267948966" length="100"><line/>
</geometry></planView><lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right>
</laneSection></lanes></road>
<road id="10" length="30" junction="9"><link><predecessor elementType="road" elementId="1"
contactPoint="end"/><successor elementType="road" elementId="2" contactPoint="start"/></link>
<planView><geometry s="0" x="100" y="0" hdg="0" length="30"><line/></geometry></planView><lanes>
<laneSection s="0"><center><lane id="0" type="none"/></center><right><lane id="-1" type="driving">
<link><predecessor id="-1"/><successor id="-1"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
</lane></right></laneSection></lanes></road>
<road id="11" length="31.41592653589793" junction="9"><link><predecessor elementType="road"
elementId="1" contactPoint="end"/><successor elementType="road" elementId="3" contactPoint="start"/>
</link><planView><geometry s="0" x="100" y="-3.5" hdg="0" length="31.41592653589793">
<arc curvature="-0.05"/></geometry></planView><lanes><laneSection s="0"><center><lane id="0"
type="none"/></center><right><lane id="-1" type="driving"><link><predecessor id="-2"/><successor
id="-1"/></link><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane></right></laneSection></lanes>
</road>
<junction id="9" name=""><connection id="0" incomingRoad="1" connectingRoad="10" contactPoint="start">
<laneLink from="-1" to="-1"/></connection><connection id="1" incomingRoad="1" connectingRoad="11"
contactPoint="start"><laneLink from="-2" to="-1"/></connection></junction></OpenDRIVE>`

// TestRoute_LanesThatDoNotLeadToIt checks that an entity follows its lane where that does not lead
// to the next road of its route: it never jumps sideways, and a note says so.
func TestRoute_LanesThatDoNotLeadToIt(t *testing.T) {
	waypoint := func(road string) string {
		return `<Waypoint routeStrategy="shortest"><Position><LanePosition roadId="` + road +
			`" laneId="-1" s="40"/></Position></Waypoint>`
	}
	for _, c := range []struct {
		lane   int
		to, at string
		notes  int
	}{{-1, "2", "2", 0}, {-2, "3", "3", 0}, {-1, "3", "2", 1}, {-2, "2", "3", 1}} {
		name := fmt.Sprintf("from lane %d to road %s", c.lane, c.to)
		r := startOn(t, car("A", "10"), private("A", teleport(c.lane, 50)+speed(10)+
			`<PrivateAction><RoutingAction><AssignRouteAction><Route name="r" closed="false">`+
			waypoint("1")+waypoint(c.to)+`</Route></AssignRouteAction></RoutingAction>
</PrivateAction>`), "", fork)
		last := r.until(0, 0)
		for k := 1; k <= 1100; k++ {
			a := r.until(float64(k)/100, 0)
			require.InDelta(t, 0.1, math.Hypot(a.X-last.X, a.Y-last.Y), 0.01, "%s, step %d",
				name, k)
			last = a
		}
		require.Equal(t, c.at, last.Road, name)
		require.Len(t, r.notes, c.notes, name)
		if c.notes > 0 {
			require.Equal(t, "off route", r.notes[0].Kind)
			require.Regexp(t, "^road 1 to road 1[01]$", r.notes[0].Text)
		}
	}
}

// TestEndOfRoad_Teleported checks that an entity that is teleported as soon as it reaches the end of
// its road drives on with its speed, but stands still once it has waited there.
func TestEndOfRoad_Teleported(t *testing.T) {
	for duration, want := range map[string]float64{"0": 10, "0.5": 0} {
		again := strings.NewReplacer(`<ByValueCondition><SimulationTimeCondition value="1"
rule="greaterOrEqual"/></ByValueCondition>`, `<ByEntityCondition><TriggeringEntities
triggeringEntitiesRule="any"><EntityRef entityRef="A"/></TriggeringEntities><EntityCondition>
<EndOfRoadCondition duration="`+duration+`"/></EntityCondition></ByEntityCondition>`).Replace(story(
			placed(`<LanePosition roadId="1" laneId="-1" s="100"/>`)))
		r := start(t, car("A", "10"), private("A", teleport(-1, 990)+speed(10)), again)
		require.InDelta(t, want, r.until(2.5, 0).Speed, 1e-9, duration)
		require.InDelta(t, 100, r.until(2.5, 0).X, 16, duration)
	}
}

// TestRoutes_WithoutAMap checks that actions that need roads are refused before the run if there is
// no map.
func TestRoutes_WithoutAMap(t *testing.T) {
	const ahead = `<Position><RelativeWorldPosition entityRef="A" dx="%d" dy="0"/></Position>`
	for _, action := range []string{"<RandomRouteAction/>",
		"<AcquirePositionAction>" + fmt.Sprintf(ahead, 9) + "</AcquirePositionAction>",
		`<AssignRouteAction><Route name="r" closed="false"><Waypoint routeStrategy="shortest">` +
			fmt.Sprintf(ahead, 5) + `</Waypoint><Waypoint routeStrategy="shortest">` +
			fmt.Sprintf(ahead, 9) + `</Waypoint></Route></AssignRouteAction>`} {
		w, s, err := open(t, car("A", "10"), private("A", speed(10)),
			story("<RoutingAction>"+action+"</RoutingAction>"), "")
		require.NoError(t, err)
		_, errs := storyboard.New(s, w, storyboard.Options{})
		require.Len(t, errs, 1, action)
		require.ErrorContains(t, errs[0], "found a route without a map, expected a LogicFile")
	}
}
