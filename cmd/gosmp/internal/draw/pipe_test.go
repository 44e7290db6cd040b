//go:build unix

package draw

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/pipetest"
	"gosmp/internal/regular"
)

// A file that is read twice cannot be a pipe. Nothing is read from a pipe.
func TestOpenInput_LeavesPipesAlone(t *testing.T) {
	name := pipetest.Name(t)
	_, _, err := openInput(name)
	require.ErrorIs(t, err, regular.ErrKind)
	pipetest.Unread(t, name)
}
