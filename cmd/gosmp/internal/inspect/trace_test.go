package inspect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

// A recorder that recorded nothing leaves a file without chunks.
func TestInspectTrace_FileWithoutAChunk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.mcap")
	f, err := os.Create(name)
	require.NoError(t, err)
	w, err := mcap.NewWriter(f, mcap.Options{Library: "recorder"})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	d, err := ReadTrace(name, "")
	require.NoError(t, err)
	require.Equal(t, "MCAP without a chunk, by recorder", d.formatText())
}
