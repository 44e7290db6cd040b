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
)

// The maps below the folder GOSMP_MAPS, which are those of others, carry traffic for some seconds:
// a map is refused when it is read, or because it has no lane for cars, or it is driven on.
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
