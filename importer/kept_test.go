//go:build linux && cgo

package importer

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/testfmu"
)

// planting returns the folder of an FMU in a separate run and the time when the folder was created.
func planting(t *testing.T, f *FMU) (folder string, made time.Time) {
	t.Helper()
	var planted trees
	folder, err := planted.plant(f)
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(folder, orders))
	require.NoError(t, err)
	require.NoError(t, planted.close())
	return folder, info.ModTime()
}

func TestKept_AnUnchangedTreeServesTheNextRun(t *testing.T) {
	f, _ := cached(t)
	folder, first := planting(t, f)
	again, second := planting(t, f)
	require.Equal(t, folder, again)
	require.Equal(t, first, second, "the same tree")
}

// TestKept_AChangedTreeIsMadeAnew checks that a tree is replaced after any kind of change between
// two runs.
func TestKept_AChangedTreeIsMadeAnew(t *testing.T) {
	f, root := cached(t)
	library := f.Library("")
	for name, change := range map[string]func(folder string) error{
		"equal size": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, orders), []byte("DoStep ok 4712\n"), 0o600)
		},
		"longer": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, orders), []byte("DoStep ok 47110\n"), 0o600)
		},
		"a new file": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "new"), nil, 0o600)
		},
		"a new folder": func(folder string) error {
			return os.Mkdir(filepath.Join(folder, "resources", "new"), 0o700)
		},
		"a file less": func(folder string) error {
			return os.Remove(filepath.Join(folder, orders))
		},
		"not writable": func(folder string) error {
			return os.Chmod(filepath.Join(folder, orders), 0o400)
		},
		"a locked folder": func(folder string) error {
			return os.Chmod(filepath.Join(folder, "resources"), 0o500)
		},
		"a link": func(folder string) error {
			name := filepath.Join(folder, orders)
			return errors.Join(os.Remove(name), os.Symlink("../modelDescription.xml", name))
		},
		"a changed library": func(folder string) error {
			content, err := os.ReadFile(filepath.Join(folder, library))
			if err == nil {
				content[len(content)/2]++
				err = os.WriteFile(filepath.Join(folder, library), content, 0o600)
			}
			return err
		},
	} {
		folder, first := planting(t, f)
		require.NoError(t, change(folder), name)
		_, second := planting(t, f)
		require.NotEqual(t, first, second, name)
		for _, file := range []string{orders, library} {
			want, err := os.ReadFile(f.stored(root, file))
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(folder, file))
			require.NoError(t, err)
			require.Equal(t, want, got, "%s: %s", name, file)
		}
		require.NoFileExists(t, filepath.Join(folder, "new"))
	}
}

func TestKept_EachTreeServesItsFMUAlone(t *testing.T) {
	f, _ := cached(t)
	other, err := Open(testfmu.Build(t, testfmu.Recipe{Orders: []string{"DoStep ok 4712"}}))
	require.NoError(t, err)
	for _, fmu := range []*FMU{f, other, f} {
		folder, _ := planting(t, fmu)
		require.True(t, fmu.serves(folder, shelf{}))
	}
}

// TestKept_Bounds checks that large trees, trees unused for a day, and trees of a killed process
// are not kept.
func TestKept_Bounds(t *testing.T) {
	f, root := cached(t)
	var planted trees
	for range 3 {
		_, err := planted.plant(f)
		require.NoError(t, err)
	}
	require.NoError(t, planted.close())
	run := filepath.Join(root, "run-0")
	past := time.Now().Add(-2 * keepIdle)
	require.NoError(t, os.Chtimes(filepath.Join(run, "2"), past, past))
	planting(t, f)
	require.DirExists(t, filepath.Join(run, "1"))
	require.NoDirExists(t, filepath.Join(run, "2"))

	e := f.outline()[filepath.FromSlash(orders)]
	size := e.UncompressedSize64
	e.UncompressedSize64 = mostKeep + 1
	require.False(t, planted0(run, f).worthKeeping())
	e.UncompressedSize64 = size
	require.True(t, planted0(run, f).worthKeeping())

	_, err := planted.plant(f)
	require.NoError(t, err)
	require.NoError(t, planted.lock.Close(), "as at the end of its process")
	require.NoError(t, os.WriteFile(filepath.Join(run, "1", "new"), nil, 0o600))
	_, err = (&trees{}).plant(f)
	require.NoError(t, err)
	require.NoDirExists(t, filepath.Join(run, "1"))
}

func planted0(run string, f *FMU) planted { return planted{filepath.Join(run, "0"), f} }
