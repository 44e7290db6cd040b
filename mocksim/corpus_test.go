package mocksim_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// TestCorpus_CarriesTraffic checks that third-party maps in the folder GOSMP_MAPS and its
// subfolders carry traffic for some seconds: either vehicles drive on a map, or the map is refused
// on reading or because it has no lane for cars.
func TestCorpus_CarriesTraffic(t *testing.T) {
	folder := os.Getenv("GOSMP_MAPS")
	if folder == "" {
		t.Skip("GOSMP_MAPS names no folder of maps")
	}
	driven, refused, empty := 0, 0, 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".xodr") {
			return err
		}
		m, err := opendrive.ReadFile(path)
		if err != nil {
			require.ErrorIs(t, err, opendrive.ErrMap)
			refused++
			return nil
		}
		w, err := mocksim.New(m, mocksim.Options{Seed: 1})
		require.NoError(t, err, path)
		if err := w.Populate(mocksim.Traffic{Count: 20, Host: "ego"}); err != nil {
			require.True(t, errors.Is(err, mocksim.ErrValue), "%s: %v", path, err)
			t.Logf("no room: %s", path)
			empty++
			return nil
		}
		for range 150 {
			_, err := w.Step(20 * ms)
			require.NoError(t, err, path)
		}
		for k := range w.Len() {
			require.True(t, w.At(k).State().Position.Finite(), path)
		}
		w.Close()
		driven++
		return nil
	}))
	t.Logf("%d maps driven on, %d without lanes for cars, %d refused", driven, empty, refused)
	require.NotZero(t, driven)
}

// standing updates the time that each vehicle has been standing, in s, in the order of names, and
// returns the longest time.
func standing(w *mocksim.World, since []float64, h timebase.Time) (longest float64) {
	for k := range w.Len() {
		if since[k] += h.Seconds(); w.At(k).State().Speed > 0.1 {
			since[k] = 0
		}
		longest = max(longest, since[k])
	}
	return longest
}

// TestTraffic_FlowsInATown checks that no vehicle stands for two minutes and none collide in a town
// that no vehicle can leave.
func TestTraffic_FlowsInATown(t *testing.T) {
	w := on(t, others(t, "carla_town07.xodr"), mocksim.Options{Seed: 1})
	require.NoError(t, w.Populate(mocksim.Traffic{Count: 30}))
	const h = 50 * ms
	since := make([]float64, w.Len())
	for range 10 * 60 * 20 {
		for _, e := range steps(t, w, 1, h) {
			require.NotEqual(t, mocksim.Collision, e.Kind, describe(w, &e))
		}
		require.Less(t, standing(w, since, h), 120.0, "at %s", w.Time())
	}
}
