package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// countedFile is a trace of twelve messages, or what damage has left of it.
type countedFile struct {
	name        string
	content     []byte
	undecodable bool // one message is not a GroundTruth
	cut         bool
}

// groundTruths writes twelve messages; broken is the index of the one that cannot be decoded, or
// -1.
func groundTruths(t *testing.T, format trace.Format, o trace.SinkOptions, broken int) []byte {
	var b bytes.Buffer
	sink, err := trace.Create(&b, format, o)
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("GroundTruth", "gt"))
	require.NoError(t, err)
	for k := range 12 {
		at := timebase.Time(k) * 100_000_000
		size := &osi3.Dimension3D{Length: proto.Float64(4), Width: proto.Float64(2)}
		place := &osi3.Vector3D{X: proto.Float64(float64(k)), Y: proto.Float64(0)}
		data, err := proto.Marshal(&osi3.GroundTruth{Timestamp: &osi3.Timestamp{
			Seconds: proto.Int64(int64(at) / 1e9), Nanos: proto.Uint32(uint32(at % 1e9))},
			HostVehicleId: &osi3.Identifier{Value: proto.Uint64(1)},
			MovingObject: []*osi3.MovingObject{{Id: &osi3.Identifier{Value: proto.Uint64(1)},
				Base: &osi3.BaseMoving{Dimension: size, Position: place,
					Velocity: &osi3.Vector3D{X: proto.Float64(10)}}}}})
		require.NoError(t, err)
		if k == broken {
			data[len(data)-1-9] = 0xff
			data = data[:len(data)-3]
		}
		require.NoError(t,
			sink.Write(&trace.Message{Channel: c, Time: at, Publish: at, Data: data}))
		require.NoError(t, sink.Flush())
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// half returns where a file is cut in the middle of a message.
func half(t *testing.T, whole []byte) int {
	f, err := mcap.Open(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		return len(whole) * 6 / 10
	}
	require.Len(t, f.Chunks, 12)
	return int(f.Chunks[6].ChunkStart) + 60
}

func countedFiles(t *testing.T) (files []countedFile) {
	for _, x := range []struct {
		name   string
		format trace.Format
		o      trace.SinkOptions
	}{
		{"drive_gt_.osi", trace.OSIFile, trace.SinkOptions{}},
		{"none.mcap", trace.MCAP, trace.SinkOptions{}},
		{"lz4.mcap", trace.MCAP, trace.SinkOptions{Compression: mcap.LZ4}},
		{"zstd.mcap", trace.MCAP, trace.SinkOptions{Compression: mcap.Zstd}},
	} {
		for _, broken := range []int{-1, 2} {
			whole := groundTruths(t, x.format, x.o, broken)
			files = append(files, countedFile{x.name, whole, broken >= 0, false},
				countedFile{x.name, whole[:half(t, whole)], broken >= 0, true})
			if x.format == trace.OSIFile {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				_, err := z.Write(whole)
				require.NoError(t, err)
				require.NoError(t, z.Close())
				files = append(files, countedFile{x.name + ".gz", b.Bytes(), broken >= 0, false},
					countedFile{x.name + ".gz", b.Bytes()[:b.Len()*6/10], broken >= 0, true})
			}
		}
	}
	return files
}

// ran runs a command with --json and returns the messages that it counts, its exit code and
// everything that it prints about its input.
func ran(t *testing.T, arguments ...string) (messages, code int, said string) {
	var out, problems bytes.Buffer
	c := exec.Command("gosmp", arguments...)
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		var exit *exec.ExitError
		require.True(t, errors.As(err, &exit), "%v", err)
	}
	document := struct{ Messages int }{-1}
	_ = json.Unmarshal(out.Bytes(), &document) // some commands have none
	return document.Messages, c.ProcessState.ExitCode(), out.String() + problems.String()
}

// All commands that read a trace find the same messages in it, and no command loses messages
// silently.
func TestTraces_AllCommandsCountTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred processes")
	}
	for _, f := range countedFiles(t) {
		name := filepath.Join(t.TempDir(), f.name)
		require.NoError(t, os.WriteFile(name, f.content, 0o600))
		out := func(file string) string { return filepath.Join(filepath.Dir(name), "out", file) }
		require.NoError(t, os.Mkdir(out(""), 0o700))
		label := filepath.Base(name)
		if f.cut {
			label += ", cut"
		}
		if f.undecodable {
			label += ", one undecodable"
		}
		want, code, said := ran(t, "convert", name, "-o", out("a.mcap"), "--json")
		if f.cut {
			require.Equal(t, 1, code, "%s: %s", label, said)
			require.Less(t, want, 12, label)
		} else {
			require.Zero(t, code, "%s: %s", label, said)
			require.Equal(t, 12, want, label)
		}
		decodable := want
		if f.undecodable {
			decodable--
		}
		damaged := map[bool]int{true: 1}[f.cut || f.undecodable]
		for command, x := range map[string]struct {
			arguments      []string
			messages, code int
		}{
			"inspect": {[]string{"inspect", name, "--json"}, want, map[bool]int{true: 1}[f.cut]},
			"lines": {[]string{"convert", name, "-o", out("a.jsonl"), "--json"}, decodable,
				damaged},
			"metrics":   {[]string{"metrics", name, "--json"}, decodable, damaged},
			"report":    {[]string{"report", name, "-o", out("a.html")}, -1, damaged},
			"converted": {[]string{"inspect", out("a.mcap"), "--json"}, want, 0},
		} {
			messages, code, said := ran(t, x.arguments...)
			require.Equal(t, x.messages, messages, "%s, %s: %s", label, command, said)
			require.Equal(t, x.code, code, "%s, %s: %s", label, command, said)
			if x.code != 0 {
				require.NotEmpty(t, said, "%s, %s", label, command)
			}
		}
		_, code, said = ran(t, "check", name, "--json")
		require.Equal(t, 1, code, "%s: %s", label, said)
		if f.cut {
			require.Contains(t, said, "trace.damaged", label)
		}
		saved, code, said := ran(t, "repair", name, "-o", out(map[bool]string{true: "r.mcap",
			false: "r_gt_.osi"}[filepath.Ext(name) == ".mcap"]), "--json")
		require.GreaterOrEqual(t, saved, decodable, "%s: %s", label, said)
		require.Equal(t, f.cut || saved < want, code == 1, "%s: %s", label, said)
	}
}
