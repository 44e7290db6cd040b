package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/check"
)

// TestDocument_FilesOfAScenario checks that each file that a scenario names is missed, wherever it
// is named, and that a distribution of the scenario has the same findings.
func TestDocument_FilesOfAScenario(t *testing.T) {
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	scene := strings.Replace(string(text), `<LogicFile filepath="road.xodr"/>`,
		`<LogicFile filepath="road.xodr"/><SceneGraphFile filepath="scene.osgb"/>`, 1)
	empty := func(name string) error { return os.WriteFile(name, nil, 0o600) }
	folder := func(name string) error {
		return os.Mkdir(strings.TrimSuffix(name, "/vehicles.xosc"), 0o700)
	}
	for _, c := range []struct {
		file, id, place, message string
		instead                  func(name string) error
	}{
		{"scene.osgb", "xosc.ref.scene", "SceneGraphFile.filepath", "found no file", nil},
		{"scene.osgb", "xosc.ref.scene", "SceneGraphFile.filepath", "is a folder", folder},
		{"road.xodr", "xosc.ref.file", "LogicFile.filepath", "found no file", nil},
		{"road.xodr", "xosc.ref.file", "LogicFile.filepath", "cannot be read", empty},
		{"catalogs/vehicles.xosc", "xosc.ref.folder", "Directory.path", "does not exist", nil},
		{"catalogs/vehicles.xosc", first + "reference_control.catalog_reference_resolvability",
			"CatalogReference", "found vehicles/car", folder},
		{"catalogs/broken.xosc", "xosc.ref.folder", "Directory.path",
			"a catalog that cannot be read", empty},
	} {
		dir := t.TempDir()
		write := func(name, text string) {
			name = filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
			require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		}
		write("clean.xosc", scene)
		write("scene.osgb", "a scene")
		for _, name := range []string{"road.xodr", "catalogs/vehicles.xosc"} {
			text, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			write(name, string(text))
		}
		write("points.xosc", `<OpenSCENARIO><FileHeader revMajor="1" revMinor="3" `+
			`date="2026-11-26T12:00:00" description="d" author="gosmp"/>`+
			`<ParameterValueDistribution><ScenarioFile filepath="clean.xosc"/><Deterministic>`+
			`<DeterministicSingleParameterDistribution parameterName="speed_kph">`+
			`<DistributionSet><Element value="70"/></DistributionSet>`+
			`</DeterministicSingleParameterDistribution></Deterministic>`+
			`</ParameterValueDistribution></OpenSCENARIO>`)
		both := []string{filepath.Join(dir, "clean.xosc"), filepath.Join(dir, "points.xosc")}
		for _, file := range both {
			require.Empty(t, findings(t, file))
		}
		file := filepath.Join(dir, c.file)
		if !strings.Contains(c.file, "broken") {
			require.NoError(t, os.RemoveAll(file))
		}
		if strings.HasPrefix(c.file, "catalogs") && c.id != "xosc.ref.folder" ||
			c.instead == nil && c.place == "Directory.path" {
			require.NoError(t, os.RemoveAll(filepath.Dir(file)))
		}
		if c.instead != nil {
			require.NoError(t, c.instead(file))
		}
		for _, name := range both {
			named := false
			for _, f := range findings(t, name) {
				named = named || f.ID == c.id && f.Place.Object == c.place &&
					f.Place.File == both[0] && f.Place.Line > 0 && f.Place.Column > 0 &&
					strings.Contains(f.Message, c.message)
			}
			require.True(t, named, "%s: %s: %v", filepath.Base(name), c.file, findings(t, name))
		}
	}
	require.False(t, check.LacksMap(findings(t, clean)))
}

// TestDocument_ManyNames: remedies of references that cannot be resolved stay short if a document
// declares many names and has many such references.
func TestDocument_ManyNames(t *testing.T) {
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	const many = 5000
	var entities, references strings.Builder
	for k := range many {
		fmt.Fprintf(&entities, `<EntitySelection name="group%d"><Members/></EntitySelection>`, k)
		fmt.Fprintf(&references, `<EntityRef entityRef="nobody%d"/>`, k)
	}
	changed := strings.Replace(string(text), "</Entities>", entities.String()+"</Entities>", 1)
	changed = strings.Replace(changed, `<EntityRef entityRef="Ego"/></Actors>`,
		references.String()+`</Actors>`, 1)
	name := filepath.Join(t.TempDir(), "many.xosc")
	require.NoError(t, os.WriteFile(name, []byte(changed), 0o600))
	found := 0
	for _, f := range findings(t, name) {
		if f.ID == reference+"resolvable_entity_references" {
			found += 1 + f.More
			require.Less(t, len(f.Remedy), 1000)
		}
	}
	require.GreaterOrEqual(t, found, many)
}
