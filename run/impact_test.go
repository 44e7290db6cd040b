package run

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// impact is a scenario in which Ego, 4 m long and 2 m wide around its reference point, brakes from
// 20 m/s at $rate from 1 s on. Target, of the same size, is at (X, Y) with the heading H and the
// speed V.
const impact = `<OpenSCENARIO>
<FileHeader revMajor="1" revMinor="3" date="2026-11-26T12:00:00" description="" author=""/>
<ParameterDeclarations><ParameterDeclaration name="rate" parameterType="double" value="8"/>
</ParameterDeclarations><CatalogLocations/><RoadNetwork/><Entities>ENTITIES</Entities>
<Storyboard><Init><Actions>INIT</Actions></Init>
<Story name="S"><Act name="A"><ManeuverGroup name="G" maximumExecutionCount="1">
<Actors selectTriggeringEntities="false"><EntityRef entityRef="Ego"/></Actors><Maneuver name="M">
<Event name="E" priority="override"><Action name="a"><PrivateAction><LongitudinalAction>
<SpeedAction><SpeedActionDynamics dynamicsShape="linear" dynamicsDimension="rate" value="$rate"/>
<SpeedActionTarget><AbsoluteTargetSpeed value="0"/></SpeedActionTarget></SpeedAction>
</LongitudinalAction></PrivateAction></Action><StartTrigger><ConditionGroup>
<Condition name="second" conditionEdge="rising" delay="0"><ByValueCondition>
<SimulationTimeCondition rule="greaterOrEqual" value="1"/></ByValueCondition></Condition>
</ConditionGroup></StartTrigger></Event></Maneuver></ManeuverGroup><StartTrigger><ConditionGroup>
<Condition name="start" conditionEdge="none" delay="0"><ByValueCondition>
<SimulationTimeCondition rule="greaterOrEqual" value="0"/></ByValueCondition></Condition>
</ConditionGroup></StartTrigger></Act></Story>
<StopTrigger><ConditionGroup><Condition name="end" conditionEdge="none" delay="0"><ByValueCondition>
<SimulationTimeCondition rule="greaterOrEqual" value="5"/></ByValueCondition></Condition>
</ConditionGroup></StopTrigger></Storyboard></OpenSCENARIO>`

func impactFile(t *testing.T, rate, x, y, h, v float64) string {
	var entities, init strings.Builder
	for _, e := range []struct {
		name       string
		x, y, h, v float64
	}{{"Ego", 0, 0, 0, 20}, {"Target", x, y, h, v}} {
		fmt.Fprintf(&entities, `<ScenarioObject name="%s"><Vehicle name="car" vehicleCategory="car">
<BoundingBox><Center x="0" y="0" z="0.7"/><Dimensions width="2" length="4" height="1.4"/></BoundingBox>
<Performance maxSpeed="100" maxAcceleration="100" maxDeceleration="100"/><Axles><FrontAxle
maxSteering="0.5" wheelDiameter="0.6" trackWidth="1.6" positionX="2.7" positionZ="0.3"/><RearAxle
maxSteering="0" wheelDiameter="0.6" trackWidth="1.6" positionX="0" positionZ="0.3"/></Axles>
<Properties/></Vehicle></ScenarioObject>`, e.name)
		fmt.Fprintf(&init, `<Private entityRef="%s"><PrivateAction><TeleportAction><Position>
<WorldPosition x="%g" y="%g" h="%g"/></Position></TeleportAction></PrivateAction><PrivateAction>
<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="step" dynamicsDimension="time"
value="0"/><SpeedActionTarget><AbsoluteTargetSpeed value="%g"/></SpeedActionTarget></SpeedAction>
</LongitudinalAction></PrivateAction></Private>`, e.name, e.x, e.y, e.h, e.v)
	}
	name := filepath.Join(t.TempDir(), "impact.xosc")
	text := strings.NewReplacer("ENTITIES", entities.String(), "INIT", init.String(), `value="8"`,
		fmt.Sprintf(`value="%g"`, rate)).Replace(impact)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// TestImpact_IsThatOfTheFirstContact compares the time and the speed of impacts with closed forms.
// They do not depend on the step, and the verdict, the result and the metrics agree.
func TestImpact_IsThatOfTheFirstContact(t *testing.T) {
	for _, c := range []struct{ rate, x, v float64 }{{8, 40, 0}, {8, 46.3, 0}, {3.7, 38.123, 5},
		{9.81, 36.5, -7}, {0.1, 31.77, 0}} {
		// Braking starts at 1 s, when the gap has shrunk by 1 s of the closing speed.
		gap, closing := c.x-4-(20-c.v), 20-c.v
		after := (closing - math.Sqrt(closing*closing-2*c.rate*gap)) / c.rate
		for _, step := range []float64{0.01, 0.04, 0.1} {
			o := Defaults(impactFile(t, c.rate, c.x, 0, 0, c.v))
			o.StepSize = &step
			o.Require = []string{"no collision", "impact speed < 1"}
			r, err := Run(context.Background(), o)
			require.NoError(t, err)
			require.Len(t, r.Scenario.Collisions, 1)
			hit := r.Scenario.Collisions[0]
			require.InDelta(t, 1+after, hit.Time, 1e-6, "%+v, step %g", c, step)
			require.InDelta(t, 20-c.rate*after, hit.ImpactSpeed, 1e-6)
			for _, v := range r.Scenario.Verdicts {
				require.Equal(t, hit.ImpactSpeed, *v.Value)
				require.Equal(t, hit.Time, *v.Time)
			}
		}
	}
}

// TestImpact_OfCrossingBoxes: a target crosses in front of Ego, in x from 38 m to 40 m. The contact
// begins when the boxes overlap in both directions, also if it ends within the same step.
func TestImpact_OfCrossingBoxes(t *testing.T) {
	for _, c := range []struct{ y, v, step float64 }{{-40, 20, 0.01}, {-40, 20, 0.04},
		{-35, 20, 0.01}, {-30, 20, 0.01}, {-43.2, 20, 0.4}, {-20, 9, 0.01}, {-25, 12, 0.03}} {
		o := Defaults(impactFile(t, 1e-9, 39, c.y, math.Pi/2, c.v))
		o.StepSize = &c.step
		r, err := Run(context.Background(), o)
		require.NoError(t, err)
		first, last := max(36.0/20, (-3-c.y)/c.v), min(42.0/20, (3-c.y)/c.v)
		if first > last {
			require.Empty(t, r.Scenario.Collisions, "%+v", c)
			continue
		}
		require.Len(t, r.Scenario.Collisions, 1, "%+v", c)
		hit := r.Scenario.Collisions[0]
		require.InDelta(t, first, hit.Time, 1e-6, "%+v", c)
		require.InDelta(t, 20, hit.ImpactSpeed, 1e-6)
		require.InDelta(t, c.v, hit.OtherSpeed, 1e-6)
	}
}
