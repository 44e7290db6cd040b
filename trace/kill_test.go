package trace_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// killed names the environment variable for the file to which the test program records when it is
// started as a recorder.
const killed = "GOSMP_TEST_KILLED_RECORDER"

// TestKilledRecorder_KeepsWhatWasFlushed kills recorders at 20 moments: the file contains every
// message up to the last flush.
func TestKilledRecorder_KeepsWhatWasFlushed(t *testing.T) {
	if path := os.Getenv(killed); path != "" {
		recordUntilKilled(t, path)
		return
	}
	program, err := os.Executable()
	require.NoError(t, err)
	for k := range 20 {
		name := []string{"none.mcap", "20210818T150542Z_sv_380_13612_0.part.osi", "lz4.mcap",
			"zstd.mcap"}[k%4]
		path := filepath.Join(t.TempDir(), name)
		command := exec.Command(program, "-test.run", "^TestKilledRecorder_KeepsWhatWasFlushed$")
		command.Env = append(os.Environ(), killed+"="+path)
		out, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		lines, flushed := bufio.NewScanner(out), 0
		for n := 0; n <= k && lines.Scan(); n++ {
			flushed, err = strconv.Atoi(strings.TrimPrefix(lines.Text(), "flushed "))
			require.NoError(t, err, lines.Text())
		}
		require.NoError(t, command.Process.Kill())
		require.Error(t, command.Wait(), "it was killed")
		require.Positive(t, flushed)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		read := readable(t, name, content)
		require.GreaterOrEqual(t, read, flushed)
		if filepath.Ext(name) == ".mcap" {
			require.GreaterOrEqual(t, recovered(t, content), read)
		}
	}
}

// recovered counts the messages that can be recovered.
func recovered(t *testing.T, content []byte) int {
	var out bytes.Buffer
	w, err := mcap.NewWriter(&out, mcap.Options{})
	require.NoError(t, err)
	loss, err := mcap.Recover(bytes.NewReader(content), int64(len(content)), w,
		mcap.RecoverOptions{})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.False(t, loss.Whole())
	require.EqualValues(t, loss.Messages, readable(t, "saved.mcap", out.Bytes()))
	return int(loss.Messages)
}

// readable counts the messages up to the cut, and checks that each is as written.
func readable(t *testing.T, name string, content []byte) (n int) {
	s, err := trace.OpenAt(name, bytes.NewReader(content), int64(len(content)), trace.Options{})
	require.NoError(t, err)
	for {
		m, err := s.Next()
		if err != nil {
			return n
		}
		stamp, ok := trace.StampOf("osi3.SensorView", m.Data)
		require.True(t, ok)
		require.EqualValues(t, n, stamp)
		n++
	}
}

// recordUntilKilled writes messages and prints how many have been flushed.
func recordUntilKilled(t *testing.T, path string) {
	f, err := os.Create(path)
	require.NoError(t, err)
	format, o := trace.MCAP, trace.SinkOptions{}
	switch filepath.Base(path) {
	case "lz4.mcap":
		o.Compression = mcap.LZ4
	case "zstd.mcap":
		o.Compression = mcap.Zstd
	case "none.mcap":
	default:
		format = trace.OSIFile
	}
	sink, err := trace.Create(f, format, o)
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("view", "sv"))
	require.NoError(t, err)
	for k := 0; k < 1<<20; k++ {
		data := []byte{0x12, 2, 0x10, byte(k)}
		if k > 127 {
			data = []byte{0x12, 4, 0x10, byte(k) | 0x80, byte(k>>7) | 0x80, byte(k >> 14)}
		}
		require.NoError(t,
			sink.Write(&trace.Message{Channel: c, Time: timebase.Time(k), Publish: timebase.Time(k),
				Data: data}))
		if k%97 == 96 {
			require.NoError(t, sink.Flush())
			fmt.Printf("flushed %d\n", k+1)
		}
	}
}
