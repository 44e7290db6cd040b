package experiment_test

import (
	"image/png"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
)

// TestExamples_AreClean verifies that the examples have no findings, even if they have to follow the
// schema: what it does not have, several vehicles and their names, is in the namespace of gosmp.
func TestExamples_AreClean(t *testing.T) {
	clean(t, "braking", 3, "OSMPDummySensor.fmu", "OSMPEmergencyBrake.fmu")
	clean(t, "loop", 2, "OSMPDriver.fmu")
}

// clean checks the two experiments of an example, whose FMUs are built.
func clean(t *testing.T, example string, vehicles int, fmus ...string) {
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
	for _, name := range []string{example + ".exc", "unbraked.exc"} {
		d, list := experiment.Check(name, files[name].Data, files,
			experiment.CheckOptions{Options: experiment.Options{Strict: true}})
		require.Empty(t, list)
		require.Len(t, d.Environment.Poses, vehicles)
		again, list := experiment.Read(name, []byte(d.XML()), experiment.Options{Strict: true})
		require.Empty(t, list)
		for k, p := range d.Environment.Poses { // what is written reads the same
			p.Position, again.Environment.Poses[k].Position = experiment.Position{}, experiment.Position{}
			require.Equal(t, p, again.Environment.Poses[k])
		}
	}
	picture, err := from.Open(example + ".png")
	require.NoError(t, err)
	defer func() { _ = picture.Close() }() // it was only read
	size, err := png.DecodeConfig(picture)
	require.NoError(t, err)
	require.Equal(t, []int{480, 270}, []int{size.Width, size.Height})
	require.Less(t, len(files[example+".png"].Data), 50<<10)
}
