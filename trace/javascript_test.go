package trace_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
)

// The reader of the viewers, @mcap/core 2, reads our files by their index. The test needs node and
// that package, in NODE_PATH or installed for all.
func TestMCAP_TheViewersReaderReadsIt(t *testing.T) {
	if err := exec.Command("node", "-e", `require("@mcap/core")`).Run(); err != nil {
		t.Skip("node with the package @mcap/core is not here: install it and set NODE_PATH")
	}
	file := filepath.Join(t.TempDir(), "a.mcap")
	f, err := os.Create(file)
	require.NoError(t, err)
	sink, err := trace.Create(f, trace.MCAP, trace.SinkOptions{ChunkSize: 1000})
	require.NoError(t, err)
	var want [][]any
	channels := map[string]*trace.Channel{}
	for topic, kind := range map[string]string{"front": "sv", "radar": "sd"} {
		channels[topic], err = sink.Add(trace.OSI(topic, kind))
		require.NoError(t, err)
	}
	for k := range timebase.Time(200) {
		topic := []string{"front", "radar"}[k%2]
		data := []byte{0x12, 4, 0x08, 0, 0x10, byte(k & 0x7f)}
		require.NoError(t, sink.Write(&trace.Message{Channel: channels[topic], Time: k, Publish: k, Data: data}))
		want = append(want, []any{topic, channels[topic].Type, strconv.FormatInt(int64(k), 10), float64(len(data))})
	}
	require.NoError(t, sink.Close())
	require.NoError(t, f.Close())
	out, err := exec.Command("node", filepath.Join("testdata", "read_mcap.cjs"), file).Output()
	require.NoError(t, err)
	var found struct {
		Metadata   []string
		Statistics string
		Messages   [][]any
	}
	require.NoError(t, json.Unmarshal(out, &found))
	require.Equal(t, []string{"net.asam.osi.trace"}, found.Metadata)
	require.Equal(t, "200", found.Statistics)
	require.Equal(t, want, found.Messages)
}
