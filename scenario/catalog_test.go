package scenario

import (
	"os"
	"path/filepath"
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
