package experiment_test

import (
	"image/png"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
	"gosmp/internal/finding"
)

// TestExamples_AreClean verifies that the examples have no findings except those for several
// vehicles and a timeout in simulated time, neither of which the schema has.
func TestExamples_AreClean(t *testing.T) {
	from := os.DirFS("../examples/braking")
	// which are built
	files := fstest.MapFS{"OSMPDummySensor.fmu": {}, "OSMPEmergencyBrake.fmu": {}}
	names, err := fs.ReadDir(from, ".")
	require.NoError(t, err)
	for _, f := range names {
		text, err := fs.ReadFile(from, f.Name())
		require.NoError(t, err)
		files[f.Name()] = &fstest.MapFile{Data: text}
	}
	for _, name := range []string{"braking.exc", "unbraked.exc"} {
		_, list := experiment.Check(name, files[name].Data, files, experiment.CheckOptions{})
		for _, f := range list {
			require.Contains(t, []string{"EX21", "EX08"}, f.ID, "%s", f)
			require.Equal(t, finding.Warning, f.Severity)
		}
	}
	picture, err := from.Open("braking.png")
	require.NoError(t, err)
	defer func() { _ = picture.Close() }() // it was only read
	size, err := png.DecodeConfig(picture)
	require.NoError(t, err)
	require.Equal(t, []int{480, 270}, []int{size.Width, size.Height})
	require.Less(t, len(files["braking.png"].Data), 50<<10)
}
