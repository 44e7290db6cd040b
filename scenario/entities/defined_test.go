package entities_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/entities"
	"gosmp/scenario/storyboard"
)

// adding returns an event of A's maneuver, at a time in s, that adds the entity B to a lane.
func adding(at, lane, s string) string {
	event := strings.NewReplacer(`name="E"`, `name="EB"`, `name="X"`, `name="XB"`, `value="1"`,
		`value="`+at+`"`, `"override"`, `"parallel"`,
		`<PrivateAction>`, `<GlobalAction><EntityAction entityRef="B"><AddEntityAction><Position>
<LanePosition roadId="1" laneId="`+lane+`" s="`+s+`"/></Position></AddEntityAction></EntityAction>`,
		`</PrivateAction>`, `</GlobalAction>`).Replace(story(""))
	begin, end := strings.Index(event, "<Event"), strings.Index(event, "</Maneuver>")
	return event[begin:end]
}

// with adds an event to the maneuver of a story.
func with(story, event string) string {
	return strings.Replace(story, "</Maneuver>", event+"</Maneuver>", 1)
}

// TestDistances_OnEitherSide checks that an action that keeps a distance on any side chooses the
// side on which the entity is when the distance is first defined, here when its reference appears.
func TestDistances_OnEitherSide(t *testing.T) {
	const limits = `<DynamicConstraints maxAcceleration="3" maxDeceleration="3" maxSpeed="40"/>`
	for _, system := range []string{"entity", "road"} {
		for _, constraints := range []string{limits, ""} {
			for s, want := range map[string]float64{"140": -20, "100": 20} { // A is at 120 then
				r := start(t, car("A", "10")+car("B", "10"), one(10), with(story(distance(
					`freespace="false" distance="20" continuous="true" displacement="any"
coordinateSystem="`+system+`"`, constraints)), adding("2", "-1", s)))
				require.InDelta(t, 120, r.until(2, 0).X, 1e-6)
				d := r.until(30, 0).X - r.until(30, 1).X
				require.InDelta(t, want, d, 0.01, "%s %q %s", system, constraints, s)
			}
			for lane, want := range map[string]float64{"-2": 5, "1": -5} { // A is in lane -1
				r := start(t, car("A", "10")+car("B", "10"), one(10), with(story(lateralDistance(
					`freespace="false" distance="5" displacement="any" coordinateSystem="`+
						system+`"`, constraints)), adding("2", lane, "100")))
				require.InDelta(t, -1.75, r.until(2, 0).Y, 1e-6)
				d := r.until(20, 0).Y - r.until(20, 1).Y
				if lane == "1" { // which B faces against x
					require.InDelta(t, 1.75, r.until(20, 1).Y, 1e-6)
				}
				require.InDelta(t, want, d, 0.01, "%s %q lane %s", system, constraints, lane)
			}
		}
	}
}

// TestReferences_InNoLane checks the errors about entities that an action refers to, or that it
// moves, if they are in no lane: each says where the entity is.
func TestReferences_InNoLane(t *testing.T) {
	change := `<LateralAction><LaneChangeAction>` + dynamics("LaneChangeActionDynamics", "linear",
		"time", 1) + `<LaneChangeTarget><RelativeTargetLane entityRef="B" value="0"/>
</LaneChangeTarget></LaneChangeAction></LateralAction>`
	offset := `<LateralAction><LaneOffsetAction continuous="false"><LaneOffsetActionDynamics
dynamicsShape="linear"/><LaneOffsetTarget><RelativeTargetLaneOffset entityRef="B" value="1"/>
</LaneOffsetTarget></LaneOffsetAction></LateralAction>`
	relative := `<LongitudinalAction><SpeedAction>` + dynamics("SpeedActionDynamics", "linear",
		"time", 1) + `<SpeedActionTarget><RelativeTargetSpeed entityRef="B" value="1"
speedTargetValueType="delta" continuous="false"/></SpeedActionTarget></SpeedAction>
</LongitudinalAction>`
	profile := `<LongitudinalAction><SpeedProfileAction followingMode="position" entityRef="B">
<SpeedProfileEntry speed="1" time="1"/></SpeedProfileAction></LongitudinalAction>`
	meeting := `<LongitudinalAction><SynchronizeAction masterEntityRef="B"><TargetPositionMaster>
<WorldPosition x="9" y="0"/></TargetPositionMaster><TargetPosition><WorldPosition x="9" y="0"/>
</TargetPosition></SynchronizeAction></LongitudinalAction>`
	at := func(name, position string) string {
		return private(name, `<PrivateAction>`+placed(position)+`</PrivateAction>`)
	}
	const beyond = `<WorldPosition x="1200" y="-1.75" h="0"/>`
	for _, c := range []struct{ action, init, want string }{
		{change, one(10), "B, which does not exist"}, {offset, one(10), "B, which does not exist"},
		{relative, one(10), "B, which does not exist"}, {profile, one(10), "B, which does not exist"},
		{meeting, one(10), "B, which does not exist"},
		{change, one(10) + at("B", beyond), "B is past the end of road 1"},
		{offset, one(10) + at("B", beyond), "B is past the end of road 1"},
		{change, at("A", beyond) + private("B", teleport(-1, 9)), "A is past the end of road 1"},
		{offset, at("A", beyond) + private("B", teleport(-1, 9)), "A is past the end of road 1"},
		{lateralDistance(`freespace="false" distance="1" coordinateSystem="road"`, ""),
			at("A", beyond) + private("B", teleport(-1, 9)), "A is past the end of road 1"},
	} {
		r := start(t, car("A", "10")+car("B", "10"), c.init, story(c.action))
		var err error
		for k := 1; k < 120 && err == nil; k++ {
			err = r.board.Step(float64(k) / 100)
		}
		require.ErrorContains(t, err, c.want)
	}
}

