package frames

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"
)

func TestSupported_AgreesWithTheLibraryOfTheGoTeam(t *testing.T) {
	require.Equal(t, cpu.X86.HasAVX2, supported())
}
