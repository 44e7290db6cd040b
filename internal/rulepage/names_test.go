package rulepage

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNames: words that merely occur in a test do not make it a test of the rule with that id.
func TestNames(t *testing.T) {
	for text, ids := range map[string]map[string]bool{
		`// the file is short` + "\n" + `"short-row"`: {"file": false, "short-row": true},
		`require.Equal(t, "file", kind.ID())`:         {"file": true, "short-row": false},
		`func TestA8_EachRole`:                        {"OSMP-A8": true, "OSMP-A1": false},
		`"FMI3-M4", "trace.no-osi"`: {"FMI<version>-M4": true, "FMI<version>-M5": false,
			"trace.no-osi": true, "trace.<kind>": true},
	} {
		file := newTestFile("a_test.go", text)
		for id, want := range ids {
			require.Equal(t, want, file.names(id), "%s in %s", id, text)
		}
	}
}