// TestSpeed_RelativeAtTheStart checks that a speed relative to an entity that does not exist is also
// an error at time 0, except in Init, where entities may refer to each other in a circle.
func TestSpeed_RelativeAtTheStart(t *testing.T) {
	relative := func(to string) string {
		return `<LongitudinalAction><SpeedAction>` + dynamics("SpeedActionDynamics", "step", "time",
			0) + `<SpeedActionTarget><RelativeTargetSpeed entityRef="` + to + `" value="1"
speedTargetValueType="delta" continuous="false"/></SpeedActionTarget></SpeedAction>
</LongitudinalAction>`
	}
	first := strings.Replace(story(relative("B")), `value="1"
rule`, `value="0"
rule`, 1)
	follows := func(to string) string {
		return `<PrivateAction>` + relative(to) + `</PrivateAction>`
	}
	for _, test := range []struct{ init, story, want string }{
		{one(10), first, "B, which does not exist"},
		{private("A", teleport(-1, 100)+follows("B")) +
			private("B", teleport(-2, 100)+follows("A")), "", ""},
	} {
		w, s, err := open(t, car("A", "10")+car("B", "10"), test.init, test.story, road)
		require.NoError(t, err)
		board, errs := storyboard.New(s, w, storyboard.Options{})
		require.Empty(t, errs)
		if err = board.Start(); test.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, test.want)
		}
	}
	// Init does not add B: an error before the first step.
	r := start(t, car("A", "10")+car("B", "10"), private("A", teleport(-1, 100)+follows("B")), "")
	require.ErrorContains(t, r.board.Step(0.01), "B, which does not exist")
}

// TestDelete_AfterAnEnd checks that an action that a controller ends does not count as stopped if
// its actor is deleted in the same evaluation, or if another action takes over its domain.
func TestDelete_AfterAnEnd(t *testing.T) {
	const remove = `</PrivateAction></Action><Action name="Gone"><GlobalAction><EntityAction
entityRef="A"><DeleteEntityAction/></EntityAction></GlobalAction></Action><Action name="Z">
<PrivateAction><VisibilityAction graphics="true" sensors="true" traffic="true"/>`
	for _, next := range []string{remove, together("", speedAction("linear", "time", 1, 3))} {
		ramp := speedAction("linear", "time", 50, 30)
		_, s, err := open(t, car("A", "10"), one(20), act(ramp, activate(true)+next), road)
		require.NoError(t, err)
		d := &braking{}
		d.world, err = entities.New(s, entities.Options{Map: straight(t)})
		require.NoError(t, err)
		d.world.SetDriver(0, d.hand, false)
		var of []storyboard.Transition
		board, errs := storyboard.New(s, d.world, storyboard.Options{
			Observe: func(o storyboard.Occurrence) {
				if o.Note == nil && o.Element.Name == "X" {
					of = append(of, o.Transition)
				}
			}})
		require.Empty(t, errs)
		require.NoError(t, board.Start())
		require.NoError(t, d.world.TakeOver())
		for k := 1; k < 210; k++ {
			require.NoError(t, board.Step(float64(k)/100))
		}
		require.Equal(t, []storyboard.Transition{storyboard.StartTransition,
			storyboard.EndTransition}, of)
	}
}
