package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A document that is resolved again, as in a session, sees the current catalogs.
func TestShelf_ReadsChangedCatalogs(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.xosc")
	write := func(catalog string) {
		text := `<OpenSCENARIO><Catalog name="` + catalog + `"/></OpenSCENARIO>`
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	s := &shelf{}
	write("a")
	one, err := s.open(name)
	require.NoError(t, err)
	again, err := s.open(name)
	require.NoError(t, err)
	require.Same(t, one, again)
	write("bb")
	two, err := s.open(name)
	require.NoError(t, err)
	require.Equal(t, "bb", two.Root.Child("Catalog").Value("name"))
}

// A folder that two locations name in different ways is read once: its entries are neither ambiguous
// nor checked twice.
func TestResolve_OneFolderByTwoNames(t *testing.T) {
	s := referring(t, 1, func(int) string { return "v0" })
	directory := s.Root.Child("CatalogLocations").Children[0].Child("Directory")
	folder := filepath.Dir(s.File)
	text, err := os.ReadFile(s.File)
	require.NoError(t, err)
	require.Equal(t, ".", directory.Value("path"))
	for _, other := range []string{folder + "/", folder + "/../" + filepath.Base(folder), "./"} {
		both := strings.Replace(string(text), `</VehicleCatalog>`, `</VehicleCatalog>`+
			`<ControllerCatalog><Directory path="`+other+`"/></ControllerCatalog>`, 1)
		file := filepath.Join(folder, "both.xosc")
		require.NoError(t, os.WriteFile(file, []byte(both), 0o600))
		d, err := Open(file)
		require.NoError(t, err)
		resolved, err := d.Resolve(nil)
		require.NoError(t, err)
		require.Len(t, resolved.Catalogs, 1, other)
		for _, f := range resolved.Notes {
			require.NotContains(t, f.String(), "found 2 entries", other)
		}
	}
}

// Some authors name a catalog where the standard demands its folder. The catalog is read once, also
// if another location is its folder.
func TestResolve_CatalogInsteadOfItsFolder(t *testing.T) {
	s := referring(t, 1, func(int) string { return "v0" })
	text, err := os.ReadFile(s.File)
	require.NoError(t, err)
	const vehicles = `<Directory path="c.xosc"/></VehicleCatalog>`
	for _, more := range []string{"", `<ControllerCatalog><Directory path=""/></ControllerCatalog>`} {
		changed := strings.Replace(string(text), `<Directory path="."/></VehicleCatalog>`,
			vehicles+more, 1)
		require.NoError(t, os.WriteFile(s.File, []byte(changed), 0o600))
		d, err := Open(s.File)
		require.NoError(t, err)
		resolved, err := d.Resolve(nil)
		require.NoError(t, err)
		require.Len(t, resolved.Catalogs, 1)
		require.Len(t, resolved.Notes, 1, "%v", resolved.Notes)
		require.Equal(t, RuleFolder, resolved.Notes[0].ID)
		require.Contains(t, resolved.Notes[0].Message, "found a file, expected the folder")
	}
}

// A reference that names a file instead of a catalog is refused. The error gives the name of the
// catalog in the file, or says that there is none, for example in a list of agents of another tool.
func TestResolve_FileInsteadOfCatalog(t *testing.T) {
	const location = `<VehicleCatalog><Directory path="."/></VehicleCatalog>`
	for _, c := range []struct{ name, without, want string }{
		{"profiles.xml", "", "profiles.xml is a file, but not a catalog of OpenSCENARIO"},
		{"c.xosc", "", `c.xosc is a file: the name of the catalog in it is "c"`},
		{"c.xosc", location, `c.xosc is a file: name its folder in CatalogLocations, and in the ` +
			`reference its catalog, "c"`},
	} {
		s := referring(t, 1, func(int) string { return "v0" })
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(s.File), "profiles.xml"),
			[]byte("<a/>"), 0o600))
		text, err := os.ReadFile(s.File)
		require.NoError(t, err)
		require.Contains(t, string(text), location)
		changed := strings.Replace(string(text), `catalogName="c"`, `catalogName="`+c.name+`"`, 1)
		changed = strings.Replace(changed, c.without, "", 1)
		require.NoError(t, os.WriteFile(s.File, []byte(changed), 0o600))
		d, err := Open(s.File)
		require.NoError(t, err)
		_, err = d.Resolve(nil)
		require.ErrorContains(t, err, c.want)
	}
}

// A document that is resolved once for each point of a sweep sorts the entries of a catalog once,
// unless the catalog changes.
func TestShelf_SortsEntriesOnce(t *testing.T) {
	d := referring(t, 2, func(int) string { return "v1" })
	_, err := d.Resolve(nil)
	require.NoError(t, err)
	name := filepath.Join(filepath.Dir(d.File), "c.xosc")
	catalog, err := d.shelf.open(name)
	require.NoError(t, err)
	require.Len(t, d.shelf.names, 1)
	require.Len(t, d.shelf.names[catalog], 2)
	_, err = d.Resolve(nil)
	require.NoError(t, err)
	require.Len(t, d.shelf.names, 1)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	text = []byte(strings.Replace(string(text), `name="v0"`, `name="other"`, 1))
	require.NoError(t, os.WriteFile(name, text, 0o600))
	_, err = d.Resolve(nil)
	require.NoError(t, err)
	require.Len(t, d.shelf.names, 1, "the old one is forgotten")
	require.NotContains(t, d.shelf.names, catalog)
}
