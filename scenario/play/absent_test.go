package play_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCollision_OfEntitiesThatAreNotThere: entities that never meet in the simulation, because
// nothing places one of them, cannot collide, so the absence of a collision proves nothing.
func TestCollision_OfEntitiesThatAreNotThere(t *testing.T) {
	requirements := []string{"no collision", "no collision with B", "no collision of B",
		"impact speed < 1"}
	ego := vehicleOf("ScenarioObject", "Ego", "")
	both := ego + vehicleOf("ScenarioObject", "B", "")
	for _, v := range playTrain(t, both, placedAt("Ego", "0", "1"), "", "1",
		requirements...).Verdicts {
		require.False(t, v.Passed, v.Requirement)
		require.True(t, v.Undecided, v.Requirement)
		require.Contains(t, v.Cause, "were never in the simulation at the same time", v.Requirement)
	}
	for _, v := range playTrain(t, both, placedAt("Ego", "0", "1"), "", "1", "min ttc > 1",
		"headway to B > 1", "pet > 1", "distance to B > 1").Verdicts {
		require.True(t, v.Undecided, v.Requirement)
		require.Contains(t, v.Cause, "was never defined", v.Requirement)
	}
	for _, v := range playTrain(t, both, placedAt("Ego", "0", "1")+placedAt("B", "500", "1"), "",
		"1", requirements...).Verdicts {
		require.True(t, v.Passed, "%s: %s", v.Requirement, v.Cause)
	}
	require.True(t, playTrain(t, ego, placedAt("Ego", "0", "1"), "", "1",
		"no collision", "min ttc > 1").Verdicts[1].Passed, "a scenario with a single entity")
}
