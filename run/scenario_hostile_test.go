package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/scenario"
	"gosmp/scenario/check"
)

// hostile lists attribute values of broken documents.
var hostile = []string{"", "0", "-1", "1e308", "-1e308", "NaN", "INF", "-INF", "1e-300", "x", "$x",
	"${1/0}", "${", "999999999999", "4294967296", "true", "Ego", "Target", "step", "rate", "../..",
	"a::b", "\u202e", "2147483648", "0.1", "90", "road.xodr"}

var (
	attributeText = regexp.MustCompile(`="[^"]*"`)
	leafText      = regexp.MustCompile(`<[A-Z][A-Za-z]*( [^<>]*)?/>`)
	wholeText     = regexp.MustCompile(
		`(?s)<(Private|PrivateAction|Event|Condition|Act|ScenarioObject|` +
			`Performance|Axles|StopTrigger|StartTrigger|Actors)[ ` +
			`>].*?</(Private|PrivateAction|Event|` +
			`Condition|Act|ScenarioObject|Performance|Axles|StopTrigger|StartTrigger|Actors)>`)
)

// mutate changes a document at one place.
func mutate(t *rapid.T, text string) string {
	pick := func(places [][]int) []int {
		return rapid.SampledFrom(places).Draw(t, "place")
	}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0, 1: // another value
		at := pick(attributeText.FindAllStringIndex(text, -1))
		value := rapid.SampledFrom(hostile).Draw(t, "value")
		return text[:at[0]] + `="` + value + `"` + text[at[1]:]
	case 2: // one part less
		at := pick(leafText.FindAllStringIndex(text, -1))
		return text[:at[0]] + text[at[1]:]
	case 3: // one part twice
		at := pick(wholeText.FindAllStringIndex(text, -1))
		return text[:at[1]] + text[at[0]:]
	default: // the value of another attribute
		places := attributeText.FindAllStringIndex(text, -1)
		at, from := pick(places), pick(places)
		return text[:at[0]] + text[from[0]:from[1]] + text[at[1]:]
	}
}

// TestScenario_SurvivesBrokenDocuments: a document with random changes can be checked, and either
// runs or is refused with a place. Nothing panics or runs forever.
func TestScenario_SurvivesBrokenDocuments(t *testing.T) {
	folder := t.TempDir()
	var documents []string
	for _, x := range []struct{ file, name string }{{"../examples/ccrs/road.xodr", "road.xodr"},
		{"../examples/ccrs/ccrs.xosc", ""}, {"../scenario/check/testdata/clean.xosc", ""}} {
		text, err := os.ReadFile(x.file)
		require.NoError(t, err)
		if x.name != "" {
			require.NoError(t, os.WriteFile(filepath.Join(folder, x.name), text, 0o600))
			continue
		}
		documents = append(documents, string(text))
	}
	documents = append(documents, strings.Replace(onPlane, "ACTION", hide, 1))
	name := filepath.Join(folder, "broken.xosc")
	duration := 2.0
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(documents).Draw(t, "document")
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			text = mutate(t, text)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := Defaults(name)
		o.Duration = &duration
		s, err := OpenScenario(o)
		refused := err
		if err == nil {
			_, err = s.Run(context.Background())
		}
		for _, one := range parted(err) {
			e := (*fault.Error)(nil)
			if !errors.As(one, &e) || e.Place == (fault.Place{}) {
				t.Fatalf("an error without a place: %v", one)
			}
		}
		d, err := scenario.Open(name)
		if err != nil {
			return
		}
		found := append(check.Document(d), CheckScenario(d)...)
		if refused != nil && !hasError(found) {
			t.Fatalf("a run refuses what check --engine does not report: %v", refused)
		}
	})
}

func hasError(list finding.List) bool {
	return slices.ContainsFunc(list, func(f finding.Finding) bool {
		return f.Severity == finding.Error
	})
}
