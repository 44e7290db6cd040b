//go:build linux && cgo

package system_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/internal/testfmu"
)

// pack puts the files of a folder into a package beside it.
func pack(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.ssp")
	f, err := os.Create(path)
	require.NoError(t, err)
	z := zip.NewWriter(f)
	require.NoError(t, z.AddFS(os.DirFS(folder)))
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	return path
}

func TestRead_APackageRunsAsItsFolderDoes(t *testing.T) {
	path := structure(t, build(t, testfmu.Recipe{OSMP: true}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	other := strings.Replace(string(text), `<ssv:Real value="3"/>`, `<ssv:Real value="7"/>`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "Other.ssd"), []byte(other), 0o600))
	packed := pack(t, filepath.Dir(path))

	folder, err := system.Read(path, "")
	require.NoError(t, err)
	archive, err := system.Read(packed, "")
	require.NoError(t, err)
	require.Equal(t, run(t, folder, false), run(t, archive, true))
	require.Equal(t, packed+"/unruly.fmu", archive.Parts[0].FMU.Path, "where a user finds it")
	require.Equal(t, folder.Parts[0].FMU.Folder, archive.Parts[2].FMU.Folder, "one copy in the cache, by its content")

	variant, err := system.Read(packed, "Other.ssd")
	require.NoError(t, err)
	require.Equal(t, []importer.StartValue{{Name: "gain", Value: "7"}}, variant.Part("a").Start)
	_, err = system.Read(packed, "Third.ssd")
	require.ErrorContains(t, err, "Third.ssd")
}

func TestRead_RefusesWhatHasNoFMU(t *testing.T) {
	path := structure(t, build(t, testfmu.Recipe{OSMP: true}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for want, change := range map[string][2]string{
		"nowhere.fmu":                  {`source="unruly.fmu"`, `source="nowhere.fmu"`},
		`the component "a" without an`: {`source="unruly.fmu"`, `source=""`},
	} {
		changed := filepath.Join(filepath.Dir(path), "changed.ssd")
		require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o600))
		_, err := system.Read(changed, "")
		require.ErrorContains(t, err, want)
	}
}

func TestOpen_NamesPartsByTheirFiles(t *testing.T) {
	path := build(t, testfmu.Recipe{})
	s, err := system.Open([]string{path, "unruly-2=" + path, path})
	require.NoError(t, err)
	var names []string
	for _, p := range s.Parts {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{"unruly", "unruly-2", "unruly-3"}, names)
	_, err = system.Open([]string{"a=" + path, "a=" + path})
	require.ErrorIs(t, err, cosim.ErrName)
	p, v, err := s.Find("unruly-2.in")
	require.NoError(t, err)
	require.Equal(t, []string{"unruly-2", "in"}, []string{p.Name, v.Name})
	_, _, err = s.Find("unruly.inn")
	require.ErrorContains(t, err, "did you mean unruly.in")
}
