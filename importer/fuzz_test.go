//go:build linux && cgo

package importer_test

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
)

// pack zips a folder.
func pack(t testing.TB, folder, path string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	z := zip.NewWriter(f)
	require.NoError(t, z.AddFS(os.DirFS(folder)))
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
}

// FuzzOpen reads any model description: it is refused by name, or its variables and start values can be worked with. Nothing is loaded.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"fmi2.xml", "fmi3.xml"} {
		content, err := fs.ReadFile(os.DirFS("../internal/testfmu/source"), name)
		require.NoError(f, err)
		f.Add(content)
	}
	f.Add([]byte(`<fmiModelDescription fmiVersion="3.0" instantiationToken="x"><CoSimulation modelIdentifier="unruly"/><ModelVariables>` +
		`<Float64 name="a" valueReference="0"><Dimension valueReference="1"/></Float64><UInt64 name="n" valueReference="1" ` +
		`causality="structuralParameter" start="99999999999"/></ModelVariables></fmiModelDescription>`))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, description []byte) {
		root := t.TempDir()
		for _, platform := range []string{"linux64", "x86_64-linux", "aarch64-linux"} {
			require.NoError(t, os.MkdirAll(filepath.Join(root, "binaries", platform), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(root, "binaries", platform, "unruly.so"), []byte("\x7fELF"), 0o600))
		}
		require.NoError(t, os.WriteFile(filepath.Join(root, "modelDescription.xml"), description, 0o600))
		path := filepath.Join(folder, "x.fmu")
		pack(t, root, path)
		fmu, err := importer.Open(path)
		if err != nil {
			require.ErrorIs(t, err, importer.ErrInvalid)
			return
		}
		defer func() { _ = os.RemoveAll(fmu.Folder) }()
		var all []importer.StartValue
		for _, v := range fmu.Variables() {
			require.NotZero(t, v.Kind)
			require.GreaterOrEqual(t, v.Size, 0)
			all = append(all, importer.StartValue{Name: v.Name, Value: "1"})
			_, err := fmu.NewInstance("x", &importer.Pool{}, importer.Options{Start: all[len(all)-1:]})
			if err != nil {
				require.NotEmpty(t, err.Error())
			}
		}
		if _, err := fmu.NewInstance("x", &importer.Pool{}, importer.Options{SetAllStart: true}); err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}
