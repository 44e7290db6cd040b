package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/scenario"
)

// changed returns the clean scenario with each text replaced by the one that follows it. Its
// catalogs can be found.
func changed(t *testing.T, pairs ...string) *scenario.Document {
	t.Helper()
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	for k := 0; k < len(pairs); k += 2 {
		require.Contains(t, string(text), pairs[k])
	}
	d, err := scenario.Parse(clean, []byte(strings.NewReplacer(pairs...).Replace(string(text))))
	require.NoError(t, err)
	return d
}

// Some authors, and a widely used generator, write declarations as $name.
func TestResolve_AcceptsDeclarationsWithADollar(t *testing.T) {
	d := changed(t, `name="speed_kph"`, `name="$speed_kph"`)
	s, err := d.Resolve(scenario.Values{"speed_kph": "90"})
	require.NoError(t, err)
	require.Equal(t, "speed_kph", s.Parameters[0].Name)
	require.InDelta(t, 25, s.Parameters[1].Value.Number, 0)
	require.Len(t, s.Notes, 1)
	require.Equal(t, scenario.RuleName, s.Notes[0].ID)
	require.Equal(t, finding.Warning, s.Notes[0].Severity)
	text, err := d.Text(scenario.Values{"speed_kph": "91"})
	require.NoError(t, err)
	require.Contains(t, string(text), `name="$speed_kph" parameterType="double" value="91"`)
}

// A value that a document assigns is judged where it is used, at the place of the assignment.
func TestResolve_AssignedValuesOfAnotherType(t *testing.T) {
	d := changed(t, `parameterRef="top" value="60"`, `parameterRef="top" value="fast"`)
	s, failures := d.ResolveAll(nil)
	require.Len(t, failures, 1) // as the maxSpeed
	require.ErrorContains(t, failures[0], `vehicles.xosc:13:20: Performance.maxSpeed`)
	require.Len(t, s.Notes, 1)
	require.Equal(t, scenario.RuleType, s.Notes[0].ID)
	require.Equal(t, "ParameterAssignment.value", s.Notes[0].Place.Object)
	require.Equal(t, clean, s.Notes[0].Place.File)
}

// A Boolean may be written as 0 or 1.
func TestResolve_BooleansAsDigits(t *testing.T) {
	for text, want := range map[string]bool{"1": true, "0": false, "true": true, "false": false} {
		s, err := changed(t, "  </ParameterDeclarations>", `<ParameterDeclaration name="on"
parameterType="boolean" value=" `+text+` "/></ParameterDeclarations>`).Resolve(nil)
		require.NoError(t, err)
		require.Equal(t, scenario.Value{Kind: scenario.Bool, Bool: want}, s.Parameters[2].Value,
			text)
	}
}

// A whole number may be computed, but a parameter of type double is not one, and large numbers are
// shown as briefly as they are written.
func TestResolve_WholeNumbers(t *testing.T) {
	for text, want := range map[string]string{"${6 / 2}": "", "$speed_kph": "expected a parameter " +
		"of type int, unsignedInt or unsignedShort", "${1 / 2}": `which is "0.5",`,
		"${1e300}": `which is "1e+300",`} {
		_, err := changed(t, `maximumExecutionCount="1"`, `maximumExecutionCount="`+text+`"`).
			Resolve(nil)
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorIs(t, err, scenario.ErrParameter, text)
		require.ErrorContains(t, err, want)
	}
}

// The entries of a catalog that is resolved on its own may refer to each other. Other catalogs are
// determined by the scenario that uses the entry.
func TestResolve_ACatalogByItself(t *testing.T) {
	text, err := os.ReadFile("check/testdata/catalogs/vehicles.xosc")
	require.NoError(t, err)
	with := func(reference string) (*scenario.Scenario, error) {
		name := filepath.Join(t.TempDir(), "a.xosc")
		d, err := scenario.Parse(name, []byte(strings.Replace(string(text), "</Catalog>",
			`<Vehicle name="truck" vehicleCategory="truck"><Trailer><Trailer name="t">`+reference+
				`</Trailer></Trailer></Vehicle></Catalog>`, 1)))
		require.NoError(t, err)
		return d.Resolve(nil)
	}
	s, err := with(`<CatalogReference catalogName="vehicles" entryName="car"/>`)
	require.NoError(t, err)
	reference := s.Root.Child("Catalog").Children[1].Path("Trailer", "Trailer", "CatalogReference")
	require.NotNil(t, reference.Entry)
	require.Empty(t, s.Catalogs)
	_, err = with(`<CatalogReference catalogName="vehicles" entryName="cat"/>`)
	require.ErrorIs(t, err, scenario.ErrCatalog)
	_, err = with(`<CatalogReference catalogName="others" entryName="car"/>`)
	require.NoError(t, err)
}

// Schema violations in an entry are reported only if the scenario uses the entry.
func TestValidateEntries(t *testing.T) {
	folder := t.TempDir()
	text, err := os.ReadFile("check/testdata/catalogs/vehicles.xosc")
	require.NoError(t, err)
	broken := strings.Replace(string(text), "<Performance", "<Power/><Performance", 1)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "v.xosc"), []byte(broken), 0o600))
	d := changed(t, `path="catalogs"`, `path="`+folder+`"`)
	s, err := d.Resolve(nil)
	require.NoError(t, err)
	list := s.ValidateEntries()
	require.Len(t, list, 1)
	require.Equal(t, scenario.RuleSchema, list[0].ID)
	require.Equal(t, "Power", list[0].Place.Object)
	unused := strings.Replace(broken, `name="car"`, `name="bus"`, 1)
	unused = strings.Replace(unused, "</Catalog>", string(text[strings.Index(string(text),
		"<Vehicle"):strings.Index(string(text), "</Catalog>")])+"</Catalog>", 1)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "v.xosc"), []byte(unused), 0o600))
	s, err = d.Resolve(nil)
	require.NoError(t, err)
	require.Empty(t, s.ValidateEntries())
}
