//go:build unix

package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/pipetest"
)

// A file that is read twice cannot be a pipe. The error says so; nothing is read from the pipe.
func TestHashInput_LeavesPipesAlone(t *testing.T) {
	name := pipetest.Name(t)
	require.ErrorContains(
		t,
		(&Simulation{}).hashInput(name),
		"expected a trace that can be read more than once",
	)
	pipetest.Unread(t, name)
}
