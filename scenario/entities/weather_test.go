package entities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/storyboard"
)

// TestEnvironment_WithValuesThatOSIDoesNotHave checks that weather that OSI messages cannot express
// is replaced by the nearest weather that they can, with a note.
func TestEnvironment_WithValuesThatOSIDoesNotHave(t *testing.T) {
	weather := func(attributes string) string {
		return `<GlobalAction><EnvironmentAction><Environment name="e"><Weather ` + attributes +
			`/></Environment></EnvironmentAction></GlobalAction>`
	}
	r := start(t, car("A", "10"), weather(`atmosphericPressure="10000" temperature="400"`)+one(10), "")
	v := r.world.Simulation().Weather()
	require.InDelta(t, 80_000, v.Pressure, 0)
	require.InDelta(t, 340, v.Temperature, 0)
	require.Len(t, r.notes, 2)
	require.Equal(t, "limited", r.notes[0].Kind)
	require.Equal(t, storyboard.NoEntity, r.notes[0].Entity)
	require.Equal(t, "pressure of the weather 10000 Pa to 80000 Pa, because OSI has no others",
		r.notes[0].Text)
	r = start(t, car("A", "10"), weather(`atmosphericPressure="95000" temperature="280"`)+one(10), "")
	require.InDelta(t, 95_000, r.world.Simulation().Weather().Pressure, 0)
	require.Empty(t, r.notes)
}
