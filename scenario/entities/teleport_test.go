package entities_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/storyboard"
)

// sideways lists actions that move an entity at 10 m/s across its road for several seconds.
var sideways = map[string]string{
	"lane change": `<LateralAction><LaneChangeAction><LaneChangeActionDynamics
dynamicsShape="linear" dynamicsDimension="time" value="9"/><LaneChangeTarget><AbsoluteTargetLane
value="-2"/></LaneChangeTarget></LaneChangeAction></LateralAction>`,
	"lane offset": `<LateralAction><LaneOffsetAction continuous="false"><LaneOffsetActionDynamics
dynamicsShape="cubic" maxLateralAcc="0.1"/><LaneOffsetTarget><AbsoluteTargetLaneOffset
value="-1"/></LaneOffsetTarget></LaneOffsetAction></LateralAction>`,
	"lateral distance": `<LateralAction><LateralDistanceAction entityRef="B" distance="9"
freespace="false" continuous="true"><DynamicConstraints maxSpeed="0.1"/></LateralDistanceAction>
</LateralAction>`,
}

// act returns an act with an event for each action of A, at 1 s, 2 s, and so on.
func act(actions ...string) string {
	var events []string
	for k, action := range actions {
		name, at := string(rune('X'+k)), string(rune('1'+k))
		event := strings.NewReplacer(`name="E"`, `name="E`+name+`"`, `name="X"`, `name="`+name+`"`,
			`value="1"`, `value="`+at+`"`, `"override"`, `"parallel"`).Replace(story(action))
		begin, end := strings.Index(event, "<Event"), strings.Index(event, "</Maneuver>")
		events = append(events, event[begin:end])
	}
	whole := story("")
	begin, end := strings.Index(whole, "<Event"), strings.Index(whole, "</Maneuver>")
	return whole[:begin] + strings.Join(events, "") + whole[end:]
}

// together adds another action to an event.
func together(action, second string) string {
	return action + `</PrivateAction></Action><Action name="Second"><PrivateAction>` + second
}

func placed(position string) string {
	return `<TeleportAction><Position>` + position + `</Position></TeleportAction>`
}

// TestTeleport_DuringAMotionAcross: a teleported entity stays at its new place, even if its old
// motion across the road ends in the same evaluation.
func TestTeleport_DuringAMotionAcross(t *testing.T) {
	on := placed(`<LanePosition roadId="1" laneId="-1" s="20"/>`)
	others := private("B", teleport(-1, 130)+speed(10))
	for name, old := range sideways {
		for next, newer := range sideways {
			r := start(t, car("A", "10")+car("B", "10"), one(10)+others, act(old,
				together(on, newer)))
			require.InDelta(t, 119.9, r.until(1.99, 0).X, 0.2, name)
			a := r.until(3, 0)
			require.InDelta(t, 29.9, a.X, 0.2, "%s, then %s", name, next)
		}
		r := start(t, car("A", "10")+car("B", "10"), one(10)+others, act(old, on))
		require.InDelta(t, 29.9, r.until(3, 0).X, 0.2, name)
	}
}

// TestTeleport_AtStandstill: a motion across the road that waits for a standing entity does not move
// it back when it is stopped.
func TestTeleport_AtStandstill(t *testing.T) {
	on := placed(`<LanePosition roadId="1" laneId="-1" s="20" offset="0.5"/>`)
	others := private("B", teleport(-1, 130)+speed(10))
	for name, old := range sideways {
		for next, newer := range sideways {
			r := start(t, car("A", "10")+car("B", "10"), one(0)+others, act(old, on, newer))
			a := r.until(5, 0)
			require.InDelta(t, 20, a.X, 1e-9, "%s, then %s", name, next)
			require.InDelta(t, -1.25, a.Y, 1e-9, "%s, then %s", name, next)
		}
	}
}

// TestLateralDistance_ReferenceLeaves: without its reference, the entity keeps its lane and offset,
// also when the action is stopped.
func TestLateralDistance_ReferenceLeaves(t *testing.T) {
	const remove = `<GlobalAction><EntityAction entityRef="B"><DeleteEntityAction/></EntityAction>
</GlobalAction>`
	stories := strings.Replace(act(sideways["lateral distance"], "GONE", speedAction("linear", "time", 1,
		10), sideways["lane offset"]), "<PrivateAction>GONE</PrivateAction>", remove, 1)
	require.Contains(t, stories, "DeleteEntityAction")
	r := start(t, car("A", "10")+car("B", "10"), one(10)+private("B", teleport(-1, 130)+speed(10)),
		stories)
	last := r.until(1, 0)
	for now := 1.01; now < 6; now += 0.01 {
		s := r.until(now, 0)
		require.InDelta(t, 0.1, math.Hypot(s.X-last.X, s.Y-last.Y), 0.001, now)
		last = s
	}
}

