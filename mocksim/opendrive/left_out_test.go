package opendrive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
)

// TestCheck_NotesWhatIsNotEvaluated checks that an element that the simulator ignores adds a note
// rather than an error.
func TestCheck_NotesWhatIsNotEvaluated(t *testing.T) {
	text := strings.Replace(
		complete,
		`<signals/>`,
		`<objects><tunnel s="10" length="20" id="t" type="standard"/></objects><signals/>`,
		1,
	)
	var found finding.List
	for _, f := range read(t, text).Check() {
		if f.ID == "X-NOT-EVALUATED" {
			found = append(found, f)
		}
	}
	require.Len(t, found, 1)
	require.Equal(t, finding.Note, found[0].Severity)
	require.Equal(t, "tunnel in objects is not evaluated", found[0].Message)
}
