package entities_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/entities"
	"gosmp/scenario/storyboard"
)

// TestRepeatedGroup checks when a group starts anew whose events move an entity aside and back: each
// of the six lane offsets takes 1.110721 s, and so ends with the 112th step.
func TestRepeatedGroup(t *testing.T) {
	event := func(name string, to float64, trigger string) string {
		return fmt.Sprintf(`<Event name="%s" priority="override"><Action name="%sA"><PrivateAction>
<LateralAction><LaneOffsetAction continuous="false"><LaneOffsetActionDynamics
dynamicsShape="sinusoidal" maxLateralAcc="2"/><LaneOffsetTarget><AbsoluteTargetLaneOffset
value="%v"/></LaneOffsetTarget></LaneOffsetAction></LateralAction></PrivateAction></Action>%s
</Event>`, name, name, to, trigger)
	}
	when := func(condition string) string {
		return `<StartTrigger><ConditionGroup><Condition name="c" delay="0" conditionEdge="none">
<ByValueCondition>` + condition + `</ByValueCondition></Condition></ConditionGroup></StartTrigger>`
	}
	stories := `<Story name="S"><Act name="A"><ManeuverGroup name="G" maximumExecutionCount="3">
<Actors selectTriggeringEntities="false"><EntityRef entityRef="A"/></Actors><Maneuver name="M">` +
		event("Out", 0.5, "") + event("Back", 0, when(`<StoryboardElementStateCondition
storyboardElementType="event" storyboardElementRef="Out" state="endTransition"/>`)) +
		`</Maneuver></ManeuverGroup>` + when(`<SimulationTimeCondition value="0"
rule="greaterThan"/>`) + `</Act></Story>`
	var starts []float64
	w, s, err := open(t, car("A", "10"), one(5), stories, road)
	require.NoError(t, err)
	board, errs := storyboard.New(s, w, storyboard.Options{Observe: func(o storyboard.Occurrence) {
		if o.Note == nil && o.Transition == storyboard.StartTransition && o.Element.Name == "G" {
			starts = append(starts, o.Time)
		}
	}})
	require.Empty(t, errs)
	require.NoError(t, board.Start())
	for k := 1; k <= 800; k++ {
		require.NoError(t, board.Step(float64(k)/100))
	}
	// Ends of actions precede the pass of an evaluation, so a group starts anew in the evaluation in
	// which its last action has ended.
	require.InDeltaSlice(t, []float64{0.01, 2.25, 4.49}, starts, 1e-9)
}

// TestReferencePoint checks a published car whose middle is 1.349 m ahead of its rear axle: the
// reference point is at s, and the middle of the box is ahead of it.
func TestReferencePoint(t *testing.T) {
	golf := `<ScenarioObject name="A"><Vehicle name="v" vehicleCategory="car"><BoundingBox>
<Center x="1.349" y="0" z="0.788"/><Dimensions height="1.577" length="4.358" width="1.815"/>
</BoundingBox><Performance maxSpeed="70" maxAcceleration="5" maxDeceleration="10"/><Axles><FrontAxle
maxSteering="0.5" wheelDiameter="0.659" trackWidth="1.52" positionX="2.67" positionZ="0.329"/>
<RearAxle maxSteering="0" wheelDiameter="0.659" trackWidth="1.526" positionX="0" positionZ="0.329"/>
</Axles></Vehicle></ScenarioObject>`
	r := start(t, golf, private("A", teleport(-1, 100)), "")
	require.InDelta(t, 100, r.until(0.01, 0).X, 1e-9)
	v, err := r.world.Simulation().Actor("A")
	require.NoError(t, err)
	require.InDelta(t, 101.349, v.State().Position.X, 1e-9)
	// A car that faces against s has its middle at a smaller s.
	r = start(t, golf, private("A", teleport(1, 100)), "")
	require.InDelta(t, 100, r.until(0.01, 0).X, 1e-9)
	v, err = r.world.Simulation().Actor("A")
	require.NoError(t, err)
	require.InDelta(t, 98.651, v.State().Position.X, 1e-9)
}

// TestRoutePosition_AgainstRoad checks that t of a route is to the left of the route, also where
// the route leads against s of its road.
func TestRoutePosition_AgainstRoad(t *testing.T) {
	route := func(lane, from, to int) string {
		point := `<Waypoint routeStrategy="shortest"><Position><LanePosition roadId="1" laneId="%d"
s="%d"/></Position></Waypoint>`
		return `<RouteRef><Route name="r" closed="false">` + fmt.Sprintf(point+point, lane, from,
			lane, to) + `</Route></RouteRef>`
	}
	for _, c := range []struct{ route, in, want string }{
		{route(1, 300, 100), `<FromRoadCoordinates pathS="50" t="-2"/>`, "250 2"},
		{route(1, 300, 100), `<FromRoadCoordinates pathS="50" t="2"/>`, "250 -2"},
		{route(-1, 100, 300), `<FromRoadCoordinates pathS="50" t="-2"/>`, "150 -2"},
		{route(-1, 100, 300), `<FromRoadCoordinates pathS="50" t="2"/>`, "150 2"},
	} {
		r := start(t, car("A", "10"), private("A", `<PrivateAction><TeleportAction><Position>
<RoutePosition>`+c.route+`<InRoutePosition>`+c.in+`</InRoutePosition></RoutePosition></Position>
</TeleportAction></PrivateAction>`), "")
		a := r.until(0.01, 0)
		require.Equal(t, c.want, fmt.Sprintf("%g %g", math.Round(a.X*1e6)/1e6,
			math.Round(a.Y*1e6)/1e6), "%s in %s", c.in, c.route)
	}
}

// TestPublished_Obstructions checks where two published scenarios place parked cars with positions
// on a route that leads against s.
func TestPublished_Obstructions(t *testing.T) {
	folder := filepath.Join(public, "ncap/OpenSCENARIO/NCAP/CA-FC_2026")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("without published scenarios")
	}
	for file, want := range map[string]float64{"CBNA.xosc": 259.765, "CBNAO.xosc": 257.305} {
		err := play(filepath.Join(folder, file), 0, func(_ float64, w *entities.World,
			names []string) {
			for k, name := range names {
				if name == "ObstructionSmall" {
					require.InDelta(t, want, w.State(storyboard.Entity(k)).X, 1e-3, file)
				}
			}
		})
		require.NoError(t, err)
	}
}
