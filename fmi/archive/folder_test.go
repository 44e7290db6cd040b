package archive_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi/archive"
	"gosmp/internal/regular"
)

// An unpacked folder is read like the FMU itself, and equal folders give equal bytes.
func TestOpen_FolderOfAnUnpackedFMU(t *testing.T) {
	bytes := func(executable bool) []byte {
		folder := t.TempDir()
		for name, text := range map[string]string{
			"modelDescription.xml": `<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g">` +
				`<CoSimulation modelIdentifier="m"/><ModelVariables/><ModelStructure/>` +
				`</fmiModelDescription>`,
			"resources/deep/a.txt": "a", "binaries/linux64/m.so": "library"} {
			path := filepath.Join(folder, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			if executable {
				require.NoError(t, os.Chmod(path, 0o700))
			}
		}
		m, err := archive.Open(folder)
		require.NoError(t, err)
		require.Equal(t, folder, m.Path)
		require.Equal(t, "m", m.Model.ModelName)
		require.Equal(t, "resources/deep/a.txt", m.Resources[0].Name)
		f, err := archive.OpenFile(folder)
		require.NoError(t, err)
		content, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		return content
	}
	require.Equal(t, bytes(false), bytes(false))
	require.NotEqual(t, bytes(false), bytes(true))
	_, err := archive.Open(t.TempDir())
	require.ErrorIs(t, err, archive.ErrNotZip)
	require.ErrorContains(t, err, "found a folder without modelDescription.xml")
}

// TestOpenFile_Device: nothing is read from a device or a pipe, which may never end.
func TestOpenFile_Device(t *testing.T) {
	_, err := archive.OpenFile(os.DevNull)
	require.ErrorIs(t, err, regular.ErrKind)
}
