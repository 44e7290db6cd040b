package check_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/simapi"
	"gosmp/simapi/check"
)

// TestDocs checks that the documentation lists the same mistakes and legal calls as the code.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/SIMAPI.md")
	require.NoError(t, err)
	for _, m := range check.Mistakes {
		require.Contains(t, string(text), fmt.Sprintf("| %s | %s | %s |\n", m.ID, m.What, m.Remedy))
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 9 {
			continue
		}
		for _, call := range strings.Split(cells[1], ",") {
			rows[strings.TrimSpace(call)] = strings.Join(cells[2:8], "|")
		}
	}
	for _, m := range simapi.Methods() {
		var want []string
		for s := simapi.Connected; s <= simapi.Stepping; s++ {
			after, _ := m.After(s)
			want = append(want, []string{" ", " C ", " I ", " L ", " S ", " R ", " P "}[after])
		}
		require.Equal(t, strings.Join(want, "|"), rows[m.Word()], m.Word())
	}
}
