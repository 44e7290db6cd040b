package play_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/play"
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
		d, err := scenario.Parse("train.xosc", []byte(strings.NewReplacer("CARS", c.objects+
			vehicleOf("ScenarioObject", "B", ""), "PLACES", placedAt("Ego", "0", "10")+c.places+
			placedAt("B", "-16", "15"), `value="1"/>`, `value="2"/>`).Replace(following)))
		require.NoError(t, err)
		resolved, err := d.Resolve(nil)
		require.NoError(t, err)
		w, err := entities.New(resolved, entities.Options{})
		require.NoError(t, err)
		var list []play.Requirement
		for _, text := range []string{"no collision of B", "no collision of " + c.trailer,
			"no collision", "no collision of B with Ego", "impact speed < 5"} {
			r, err := play.ParseRequirement(text)
			require.NoError(t, err)
			list = append(list, r)
		}
		p, err := play.New(resolved, w, play.Options{Requirements: list})
		require.NoError(t, err)
		result, err := p.Run(t.Context())
		w.Close()
		require.NoError(t, err)
		for k, v := range result.Verdicts {
			require.Equal(t, k > 1 && !c.coupled, v.Passed, "%+v", v)
			if !v.Passed {
				require.InDelta(t, 1.2, *v.Time, 0.11, "%+v", v)
			}
		}
		if c.coupled {
			require.Equal(t, []string{c.trailer, "B"}, []string{result.Collisions[0].Entity,
				result.Collisions[0].Other})
		} else {
			require.Empty(t, result.Collisions)
		}
	}
}
