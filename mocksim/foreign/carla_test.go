package foreign_test

import (
	"cmp"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
)

// carla returns the address of CARLA's adapter with a stand-in for the server. It runs with the
// Python named by GOSMP_CARLA_PYTHON, which should have CARLA's package, or with python3.
func carla(t *testing.T) string {
	t.Helper()
	python := cmp.Or(os.Getenv("GOSMP_CARLA_PYTHON"), "python3")
	if _, err := exec.LookPath(python); err != nil {
		t.Skip("no " + python)
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	t.Setenv("PYTHONPATH", filepath.Join(root, "python"))
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	return "exec:" + python + " '" + filepath.Join(root, "mocksim/foreign/testdata/carla.py") +
		"' '" +
		filepath.Join(root, "examples/simulators/carla.py") + "'"
}

func TestCarla_PassesTheCheck(t *testing.T) { passesTheCheck(t, carla(t)) }

// TestCarla_MovesAndShows checks that a vehicle is at the same place in CARLA, whose axes and
// origins differ, when CARLA's traffic manager takes it over, and that third-party vehicles are
// shown.
func TestCarla_MovesAndShows(t *testing.T) {
	w := world(t, "../../examples/maps/crossing.xodr", carla(t))
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego",
		Start: mocksim.AtPosition(1.75, -60).Facing(math.Pi / 2).WithSpeed(8)}))
	require.NoError(t, w.Create(mocksim.Actor{Name: "walker", Kind: mocksim.Pedestrian,
		Start: mocksim.AtPosition(8, -60)}))
	require.NoError(t, w.Take("ego"))
	ego, err := w.Actor("ego")
	require.NoError(t, err)
	steps := func(n int) {
		for range n {
			_, err := w.Step(step)
			require.NoError(t, err)
		}
	}
	steps(10)
	before := ego.State()
	require.InDelta(t, 1.75, before.Position.X, 1e-4)
	require.NoError(t,
		w.SetController("ego", mocksim.Controller{Driver: mocksim.Driver{Speed: 12}}))
	for k := range 50 {
		steps(1)
		s := ego.State()
		require.InDelta(t, before.Position.X, s.Position.X, 1e-3)
		require.InDelta(t, before.Position.Y+12*step.Seconds()*float64(k+1), s.Position.Y, 0.3)
		require.InDelta(t, math.Pi/2, s.Orientation.Yaw, 1e-5)
	}
	require.InDelta(t, 12, ego.State().Speed, 1e-2)

	stranger, err := w.Actor("carla1")
	require.NoError(t, err)
	at := stranger.State()
	require.InDelta(t, -30.15-5*60*step.Seconds(), at.Position.X, 1e-3, "the middle of its box")
	require.InDelta(t, -1.75, at.Position.Y, 1e-3)
	require.InDelta(t, 5, at.Speed, 1e-2)
	require.InDelta(t, 4.8, stranger.Shape().Length, 1e-6)
	walker, err := w.Actor("walker")
	require.NoError(t, err)
	require.InDelta(t, 8, walker.State().Position.X, 1e-4)
}
