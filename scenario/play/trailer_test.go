package play_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/play"
	"gosmp/scenario/storyboard"
)

// vehicleOf returns an entity with a box of 5 m and further content.
func vehicleOf(element, name, content string) string {
	return `<` + element + ` name="` + name + `"><Vehicle name="v" vehicleCategory="car">
<BoundingBox><Center x="1.5" y="0" z="0.75"/><Dimensions width="2" length="5" height="1.5"/>
</BoundingBox><Performance maxSpeed="70" maxAcceleration="10" maxDeceleration="10"/><Axles>
<RearAxle maxSteering="0" wheelDiameter="0.8" trackWidth="1.7" positionX="0" positionZ="0.4"/></Axles>
<Properties/><TrailerHitch dx="-1"/><TrailerCoupler dx="4"/>` + content + `</Vehicle></` +
		element + `>`
}

// placedAt returns the initial actions of an entity on a plane.
func placedAt(name, x, speed string) string {
	return `<Private entityRef="` + name + `"><PrivateAction><TeleportAction><Position>
<WorldPosition x="` + x + `" y="0"/></Position></TeleportAction></PrivateAction><PrivateAction>
<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="step" dynamicsDimension="time"
value="0"/><SpeedActionTarget><AbsoluteTargetSpeed value="` + speed + `"/></SpeedActionTarget>
</SpeedAction></LongitudinalAction></PrivateAction></Private>`
}

// trailerAction returns a story in which Ego connects T or disconnects its trailer at a time.
func trailerAction(time, action string) string {
	after := func(time string) string {
		return `<StartTrigger><ConditionGroup><Condition name="c" delay="0" conditionEdge="none">
<ByValueCondition><SimulationTimeCondition value="` + time + `" rule="greaterOrEqual"/>
</ByValueCondition></Condition></ConditionGroup></StartTrigger>`
	}
	return `<Story name="s` + time + `"><Act name="a"><ManeuverGroup maximumExecutionCount="1"
name="g"><Actors selectTriggeringEntities="false"><EntityRef entityRef="Ego"/></Actors>
<Maneuver name="m"><Event name="e" priority="parallel"><Action name="x"><PrivateAction>
<TrailerAction>` + action + `</TrailerAction></PrivateAction></Action>` + after(time) +
		`</Event></Maneuver></ManeuverGroup>` + after("0") + `</Act></Story>`
}

// speedAt returns a story in which Ego has another speed from a time on.
func speedAt(time, speed string) string {
	_, story, _ := strings.Cut(trailerAction(time, "SPEED"), `name="`)
	return `<Story name="v` + strings.Replace(story, "<TrailerAction>SPEED</TrailerAction>",
		`<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="step"
dynamicsDimension="time" value="0"/><SpeedActionTarget><AbsoluteTargetSpeed value="`+speed+`"/>
</SpeedActionTarget></SpeedAction></LongitudinalAction>`, 1)
}

// playTrain plays a scenario for some seconds.
func playTrain(t *testing.T, objects, places, stories, duration string,
	requirements ...string) *play.Result {
	t.Helper()
	p, err := playerOf(t, objects, places, stories, duration, requirements...)
	require.NoError(t, err)
	result, err := p.Run(t.Context())
	require.NoError(t, err)
	return result
}

