package entities_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSynchronize_WithoutAJump: without a final speed, an entity arrives at its place without a jump
// of its speed, whether the master accelerates, brakes or changes lanes, and wherever within a step
// they arrive. Its acceleration stays within its limit in the last step.
func TestSynchronize_WithoutAJump(t *testing.T) {
	const limit, place = 10.0, 130.0 // m/s2, m
	masters := map[string]string{"changes lanes": `<PrivateAction><LateralAction><LaneChangeAction>` +
		dynamics("LaneChangeActionDynamics", "sinusoidal", "time", 6) + `<LaneChangeTarget>
<AbsoluteTargetLane value="-1"/></LaneChangeTarget></LaneChangeAction></LateralAction></PrivateAction>`}
	for _, a := range []float64{-2, -1, 1, 3} {
		masters[fmt.Sprint(a, " m/s2")] = `<PrivateAction>` + speedAction("linear", "rate", math.Abs(a),
			20+20*a) + `</PrivateAction>`
	}
	for master, actions := range masters {
		for h, most := range map[float64]float64{0.01: 22, 0.1: 12} { // m/s2, before it arrives
			for k := range 10 {
				r := start(t, car("A", fmt.Sprint(limit))+car("B", "10"), one(10)+private("B",
					teleport(-2, 90)+speed(20)+actions), story(fmt.Sprintf(`<LongitudinalAction>
<SynchronizeAction masterEntityRef="B"><TargetPositionMaster><LanePosition roadId="1" laneId="-2"
s="%g"/></TargetPositionMaster><TargetPosition><LanePosition roadId="1" laneId="-1" s="%g"/>
</TargetPosition></SynchronizeAction></LongitudinalAction>`, 150+5.48*h*float64(k), place)))
				change, before := most*h, 10.0
				for n := 1; r.ends["X"] == 0; n++ {
					require.Less(t, n, 900)
					require.NoError(t, r.board.Step(float64(n)*h))
					a := r.world.State(0)
					if r.ends["X"] != 0 {
						change = limit * h
						require.InDelta(t, place, a.X, a.Speed*h+0.001)
					}
					require.InDelta(t, before, a.Speed, change+1e-9, "%s, %d, %g s", master, k, h)
					before = a.Speed
				}
			}
		}
	}
}
