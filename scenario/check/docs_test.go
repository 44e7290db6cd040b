package check_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/check"
)

// TestDocs_ListTheRules checks that docs/OPENSCENARIO.md lists the current rules. GOSMP_UPDATE=1
// rewrites the list.
func TestDocs_ListTheRules(t *testing.T) {
	const file, begin, end = "../../docs/OPENSCENARIO.md", "<!-- rules -->\n",
		"<!-- end of rules -->\n"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	listed, after, found := strings.Cut(rest, end)
	require.True(t, found)
	var b strings.Builder
	b.WriteString("| rule | severity | what it demands |\n|---|---|---|\n")
	for _, r := range check.Rules {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, r.Severity, r.Meaning)
	}
	if os.Getenv("GOSMP_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(before+begin+b.String()+end+after), 0o600))
		return
	}
	require.Equal(t, b.String(), listed,
		"GOSMP_UPDATE=1 go test ./scenario/check -run Docs rewrites the list")
}
