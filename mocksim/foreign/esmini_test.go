package foreign_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// esmini returns the address of esmini, with the library named by LIBESMINI and a scenario.
func esmini(t *testing.T, scenario string) string {
	t.Helper()
	if os.Getenv("LIBESMINI") == "" {
		t.Skip("LIBESMINI names no library of esmini (libesminiLib.so)")
	}
	python := cmp.Or(os.Getenv("GOSMP_SUMO_PYTHON"), "python3")
	require.NoError(t, exec.Command(python, "-c", "import ctypes").Run())
	t.Setenv("PYTHONPATH", filepath.Join(module, "python"))
	t.Chdir(t.TempDir()) // esmini writes its log here
	words := "exec:" + python + " '" + filepath.Join(module, "examples/simulators/esmini.py") + "'"
	if scenario != "" {
		words += " '" + filepath.Join(module, scenario) + "'"
	}
	return words
}

func TestEsmini_PassesTheCheck(t *testing.T) { passesTheCheck(t, esmini(t, "")) }

// TestEsmini_ShowsItsObjects checks that the objects of a scenario run by esmini are in gosmp's
// world: examples/ccrs, in which Ego drives at 50 km/h from s = 50, and Target stands 5 s ahead of
// it.
func TestEsmini_ShowsItsObjects(t *testing.T) {
	w := world(t, filepath.Join(module, "examples/ccrs/road.xodr"),
		esmini(t, "examples/ccrs/ccrs.xosc"))
	_, err := w.Step(step)
	require.NoError(t, err)
	ego, err := w.Actor("esmini0")
	require.NoError(t, err)
	target, err := w.Actor("esmini1")
	require.NoError(t, err)
	const v = 50 / 3.6
	const shift = 1.2 - 1.35 // the centers of the boxes relative to the rear axles
	require.InDelta(t, 5*v-step.Seconds()*v+shift,
		target.State().Position.X-ego.State().Position.X, 1e-6)
	before := ego.State().Position.X
	for range 50 {
		_, err = w.Step(step)
		require.NoError(t, err)
	}
	require.InDelta(t, v*50*step.Seconds(), ego.State().Position.X-before, 1e-6)
	require.InDelta(t, v, ego.State().Speed, 1e-6)
	require.InDelta(t, -1.75, ego.State().Position.Y, 1e-6)
}
