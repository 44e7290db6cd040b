package opendrive

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestX12_FastFormOnAllMaps checks X12: the fast form equals the exact one on every road of the
// optional maps.
func TestX12_FastFormOnAllMaps(t *testing.T) {
	var names []string
	for _, pattern := range []string{"*.xodr", "labelled/*.xodr"} {
		found, err := filepath.Glob(filepath.Join("../../../shared/data/xodr", pattern))
		require.NoError(t, err)
		names = append(names, found...)
	}
	own, err := filepath.Glob("../../examples/maps/*.xodr")
	require.NoError(t, err)
	require.NotEmpty(t, own)
	for _, name := range append(names, own...) {
		f, err := os.Open(name)
		require.NoError(t, err)
		m, err := Read(name, f)
		require.NoError(t, f.Close())
		require.NoError(t, err)
		for _, r := range m.Roads {
			for k := range r.Plan {
				g := &r.Plan[k]
				for i := range 9 {
					ds := g.Length * float64(i) / 8
					fast, exact := r.chart[k].at(g, ds), g.Curve.at(ds, g.Length)
					require.Less(t, math.Hypot(fast.u-exact.u, fast.v-exact.v), 1e-9,
						"%s road %s geometry %d at %g", name, r.ID, k, ds)
				}
			}
		}
	}
}
