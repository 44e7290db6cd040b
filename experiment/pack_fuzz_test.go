package experiment_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
)

// FuzzUnpack unpacks any bytes as a package: nothing appears outside the folder, and only folders
// and regular files appear in it.
func FuzzUnpack(f *testing.F) {
	pack := func(names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.Create(name)
			require.NoError(f, err)
			_, err = w.Write([]byte(name))
			require.NoError(f, err)
		}
		require.NoError(f, z.Close())
		return b.Bytes()
	}
	f.Add(pack("a.exc", "maps/b.xodr", "c/d"))
	f.Add(pack("../a", "/b", "c\\..\\d", "A", "a"))
	f.Add(pack("a", "a/b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		around := t.TempDir()
		archive, dir := filepath.Join(around, "x.zip"), filepath.Join(around, "to")
		require.NoError(t, os.WriteFile(archive, b, 0o600))
		_, _ = experiment.Unpack(archive, dir)
		require.NoError(t,
			filepath.WalkDir(around, func(path string, e fs.DirEntry, err error) error {
				require.NoError(t, err)
				require.True(t, e.IsDir() || e.Type().IsRegular(), path)
				return nil
			}))
		there, err := os.ReadDir(around)
		require.NoError(t, err)
		require.LessOrEqual(t, len(there), 2)
	})
}
