package sweeps

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

func TestAnywhere(t *testing.T) {
	dir := t.TempDir()
	row := sweep.Row{Outcome: sweep.Faulty, Cause: "sensor: " + filepath.Join(dir, "sub", "a.fmu") +
		": unusable start value"}
	require.Equal(t, "sensor: "+filepath.Join("sub", "a.fmu")+": unusable start value",
		anywhere(row, dir).Cause)
	root := filepath.VolumeName(dir) + string(filepath.Separator)
	require.Equal(t, row, anywhere(row, root))
}
