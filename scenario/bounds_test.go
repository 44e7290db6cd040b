package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// declaring returns a scenario with declarations of parameters.
func declaring(t *testing.T, declarations ...string) *Document {
	t.Helper()
	d, err := Parse("grow.xosc", []byte(`<OpenSCENARIO><FileHeader revMajor="1" revMinor="2" `+
		`date="2026-01-01T00:00:00" description="d" author="a"/><ParameterDeclarations>`+
		strings.Join(declarations, "\n")+`</ParameterDeclarations><CatalogLocations/>`+
		`<RoadNetwork/><Entities/><Storyboard><Init><Actions/></Init><StopTrigger/></Storyboard>`+
		`</OpenSCENARIO>`))
	require.NoError(t, err)
	return d
}

func declared(name, value string) string {
	return fmt.Sprintf(`<ParameterDeclaration name=%q parameterType="string" value=%q/>`, name,
		value)
}

// TestResolve_TextsThatDouble: a text that each parameter doubles does not grow without bound.
func TestResolve_TextsThatDouble(t *testing.T) {
	list := []string{declared("p0", "some text")}
	for k := range 60 {
		list = append(list, declared(fmt.Sprintf("p%d", k+1), fmt.Sprintf("${$p%d + $p%d}", k, k)))
	}
	_, err := declaring(t, list...).Resolve(nil)
	require.ErrorIs(t, err, ErrOperand)
	require.ErrorContains(t, err, "grow.xosc:14:")
	require.ErrorContains(t, err, "found a text of 73728 bytes at character 6, expected at most "+
		"64 KiB")
}

// TestResolve_LongestText: a text of 64 KiB is accepted, and one more byte is not.
func TestResolve_LongestText(t *testing.T) {
	half := declared("p", strings.Repeat("x", maxExpression/2))
	s, err := declaring(t, half, declared("q", "${$p + $p}")).Resolve(nil)
	require.NoError(t, err)
	require.Len(t, s.Parameters[1].Value.Text, maxExpression)
	_, err = declaring(t, half, declared("q", "${$p + $p + x}")).Resolve(nil)
	require.ErrorContains(t, err, "found a text of 65537 bytes at character 9, expected at most")
}

// TestResolve_ManyLongTexts: the texts that all expressions create are bounded together. This is
// reported once, also if the parameters without a value have another type or are used.
func TestResolve_ManyLongTexts(t *testing.T) {
	const size = 60 << 10
	list := []string{declared("p", strings.Repeat("x", size))}
	for k := range maxTexts/size + 10 {
		list = append(list, declared(fmt.Sprintf("q%d", k), "${$p + x}"))
	}
	list = append(list,
		`<ParameterDeclaration name="d" parameterType="double" value="${$p + x}"/>`,
		`<ParameterDeclaration name="e" parameterType="double" value="${2 * $d}"/>`,
		`<ParameterDeclaration name="c" parameterType="string" value="${$p + x}"><ConstraintGroup>`+
			`<ValueConstraint rule="equalTo" value="y"/></ConstraintGroup></ParameterDeclaration>`)
	s, failures := declaring(t, list...).ResolveAll(nil)
	require.Len(t, failures, 1)
	require.ErrorContains(t, failures[0],
		"found expressions that create texts of more than 64 MiB, expected shorter texts")
	require.Empty(t, s.Notes)
}

// TestResolve_TextsWithinAnExpression: the texts that an expression creates and uses itself count,
// too, since their number bounds the time.
func TestResolve_TextsWithinAnExpression(t *testing.T) {
	texts := 0
	_, err := evaluate("$p"+strings.Repeat(" + x", 10), func(string) (Value, bool) {
		return Value{Text: "12"}, true
	}, &texts)
	require.NoError(t, err)
	require.Equal(t, 3+4+5+6+7+8+9+10+11+12, texts)
	long := declared("p", strings.Repeat("x", maxExpression/2))
	_, err = declaring(t, long, declared("q", "${$p"+strings.Repeat(" + x", 2200)+"}")).
		Resolve(nil)
	require.ErrorContains(t, err, "texts of more than 64 MiB")
}

// copying returns a scenario with references to an entry of a catalog with declarations.
func copying(t *testing.T, references, declarations int) *Document {
	t.Helper()
	folder := t.TempDir()
	catalog := `<OpenSCENARIO><FileHeader revMajor="1" revMinor="2" date="2026-01-01T00:00:00" ` +
		`description="d" author="a"/><Catalog name="c"><Vehicle name="v" vehicleCategory="car">` +
		`<ParameterDeclarations>` + strings.Repeat(declared("p", "x"), declarations) +
		`</ParameterDeclarations></Vehicle></Catalog></OpenSCENARIO>`
	require.NoError(t, os.WriteFile(filepath.Join(folder, "c.xosc"), []byte(catalog), 0o600))
	objects := strings.Repeat(`<ScenarioObject name="o"><CatalogReference catalogName="c" `+
		`entryName="v"/></ScenarioObject>`, references)
	text := strings.NewReplacer(
		`<CatalogLocations/>`, `<CatalogLocations><VehicleCatalog><Directory path="."/>`+
			`</VehicleCatalog></CatalogLocations>`,
		`<Entities/>`, `<Entities>`+objects+`</Entities>`,
	).Replace(string(declaring(t).text))
	d, err := Parse(filepath.Join(folder, "a.xosc"), []byte(text))
	require.NoError(t, err)
	return d
}

// TestResolve_ManyElements: the elements of a scenario count together with what is copied from
// catalogs, which includes declarations. This is reported once, and nothing is copied after it.
func TestResolve_ManyElements(t *testing.T) {
	const references, declarations = 300, 10
	d := copying(t, references, declarations)
	for left, failures := range map[int]int{5000: 0, 1000: 1, 3: 1} {
		r := &resolver{scenario: &Scenario{File: d.File, Version: d.Version},
			grammar: d.Version.grammar(), catalogs: &library{file: d.File, shelf: &shelf{}},
			elements: maxElements - left}
		copies := 0
		r.element(d.Root, nil, given{}).Walk(func(*Element) bool { copies++; return true })
		require.Len(t, r.failures, failures)
		for _, err := range r.failures {
			require.ErrorContains(t, err, "found more than 1048576 elements, including copies of "+
				"catalog entries, expected fewer; an entry is copied wherever it is referred to")
			require.Equal(t, left+1, copies)
		}
		if failures == 0 {
			require.Greater(t, copies, references*declarations)
		}
	}
}
