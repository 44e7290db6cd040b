package check_test

import (
	"fmt"
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

// TestDocument_ManyReferences: the time to check references between elements of the storyboard grows
// with their number, not with the square, also if the names are the same.
func TestDocument_ManyReferences(t *testing.T) {
	const events = 10_000
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	begin := strings.Index(string(text), `<Event name="brake"`)
	end := begin + strings.Index(string(text)[begin:], "</Event>") + len("</Event>")
	condition := func(k int, name string) string {
		return fmt.Sprintf(`<ConditionGroup><Condition name="c%d" delay="0" `+
			`conditionEdge="none"><ByValueCondition><StoryboardElementStateCondition `+
			`storyboardElementType="action" storyboardElementRef="%s" `+
			`state="completeState"/></ByValueCondition></Condition></ConditionGroup>`, k, name)
	}
	event := func(k int, action, conditions string) string {
		return fmt.Sprintf(`<Event name="e%d" priority="parallel"><Action name="%s">`+
			`<UserDefinedAction><CustomCommandAction type="x"/></UserDefinedAction></Action>`+
			`<StartTrigger>%s</StartTrigger></Event>`, k, action, conditions)
	}
	for name, c := range map[string]struct {
		event func(k, next int) string
		found int // wrong references
	}{
		"names": {func(k, next int) string {
			return event(k, fmt.Sprint("a", k), condition(k, fmt.Sprint("a", next)))
		}, 0},
		"paths to actions of the same name": {func(k, next int) string {
			return event(k, "a", condition(k, fmt.Sprintf("e%d::a", next)))
		}, 0},
		"the same name": {func(k, _ int) string { return event(k, "a", condition(k, "a")) },
			1000}, // more are not listed
		"groups": {func(k, _ int) string {
			switch k {
			case 0:
				return event(k, "a0", condition(k, "a1"))
			case 1:
				var b strings.Builder
				for n := range events {
					b.WriteString(condition(n, "a0"))
				}
				return event(k, "a1", b.String())
			}
			return ""
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for k := range events {
				b.WriteString(c.event(k, (k+1)%events))
			}
			file := filepath.Join(t.TempDir(), "vast.xosc")
			require.NoError(t, os.WriteFile(file,
				[]byte(string(text[:end])+b.String()+string(text[end:])), 0o600))
			d, err := scenario.Open(file)
			require.NoError(t, err)
			wrong := 0
			for _, f := range check.Document(d) {
				if strings.Contains(f.Message, "storyboardElementRef") {
					wrong++
				}
			}
			require.Equal(t, c.found, wrong)
		})
	}
}
