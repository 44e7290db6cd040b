//go:build unix

package draw

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/pipetest"
)

// A file that is read twice cannot be a pipe: nothing is read from it.
func TestStatesTypes_LeavesPipesAlone(t *testing.T) {
	name := pipetest.Name(t)
	require.False(t, statesTypes(name))
	pipetest.Unread(t, name)
}
