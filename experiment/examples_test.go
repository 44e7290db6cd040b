package experiment_test

import (
	"bytes"
	"image/png"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
)

// TestExamples_AreClean verifies that the examples have no findings, even under the strict schema.
// Parts that the schema lacks, such as several vehicles and their names, are in gosmp's namespace.
func TestExamples_AreClean(t *testing.T) {
	clean(t, "braking", []string{"braking.exc", "unbraked.exc"}, 3, "OSMPDummySensor.fmu",
		"OSMPEmergencyBrake.fmu")
	clean(t, "loop", []string{"loop.exc", "unbraked.exc"}, 2, "OSMPDriver.fmu")
	clean(t, "ccrs", []string{"judged.exc"}, 0, "radar.fmu", "aeb.fmu")
}

// clean checks the experiments of an example, after building its FMUs.
func clean(t *testing.T, example string, experiments []string, vehicles int, fmus ...string) {
	t.Helper()
	from := os.DirFS("../examples/" + example)
	files := fstest.MapFS{}
	for _, name := range fmus {
		files[name] = &fstest.MapFile{}
	}
	names, err := fs.ReadDir(from, ".")
	require.NoError(t, err)
	for _, f := range names {
		text, err := fs.ReadFile(from, f.Name())
		require.NoError(t, err)
		files[f.Name()] = &fstest.MapFile{Data: text}
	}
	for _, name := range experiments {
		d, list := experiment.Check(name, files[name].Data, files,
			experiment.CheckOptions{Options: experiment.Options{Strict: true}})
		require.Empty(t, list)
		require.Len(t, d.Environment.Poses, vehicles)
		again, list := experiment.Read(name, []byte(d.XML()), experiment.Options{Strict: true})
		require.Empty(t, list)
		for k, p := range d.Environment.Poses { // poses must survive writing and reading
			p.Position, again.Environment.Poses[k].Position = experiment.Position{},
				experiment.Position{}
			require.Equal(t, p, again.Environment.Poses[k])
		}
	}
	size, err := png.DecodeConfig(bytes.NewReader(files[example+".png"].Data))
	require.NoError(t, err)
	require.InDelta(t, 466, size.Width, 14)
	require.InDelta(t, 286, size.Height, 16)
	require.Less(t, len(files[example+".png"].Data), 50<<10)
}