// playerOf prepares a scenario.
func playerOf(t *testing.T, objects, places, stories, duration string,
	requirements ...string) (*play.Player, error) {
	t.Helper()
	d, err := scenario.Parse("train.xosc", []byte(strings.NewReplacer("CARS", objects, "PLACES",
		places, "</Init>", "</Init>"+stories, `value="1"/>`, `value="`+duration+`"/>`).Replace(
		following)))
	require.NoError(t, err)
	resolved, err := d.Resolve(nil)
	require.NoError(t, err)
	w, err := entities.New(resolved, entities.Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	var list []play.Requirement
	for _, text := range requirements {
		r, err := play.ParseRequirement(text)
		require.NoError(t, err)
		list = append(list, r)
	}
	return play.New(resolved, w, play.Options{Requirements: list})
}

// TestCollision_OfATrailer: what hits a trailer hits its vehicle, also if the trailer is described
// inside the vehicle and is no entity of the storyboard. A trailer that is not coupled is another
// entity.
func TestCollision_OfATrailer(t *testing.T) {
	described := vehicleOf("ScenarioObject", "Ego", "<Trailer>"+vehicleOf("Trailer", "T", "")+
		"</Trailer>")
	alone := vehicleOf("ScenarioObject", "T", "")
	named := vehicleOf("ScenarioObject", "Ego", `<Trailer><TrailerRef entityRef="T"/></Trailer>`)
	for _, c := range []struct {
		objects, places, trailer string
		coupled                  bool
	}{{described, "", "Ego.T", true}, {named + alone, "", "T", true},
		{vehicleOf("ScenarioObject", "Ego", "") + alone, placedAt("T", "-5.5", "10"), "T", false}} {
		// The trailer is 5 m behind Ego, and its back, where B hits it after 1.2 s, at -6 m.
		result := playTrain(t, c.objects+vehicleOf("ScenarioObject", "B", ""),
			placedAt("Ego", "0", "10")+c.places+placedAt("B", "-16", "15"), "", "2",
			"no collision of B", "no collision of "+c.trailer, "no collision",
			"no collision of B with Ego", "impact speed < 5")
		for k, v := range result.Verdicts {
			require.Equal(t, k > 1 && !c.coupled, v.Passed, "%+v", v)
			if !v.Passed {
				require.InDelta(t, 1.2, *v.Time, 0.11, "%+v", v)
			}
		}
		if c.coupled {
			require.Equal(t, "impact speed of "+c.trailer+" 10 m/s, expected < 5 m/s",
				result.Verdicts[4].Cause)
			require.Equal(t, []string{c.trailer, "B"}, []string{result.Collisions[0].Entity,
				result.Collisions[0].Other})
		} else {
			require.Empty(t, result.Collisions)
		}
	}
}

// TestCollision_OfTooManyTrailers: collisions of a train of thousands of trailers with thousands of
// entities are an error rather than hours of work.
func TestCollision_OfTooManyTrailers(t *testing.T) {
	const most = 100
	for n, want := range map[int]error{most: nil, most + 1: storyboard.ErrUnsupported} {
		objects := vehicleOf("ScenarioObject", fmt.Sprintf("T%d", n), "")
		for k := range n {
			name := fmt.Sprintf("T%d", k)
			if k == 0 {
				name = "Ego"
			}
			objects += vehicleOf("ScenarioObject", name,
				fmt.Sprintf(`<Trailer><TrailerRef entityRef="T%d"/></Trailer>`, k+1))
		}
		p, err := playerOf(t, objects, placedAt("Ego", "0", "10"), "", "1")
		require.ErrorIs(t, err, want)
		if want == nil {
			require.NotNil(t, p)
		}
	}
}

// TestCollision_OfATrailerAtThatTime: a trailer counts from the time when an action connects it to
// the vehicle until an action disconnects it. The trailer of another vehicle never counts.
func TestCollision_OfATrailerAtThatTime(t *testing.T) {
	const connect = `<ConnectTrailerAction trailerRef="T"/>`
	const disconnect = `<DisconnectTrailerAction/>`
	for stories, hit := range map[string]bool{
		"":                            false,
		trailerAction("1", connect):   true,
		trailerAction("2.5", connect): false,
		trailerAction("0.5", connect) + trailerAction("1", disconnect):   false,
		trailerAction("0.5", connect) + trailerAction("2.5", disconnect): true,
	} {
		// The back of T is at -6.2 m, where the front of B is after 2 s.
		result := playTrain(t, vehicleOf("ScenarioObject", "Ego", "")+vehicleOf("ScenarioObject",
			"T", "")+vehicleOf("ScenarioObject", "B", ""), placedAt("Ego", "0", "10")+placedAt("T",
			"-5.2", "10")+placedAt("B", "-20.2", "15"), stories, "2.8", "no collision",
			"no collision of B with Ego")
		for _, v := range result.Verdicts {
			require.Equal(t, !hit, v.Passed, "%s: %+v", stories, v)
		}
		require.Equal(t, hit, len(result.Collisions) > 0, stories)
	}

	trailing := func(name string) string {
		return vehicleOf("ScenarioObject", name, "<Trailer>"+vehicleOf("Trailer", "T", "")+
			"</Trailer>")
	}
	result := playTrain(t, trailing("Ego")+trailing("Other")+vehicleOf("ScenarioObject", "B", ""),
		placedAt("Ego", "100", "10")+placedAt("Other", "0", "10")+placedAt("B", "-16", "15"),
		"", "2", "no collision", "no collision of Ego with B", "no collision of B with Ego",
		"no collision of Other", "no collision of B with Other")
	for k, v := range result.Verdicts {
		require.Equal(t, k < 3, v.Passed, "%+v", v)
	}
	require.Empty(t, result.Collisions)
}

// TestDistance_AfterATrailer: a trailer that is disconnected touches its vehicle, or is as far from
// it as the drawbar is long, and does not count as the nearest entity while the vehicle leaves it. It
// counts when the vehicle stands elsewhere or comes back.
func TestDistance_AfterATrailer(t *testing.T) {
	const disconnect = `<DisconnectTrailerAction/>`
	for _, c := range []struct {
		name, speed, stories string
		distance             float64 // the smallest one to the trailer or B
		drawbar              float64 // how much farther away it is with a drawbar
	}{
		{"leaves", "10", trailerAction("1", disconnect), 970, 0},
		{"leaves a second one", "10", trailerAction("0.5", disconnect) + trailerAction("0.9",
			`<ConnectTrailerAction trailerRef="T"/>`) + trailerAction("1.1", disconnect), 970, 0},
		{"pushes it", "-10", trailerAction("1", disconnect), 0, 0},
		{"stops", "10", trailerAction("1", disconnect) + speedAt("1.2", "0"), 2, 0.5},
		{"comes back", "10", trailerAction("1", disconnect) + speedAt("1.5", "-4"), 1, 0.5},
		{"stands before it leaves", "0", trailerAction("1", disconnect) + speedAt("2", "10"), 990, 0},
	} {
		for gap, coupler := range map[float64]string{0: `dx="4"`, 0.5: `dx="4.5"`} {
			v := leaving(t, coupler, c.speed, c.stories)
			require.InDelta(t, c.distance+c.drawbar*gap/0.5, *v.Value, 0.15, "%s, %g m: %+v",
				c.name, gap, v)
		}
	}
}

// TestDistance_AfterATrailerInABend: the vehicle and its trailer come closer as the train enters a
// bend, which does not count when the trailer is disconnected there.
func TestDistance_AfterATrailerInABend(t *testing.T) {
	for _, curvature := range []string{"-0.1", "-0.02", "0.02", "0.05", "0.1"} {
		for _, at := range []string{"0.55", "0.6", "0.8", "1", "1.5"} {
			for _, coupler := range []string{`dx="4"`, `dx="4.5"`} {
				v := leaving(t, coupler, "10", bend("0.5", curvature)+trailerAction(at,
					`<DisconnectTrailerAction/>`))
				require.Equal(t, "B", v.Other, "%s at %s, %s: %+v", curvature, at, coupler, v)
				require.Greater(t, *v.Value, 900.0)
			}
		}
	}
}

// leaving judges the smallest distance of Ego, which has the trailer T and is 1000 m before B.
func leaving(t *testing.T, coupler, speed, stories string) play.Verdict {
	objects := vehicleOf("ScenarioObject", "Ego", `<Trailer><TrailerRef entityRef="T"/></Trailer>`) +
		vehicleOf("ScenarioObject", "T", "") + vehicleOf("ScenarioObject", "B", "")
	result := playTrain(t, strings.ReplaceAll(objects, `TrailerCoupler dx="4"`, "TrailerCoupler "+
		coupler), placedAt("Ego", "0", speed)+placedAt("B", "1000", "0"), stories, "2.5",
		"min distance < 1e9")
	return result.Verdicts[0]
}

// bend returns a story in which Ego drives on an arc from x = 5 m.
func bend(at, curvature string) string {
	when := func(time string) string {
		return `<StartTrigger><ConditionGroup><Condition name="c" delay="0" conditionEdge="none">
<ByValueCondition><SimulationTimeCondition value="` + time + `" rule="greaterOrEqual"/>
</ByValueCondition></Condition></ConditionGroup></StartTrigger>`
	}
	return `<Story name="bend"><Act name="a"><ManeuverGroup maximumExecutionCount="1" name="g"><Actors
selectTriggeringEntities="false"><EntityRef entityRef="Ego"/></Actors><Maneuver name="m"><Event
name="e" priority="parallel"><Action name="x"><PrivateAction><RoutingAction><FollowTrajectoryAction>
<TrajectoryRef><Trajectory name="t" closed="false"><ParameterDeclarations/><Shape><Clothoid
curvature="` + curvature + `" curvatureDot="0" curvaturePrime="0" length="60"><Position><WorldPosition
x="5" y="0"/></Position></Clothoid></Shape></Trajectory></TrajectoryRef><TimeReference><None/>
</TimeReference><TrajectoryFollowingMode followingMode="position"/></FollowTrajectoryAction>
</RoutingAction></PrivateAction></Action>` + when(at) + `</Event></Maneuver></ManeuverGroup>` +
		when("0") + `</Act></Story>`
}

// TestCollision_Order: the first collision is the earliest one, even if a later one in the same step
// concerns the vehicle and the first one its trailer.
func TestCollision_Order(t *testing.T) {
	result := playTrain(t, vehicleOf("ScenarioObject", "Ego", "<Trailer>"+vehicleOf("Trailer", "T",
		"")+"</Trailer>")+vehicleOf("ScenarioObject", "A", "")+vehicleOf("ScenarioObject", "B", ""),
		placedAt("Ego", "0", "10")+placedAt("A", "15.09", "0")+placedAt("B", "-15.01", "15"), "",
		"1.2", "no collision")
	v := result.Verdicts[0]
	require.Equal(t, "B", v.Other)
	require.InDelta(t, 1.002, *v.Time, 1e-9)
	require.Contains(t, v.Cause, "Ego.T collides with B at 1.002 s")
	require.Len(t, result.Collisions, 2)
	require.Equal(t, "A", result.Collisions[1].Other)
	require.InDelta(t, 1.009, result.Collisions[1].Time, 1e-9)
}
