package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace"
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

// TestPrint_ManyChannels: of many channels, the first ones are shown and the others are counted,
// unless all are requested.
func TestPrint_ManyChannels(t *testing.T) {
	d := &Trace{Channels: make([]traceChannel, mostRows+1234), info: &trace.Info{}}
	for k := range d.Channels {
		d.Channels[k].Topic = fmt.Sprintf("topic%d", k)
	}
	var out strings.Builder
	require.NoError(t, d.Print(&out, false, false))
	require.Equal(t, mostRows, strings.Count(out.String(), "topic"))
	require.Contains(t, out.String(), "  and 1 234 more; --all shows them\n")
	out.Reset()
	require.NoError(t, d.Print(&out, false, true))
	require.Equal(t, len(d.Channels), strings.Count(out.String(), "topic"))
	require.NotContains(t, out.String(), "more")
}
