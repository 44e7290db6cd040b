package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// referring returns a scenario with references to entries of a catalog that has as many entries.
func referring(t *testing.T, n int, entryName func(k int) string) *Document {
	t.Helper()
	folder := t.TempDir()
	var entries, objects strings.Builder
	for k := range n {
		fmt.Fprintf(&entries, `<Vehicle name="v%d" vehicleCategory="car"/>`, k)
		fmt.Fprintf(&objects, `<ScenarioObject name="o%d"><CatalogReference catalogName="c" `+
			`entryName=%q/></ScenarioObject>`, k, entryName(k))
	}
	const head = `<OpenSCENARIO><FileHeader revMajor="1" revMinor="2" ` +
		`date="2026-01-01T00:00:00" description="d" author="a"/>`
	require.NoError(t, os.WriteFile(filepath.Join(folder, "c.xosc"), []byte(head+
		`<Catalog name="c">`+entries.String()+`</Catalog></OpenSCENARIO>`), 0o600))
	file := filepath.Join(folder, "s.xosc")
	require.NoError(t, os.WriteFile(file, []byte(head+`<CatalogLocations><VehicleCatalog>`+
		`<Directory path="."/></VehicleCatalog></CatalogLocations><RoadNetwork/><Entities>`+
		objects.String()+`</Entities><Storyboard><Init><Actions/></Init><StopTrigger/>`+
		`</Storyboard></OpenSCENARIO>`), 0o600))
	d, err := Open(file)
	require.NoError(t, err)
	return d
}

// TestResolve_ManyEntries: the time for references to entries grows linearly with the number of
// references and of entries, not with their product, which would be many minutes here.
func TestResolve_ManyEntries(t *testing.T) {
	const n = 40_000
	s, err := referring(t, n, func(k int) string { return fmt.Sprint("v", n-1-k) }).Resolve(nil)
	require.NoError(t, err)
	require.Len(t, s.entries, n)
	require.Len(t, s.Catalogs, 1)
	vehicle := s.Root.Child("Entities").Children[0].Children[0].Entry
	require.Equal(t, fmt.Sprint("v", n-1), vehicle.Value("name"))
}

// TestResolve_ManyUnknownEntries: only the first errors contain a hint at a similar name, because
// each of them is compared with all names.
func TestResolve_ManyUnknownEntries(t *testing.T) {
	_, failures := referring(t, 200, func(k int) string { return fmt.Sprint("w", k) }).ResolveAll(nil)
	require.Len(t, failures, 200)
	hinted := 0
	for _, f := range failures {
		require.ErrorContains(t, f, "an entry of c")
		if strings.Contains(f.Error(), "did you mean") {
			hinted++
		}
	}
	require.Equal(t, 100, hinted)
}
