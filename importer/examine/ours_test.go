package examine_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
)

// TestExamine_OurFMUs requires that no rule is refuted for the FMUs built in dist/ and for the FMU
// that GOSMP_FMU names.
func TestExamine_OurFMUs(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	names, err := filepath.Glob(filepath.Join(root, "dist", "*.fmu"))
	require.NoError(t, err)
	if name := os.Getenv("GOSMP_FMU"); name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		if name = filepath.Clean(name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Skip("no FMU was built: make fmu examples")
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			r := run(t, name, examine.Options{})
			require.Empty(t, r.Findings(), "%s", r.Summary())
			require.Greater(t, r.Count(examine.Proved), 30)
		})
	}
}
