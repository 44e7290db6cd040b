package mocksim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
)

// mixed returns a world with all three kinds of moves.
func mixed(t testing.TB) *mocksim.World {
	w := world(t, "ring.xodr", mocksim.Options{Seed: 5, Step: 20 * ms})
	require.NoError(t, w.Populate(mocksim.Traffic{Count: 12, Host: "ego",
		Driver: mocksim.Driver{LaneChange: mocksim.ChangeWithMOBIL}}))
	create(t, w, "walker", mocksim.Pedestrian, mocksim.AtPosition(50, 20))
	_, err := w.SetControls("walker", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.5,
		SteeringWheel: 0.1}}})
	require.NoError(t, err)
	create(t, w, "driver", mocksim.Car, mocksim.AtPosition(100, 60))
	_, err = w.SetControls("driver", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.5,
		Gear: 1, SteeringWheel: 2}}})
	require.NoError(t, err)
	create(t, w, "follower", mocksim.Car, mocksim.AtPosition(100, 80))
	_, err = w.SetTrajectory("follower", mocksim.Trajectory{End: 6000 * ms,
		Points: []mocksim.Point{{X: 100, Y: 80}, {X: 120, Y: 60}, {X: 90, Y: 50}}, Cubic: true})
	require.NoError(t, err)
	return w
}

func record(t testing.TB, w *mocksim.World, n int) (lines []string) {
	for range n {
		for _, e := range steps(t, w, 1, 20*ms) {
			lines = append(lines, e.String())
		}
		for k := range w.Len() {
			v := w.At(k)
			p := v.Place()
			lines = append(lines, fmt.Sprint(v.Name(), v.State(), p.Lane, p.S, p.T))
		}
	}
	return lines
}

func TestRestore_ContinuesExactly(t *testing.T) {
	w := mixed(t)
	steps(t, w, 100, 20*ms)
	saved := w.AppendState(nil)
	want := record(t, w, 300)
	require.NoError(t, w.Restore(saved))
	require.Equal(t, want, record(t, w, 300))
	// Restore the state into a new world that never contained these actors.
	other := world(t, "ring.xodr", mocksim.Options{Seed: 5, Step: 20 * ms})
	require.NoError(t, other.Restore(saved))
	require.Equal(t, saved, other.AppendState(nil))
	require.Equal(t, want, record(t, other, 300))
}

func TestRestore_RefusesWhatIsDamaged(t *testing.T) {
	w := mixed(t)
	steps(t, w, 10, 20*ms)
	saved := w.AppendState(nil)
	for k := 0; k < len(saved); k += 7 {
		bad := append([]byte(nil), saved...)
		bad[k] ^= 0x55
		require.ErrorIs(t, w.Restore(bad), mocksim.ErrState)
		require.ErrorIs(t, w.Restore(saved[:k]), mocksim.ErrState)
	}
	require.Equal(t, saved, w.AppendState(nil), "nothing has changed")
}

func TestPopulate_FillsTheMapBySeed(t *testing.T) {
	names := func(seed uint64) string {
		w := world(t, "ring.xodr", mocksim.Options{Seed: seed})
		require.NoError(t, w.Populate(mocksim.Traffic{Count: 20, Host: "ego"}))
		require.Equal(t, 21, w.Len())
		for _, e := range steps(t, w, 1500, 20*ms) {
			require.NotEqual(t, mocksim.Collision, e.Kind, e.String())
		}
		return fmt.Sprint(w.At(0).State())
	}
	require.Equal(t, names(1), names(1))
	require.NotEqual(t, names(1), names(2))
	w := world(t, "ring.xodr", mocksim.Options{})
	require.NoError(t, w.Populate(mocksim.Traffic{Count: 500}))
	require.Greater(t, w.Len(), 20)
	require.Less(t, w.Len(), 500, "as many as there is room for")
}

func TestAssist_BrakesTheDriver(t *testing.T) {
	w := world(t, "ring.xodr", mocksim.Options{})
	create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -1, 10).WithSpeed(20))
	require.NoError(t, w.SetController("a", mocksim.Controller{}))
	require.NoError(t, w.Assist("a", 0.5))
	steps(t, w, 1, 100*ms)
	require.InDelta(t, -4.5, view(t, w, "a").State().Along, 1e-9)
	require.ErrorIs(t, w.Assist("a", 2), mocksim.ErrValue)
}
