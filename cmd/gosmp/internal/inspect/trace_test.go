package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run/inspect"
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
	d, err := readTrace(name, "")
	require.NoError(t, err)
	require.Equal(t, "MCAP without a chunk, by recorder", traceText{d}.formatText())
}

// The text about a damaged trace says how to save the rest.
func TestPrint_Damage(t *testing.T) {
	d := traceText{&inspect.Trace{Damage: "a.mcap: byte 100", Info: &trace.Info{}}}
	var out strings.Builder
	require.NoError(t, d.print(&out, false, false))
	require.Contains(t, strings.Join(strings.Fields(out.String()), " "),
		"damaged: a.mcap: byte 100; gosmp repair writes the remaining data to a new file")
}

// TestPrint_ManyChannels: of many channels, the first ones are shown and the others are counted,
// unless all are requested.
func TestPrint_ManyChannels(t *testing.T) {
	d := traceText{&inspect.Trace{Channels: make([]inspect.Channel, mostRows+1234), Info: &trace.Info{}}}
	for k := range d.Channels {
		d.Channels[k].Topic = fmt.Sprintf("topic%d", k)
	}
	var out strings.Builder
	require.NoError(t, d.print(&out, false, false))
	require.Equal(t, mostRows, strings.Count(out.String(), "topic"))
	require.Contains(t, out.String(), "  and 1 234 more; --all shows them\n")
	out.Reset()
	require.NoError(t, d.print(&out, false, true))
	require.Equal(t, len(d.Channels), strings.Count(out.String(), "topic"))
	require.NotContains(t, out.String(), "more")
}
