//go:build linux && cgo

package importer

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// cached opens an FMU with an empty store.
func cached(t *testing.T) (f *FMU, root string) {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	f, err := Open(testfmu.Build(t, testfmu.Recipe{Orders: []string{"DoStep ok 4711"}}))
	require.NoError(t, err)
	return f, filepath.Join(cache, "gosmp", "fmu")
}

const orders = "resources/unruly.txt"

// stored returns the path of a file of the FMU in the store.
func (f *FMU) stored(root, name string) string { return filepath.Join(root, f.SHA256[:32], name) }

func TestTrees_EachInstanceHasItsOwn(t *testing.T) {
	f, root := cached(t)
	for _, shared := range []bool{false, true} {
		pool := &Pool{}
		var folders []string
		e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
		for _, name := range []string{"a", "b"} {
			i, err := f.NewInstance(name, pool, Options{Shared: shared})
			require.NoError(t, err)
			_, _, err = i.Bind(nil, nil)
			require.NoError(t, err)
			folders = append(folders, i.Folder())
			e.Add(name, i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(folders[0], orders),
			[]byte("DoStep status 3\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folders[0], "new"), nil, 0o600))
		require.NoError(t, os.Chmod(filepath.Join(folders[0], "resources"), 0o500))
		text, err := os.ReadFile(filepath.Join(folders[1], orders))
		require.NoError(t, err)
		require.Equal(t, "DoStep ok 4711\n", string(text))
		require.NoFileExists(t, filepath.Join(folders[1], "new"))
		require.NoError(t, pool.Close())
		require.NoDirExists(t, folders[0])
		require.DirExists(t, folders[1], "it is unchanged, for the next run")
	}
	text, err := os.ReadFile(f.stored(root, orders))
	require.NoError(t, err)
	require.Equal(t, "DoStep ok 4711\n", string(text))
}

// TestTrees_LinkWhatNoFMUWrites matters because copying documents would take most of the startup
// time.
func TestTrees_LinkWhatNoFMUWrites(t *testing.T) {
	f, root := cached(t)
	var planted trees
	for range 2 {
		folder, err := planted.plant(f)
		require.NoError(t, err)
		for name, linked := range map[string]bool{descriptionName: true, f.Library(""): true,
			orders: false} {
			tree, err := os.Stat(filepath.Join(folder, name))
			require.NoError(t, err)
			stored, err := os.Stat(f.stored(root, name))
			require.NoError(t, err)
			require.Equal(t, linked, os.SameFile(tree, stored), name)
		}
	}
	require.NoError(t, planted.close())
	for name, fixed := range map[string]bool{"documentation/a/index.html": true,
		"sources/m.c": true, "extra/org.x/y": true, "terminalsAndIcons/icon.png": true,
		"binaries/win64/m.dll": true, "resources/sources/m.c": false,
		filepath.Dir(f.Library("")) + "/data.bin": false, "data/a.csv": false} {
		require.Equal(t, fixed, f.isFixed(name), name)
	}
}

func TestUnpack_ReplacesWhatHasChangedInTheStore(t *testing.T) {
	f, root := cached(t)
	require.NoError(t, f.Unpack(t.TempDir()))
	library := f.Library("")
	for _, name := range []string{orders, library} {
		original, err := os.ReadFile(f.stored(root, name))
		require.NoError(t, err)
		changed := append([]byte("X"), original[1:]...)
		for _, content := range [][]byte{changed, nil} {
			require.NoError(t, os.WriteFile(f.stored(root, name), content, 0o600))
			folder := t.TempDir()
			require.NoError(t, f.Unpack(folder))
			for _, path := range []string{filepath.Join(folder, name), f.stored(root, name)} {
				got, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, original, got, path)
			}
		}
	}
}

// TestUnpack_Bomb checks that an archive whose files are far larger than itself is refused before
// anything is written to the folder or the store.
func TestUnpack_Bomb(t *testing.T) {
	f, root := cached(t)
	f.packed.File[0].UncompressedSize64 = 1 << 40
	folder := filepath.Join(t.TempDir(), "new")
	require.ErrorContains(t, f.Unpack(folder), "unpacks to 10995")
	require.NoDirExists(t, folder)
	require.NoDirExists(t, f.stored(root, "resources"))
}

func TestUnpack_UsesNoStoreOfSomebodyElse(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a folder of another user")
	}
	f, root := cached(t)
	require.NoError(t, os.MkdirAll(f.stored(root, "resources"), 0o777))
	require.NoError(t, os.WriteFile(f.stored(root, orders), []byte("DoStep crash 1\n"), 0o600))
	require.NoError(t, os.Chown(filepath.Dir(root), 4711, 4711))
	require.Empty(t, openStore().root)
	folder := t.TempDir()
	require.NoError(t, f.Unpack(folder))
	text, err := os.ReadFile(filepath.Join(folder, orders))
	require.NoError(t, err)
	require.Equal(t, "DoStep ok 4711\n", string(text))
}

func TestOpenStore_IsForTheUserAlone(t *testing.T) {
	_, root := cached(t)
	require.NoError(t, os.MkdirAll(root, 0o777))
	require.Equal(t, root, openStore().root)
	for _, folder := range []string{root, filepath.Dir(root)} {
		info, err := os.Stat(folder)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), folder)
	}
	require.NoError(t, os.RemoveAll(root))
	require.NoError(t, os.Symlink(t.TempDir(), root))
	require.Empty(t, openStore().root, "a link leads elsewhere")
}

func TestOpenStore_HasNoPredictableNameInATemporaryFolder(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	require.Empty(t, openStore().root)
	f, err := Open(testfmu.Build(t, testfmu.Recipe{}))
	require.NoError(t, err)
	pool := &Pool{}
	i, err := f.NewInstance("x", pool, Options{})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	e.Add("x", i)
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, temporary, filepath.Dir(filepath.Dir(i.Folder())))
	require.NoError(t, pool.Close())
	require.NoDirExists(t, i.Folder())
}

func TestTrees_ReuseWhatTheirProcessesHaveLeft(t *testing.T) {
	f, root := cached(t)
	var first, second trees
	one, err := first.plant(f)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(root, "run-0", "0"), one)
	two, err := second.plant(f)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(root, "run-1", "0"), two)
	require.NoError(t, second.lock.Close(), "as at the end of its process")
	left := filepath.Join(root, "run-1", "1")
	require.NoError(t, os.Mkdir(left, 0o500))

	require.FileExists(t, filepath.Join(one, orders))
	var third trees
	again, err := third.plant(f)
	require.NoError(t, err)
	require.Equal(t, two, again)
	require.NoDirExists(t, left)
	require.FileExists(t, filepath.Join(one, orders), "its process lives")
	require.NoError(t, first.close())
	again, err = first.plant(f)
	require.NoError(t, err)
	require.Equal(t, one, again, "the location is the same in the next run")
	require.NoError(t, first.close())
	require.NoError(t, third.close())
	require.NoDirExists(t, filepath.Join(root, "run-2"))
}
