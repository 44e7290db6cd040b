package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/check"
)

// TestDocument_TooManyElements checks a scenario that is so large with the copies of an entry of a
// catalog that its end, the storyboard, is missing. There are no findings about what is missing.
func TestDocument_TooManyElements(t *testing.T) {
	if testing.Short() {
		t.Skip("the scenario has a million elements")
	}
	const references, declarations = 1100, 1000
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	dir := t.TempDir()
	declared := strings.Repeat(`<ParameterDeclaration name="p" parameterType="string" value="x"/>`,
		declarations)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "many.xosc"), []byte(`<OpenSCENARIO>
		<FileHeader revMajor="1" revMinor="0" date="2026-01-01T00:00:00" description="d" author="a"/>
		<Catalog name="many"><Vehicle name="v" vehicleCategory="car"><ParameterDeclarations>`+
		declared+`</ParameterDeclarations></Vehicle></Catalog></OpenSCENARIO>`), 0o600))
	objects := strings.Repeat(`<ScenarioObject name="o"><CatalogReference catalogName="many" `+
		`entryName="v"/></ScenarioObject>`, references)
	vast := strings.NewReplacer("<Entities>", "<Entities>"+objects,
		`<Directory path="catalogs"/>`, `<Directory path="."/>`).Replace(string(text))
	require.Contains(t, vast, `<Directory path="."/>`)
	file := filepath.Join(dir, "vast.xosc")
	require.NoError(t, os.WriteFile(file, []byte(vast), 0o600))
	d, err := scenario.Open(file)
	require.NoError(t, err)
	told := false
	for _, f := range check.Document(d) {
		told = told || strings.Contains(f.Message, "more than 1048576 elements")
		require.NotContains(t, f.Message, "StopTrigger")
	}
	require.True(t, told)
}
