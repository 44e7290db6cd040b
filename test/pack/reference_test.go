package pack

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/build"
	"gosmp/sensor/dummysensor"
)

// TestVariableReferenceIsCurrent compares docs/VARIABLES.md with the variable table it is generated
// from.
func TestVariableReferenceIsCurrent(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, build.WriteVariables(&b, dummysensor.Definition()))
	page, err := os.ReadFile("../../docs/VARIABLES.md")
	require.NoError(t, err)
	require.Equal(t, b.String(), string(page),
		"bring it up to date by: go run ./cmd/osmpdummysensor variables > docs/VARIABLES.md")
}
