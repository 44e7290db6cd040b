//go:build linux && cgo

package run

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/testfmu"
)

// TestSimulation_HashesNoPlaces: an FMU that outputs its folder has the same trace hash in
// simultaneous runs and for different users.
func TestSimulation_HashesNoPlaces(t *testing.T) {
	for _, version := range []int{2, 3} {
		fmu := testfmu.Build(t, testfmu.Recipe{Version: version})
		var hashes, folders []string
		for _, cache := range []string{t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(),
			"a b+ü")} {
			require.NoError(t, os.MkdirAll(cache, 0o700))
			t.Setenv("XDG_CACHE_HOME", cache)
			for range 2 {
				r := New(Defaults("a="+fmu, "b="+fmu))
				require.NoError(t, r.Run(context.Background()))
				defer func() { require.NoError(t, r.Close()) }()
				hashes = append(hashes, r.Summary(nil).TraceHash)
				for _, p := range r.places() {
					folders = append(folders, p.Text)
				}
			}
		}
		require.NotEmpty(t, hashes[0])
		for _, hash := range hashes {
			require.Equal(t, hashes[0], hash)
		}
		require.NotEqual(t, folders[0], folders[len(folders)-1])
	}
}
