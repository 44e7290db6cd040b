package fmi_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
)

// The grammar of FMI 2.0, 2.2.9 as a regular expression.
var (
	element = `([A-Za-z_][A-Za-z0-9_]*|'([-A-Za-z0-9_!#$%&()*+,./:;<>=?@\[\]^{|}~ ` +
		`]|\\['"?\\abfnrtv])+')(\[[0-9]+(,[0-9]+)*\])?`
	path       = element + `(\.` + element + `)*`
	structured = regexp.MustCompile(`\A(` + path + `|der\(` + path + `(,[0-9]+)?\))\z`)
	identifier = regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_]*\z`)
)

// Names are composed of pieces of the grammar, so that many are valid and the others almost valid.
func TestNames_AsTheGrammarHasThem(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "B_1", "_", "7", ".", "[", "]", "[1]", "[1,20]", ",",
		"'", "'x y'", `'\''`, `\`, `\n`, `"`,
		"der(", ")", " ", "\n", "ä", "\x00", "#", "-"})
	rapid.Check(t, func(t *rapid.T) {
		name := ""
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			name += pieces.Draw(t, "piece")
		}
		require.Equal(t, structured.MatchString(name), fmi.IsStructuredName(name), "%q", name)
		require.Equal(t, identifier.MatchString(name), fmi.IsIdentifier(name), "%q", name)
	})
	for _, name := range []string{"a", "_.B_1[1,20].a", "der(a.'x y')", `'\''[1]`} {
		require.True(t, fmi.IsStructuredName(name), name)
	}
	rapid.Check(t, func(t *rapid.T) {
		require.True(t,
			fmi.IsStructuredName(rapid.StringMatching(
				structured.String()[2:len(structured.String())-2]).Draw(t, "name")))
	})
}
