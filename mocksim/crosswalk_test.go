package mocksim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// zebra returns an open road with a crosswalk from 148 to 152 m, given in one of three forms.
func zebra(t testing.TB, form int) *opendrive.Map {
	t.Helper()
	object := [...]string{
		`s="150" t="0" hdg="0" length="4" width="7"/>`,
		`s="150" t="0" hdg="1.5707963267948966" length="7" width="4"/>`,
		`s="150" t="0" hdg="0"><outline><cornerRoad s="148" t="-3.5" dz="0" height="0"/>
<cornerRoad s="152" t="-3.5" dz="0" height="0"/><cornerRoad s="152" t="3.5" dz="0" height="0"/>
<cornerRoad s="148" t="3.5" dz="0" height="0"/></outline></object>`}[form]
	m, err := opendrive.Read("zebra.xodr", strings.NewReader(strings.Replace(open, "</lanes>",
		`</lanes><objects><object id="3" type="crosswalk" zOffset="0" `+
			`orientation="none" height="0" `+
			object+`</objects>`, 1)))
	require.NoError(t, err)
	return m
}

// walks makes a pedestrian walk from one t to another at s = 150 m at 1.4 m/s, starting at 2 s.
func walks(t testing.TB, w *mocksim.World, from, to float64) {
	t.Helper()
	create(t, w, "walker", mocksim.Pedestrian, mocksim.AtPosition(150, from))
	if from == to {
		return
	}
	end := timebase.Time(2+(max(from, to)-min(from, to))/1.4) * timebase.Second
	_, err := w.SetTrajectory("walker", mocksim.Trajectory{Start: 2 * timebase.Second, End: end,
		Points: []mocksim.Point{{X: 150, Y: from}, {X: 150, Y: to}}})
	require.NoError(t, err)
}

// TestCrosswalk_VehiclesYield checks that vehicles of both directions stop before a crosswalk for a
// pedestrian who walks on it or approaches it, and continue when it is clear. They do not stop for
// a pedestrian who stands next to it or walks away.
func TestCrosswalk_VehiclesYield(t *testing.T) {
	for form := range 3 {
		for name, c := range map[string]struct {
			from, to float64
			stops    bool
		}{"from the right": {-4.5, 6, true}, "from the left": {4.5, -6, true},
			"stands beside it": {-4.5, -4.5, false}, "walks away": {-4.5, -12, false}} {
			w := on(t, zebra(t, form), mocksim.Options{})
			walks(t, w, c.from, c.to)
			create(t, w, "east", mocksim.Car, mocksim.OnRoad("1", -1, 100).WithSpeed(12))
			create(t, w, "west", mocksim.Bus, mocksim.OnRoad("1", 1, 205).WithSpeed(12))
			for _, v := range []string{"east", "west"} {
				require.NoError(t, w.SetController(v, mocksim.Controller{}))
			}
			slowest := 100.0
			for range 20 * 25 {
				for _, e := range steps(t, w, 1, 50*ms) {
					require.NotEqual(t, mocksim.Collision, e.Kind, "%s, form %d", name, form)
				}
				x := view(t, w, "walker").State().Position
				east := view(t, w, "east").State().Position.X
				if east < 150 {
					slowest = min(slowest, view(t, w, "east").State().Speed)
				}
				if x.Y > -3.5 && x.Y < 3.5 && c.stops {
					require.False(t, east+2.3 > 148 && east-2.3 < 152, "%s, form %d", name, form)
				}
			}
			require.Equal(t, c.stops, slowest < 0.5, "%s, form %d: %g m/s", name, form, slowest)
			require.Greater(t, view(t, w, "east").State().Position.X, 160.0, "%s goes on", name)
			require.Less(t, view(t, w, "west").State().Position.X, 140.0, "%s goes on", name)
		}
	}
}