// TestTeleport_OffAllRoads: a motion across the road ends with a note where there is no road.
func TestTeleport_OffAllRoads(t *testing.T) {
	off := placed(`<WorldPosition x="-500" y="900" h="0"/>`)
	for name, old := range sideways {
		r := start(t, car("A", "10")+car("B", "10"), one(10)+private("B", teleport(-1,
			130)+speed(10)), act(old, off))
		a := r.until(3, 0)
		require.InDelta(t, -490, a.X, 1e-6, name)
		require.InDelta(t, 900, a.Y, 1e-6, name)
		require.Contains(t, r.ends, "X", name)
		var kinds []string
		for _, n := range r.notes {
			if n.Entity == storyboard.Entity(0) {
				kinds = append(kinds, n.Kind)
			}
		}
		require.Contains(t, kinds, "off road", name)
	}
}

// TestBeyondTheEndOfARoad: an entity past the end of a road moves straight on, is off the road, and
// follows the road once it reaches it.
func TestBeyondTheEndOfARoad(t *testing.T) {
	at := placed(`<WorldPosition x="-20" y="-1.75" h="0"/>`)
	r := start(t, car("A", "10"), private("A", `<PrivateAction>`+at+`</PrivateAction>`+speed(10)), "")
	a := r.until(1, 0)
	require.InDelta(t, -10, a.X, 1e-9)
	require.InDelta(t, -1.75, a.Y, 1e-9)
	a = r.until(3, 0)
	require.InDelta(t, 10, a.X, 0.02)
	require.InDelta(t, 10, a.S, 0.02)
	require.Equal(t, -1, a.Lane)
	require.NotEmpty(t, r.notes)
	require.Equal(t, "off road", r.notes[0].Kind)
	require.InDelta(t, 30, a.Traveled, 1e-9)
}

// TestPositionsPastTheEndOfARoad: an orientation turns an entity but does not move it.
func TestPositionsPastTheEndOfARoad(t *testing.T) {
	for _, orientation := range []string{"", `<Orientation h="0.5" type="relative"/>`,
		`<Orientation h="0.5" type="absolute"/>`} {
		r := start(t, car("A", "10")+car("B", "10"), one(10)+private("B", `<PrivateAction>`+placed(
			`<RelativeWorldPosition entityRef="A" dx="-150" dy="3">`+orientation+
				`</RelativeWorldPosition>`)+`</PrivateAction>`), "")
		b := r.until(0.5, 1)
		require.InDelta(t, -50, b.X, 1e-9)
		require.InDelta(t, 1.25, b.Y, 1e-9)
		if orientation != "" {
			require.InDelta(t, 0.5, b.H, 1e-9, orientation)
		}
	}
}

// TestAddEntity_RelativeToItself: a position relative to the deleted entity itself starts at the
// place where it was deleted.
func TestAddEntity_RelativeToItself(t *testing.T) {
	const global = `<GlobalAction><EntityAction entityRef="A">ACTION</EntityAction></GlobalAction>`
	text := act("<Delete/>", "<Add/>")
	for from, to := range map[string]string{"Delete": "<DeleteEntityAction/>",
		"Add": `<AddEntityAction><Position><RelativeLanePosition entityRef="A" dLane="-1" ds="40"/>
</Position></AddEntityAction>`} {
		text = strings.Replace(text, "<PrivateAction><"+from+"/></PrivateAction>",
			strings.Replace(global, "ACTION", to, 1), 1)
	}
	r := start(t, car("A", "10")+car("B", "10"), one(10)+private("B", teleport(-1, 10)), text)
	gone := r.until(0.99, 0)
	r.until(1.99, 1) // A does not exist
	a := r.until(2.5, 0)
	require.InDelta(t, gone.X+0.1+40+5, a.X, 0.11)
	require.Equal(t, gone.Lane-1, a.Lane)
}

// TestTeleport_FromTheEndOfARoad: an entity that is teleported away from the end of a road is no
// longer there, even if it stands still.
func TestTeleport_FromTheEndOfARoad(t *testing.T) {
	r := start(t, car("A", "10"), private("A", teleport(-1, 990)+speed(30)),
		act(placed(`<LanePosition roadId="1" laneId="-1" s="20"/>`)))
	const end = `<EndOfRoadCondition duration="0"/>`
	require.Zero(t, r.until(0.99, 0).Speed)
	x, _ := quantity(t, r.world, 0, end)
	require.Equal(t, 1.0, x)
	require.InDelta(t, 20, r.until(2, 0).X, 1e-9)
	x, _ = quantity(t, r.world, 0, end)
	require.Zero(t, x)
}
