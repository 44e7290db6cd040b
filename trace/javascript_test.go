package trace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// shownMessage is the content of a message as read by Lichtblick's packages.
type shownMessage struct {
	Topic   string  `json:"topic"`
	Schema  string  `json:"schema"`
	LogTime string  `json:"logTime"`
	Time    string  `json:"time"`
	Objects [][]any `json:"objects"` // id, type and x of each moving object
}

// shownDrive writes 20 SensorViews and 20 SensorDatas, and returns the content that must be found
// in them.
func shownDrive(t *testing.T, file string, compression mcap.Compression) (want []shownMessage) {
	f, err := os.Create(file)
	require.NoError(t, err)
	sink, err := trace.Create(f, trace.MCAP,
		trace.SinkOptions{ChunkSize: 50_000, Compression: compression})
	require.NoError(t, err)
	channels := map[string]*trace.Channel{}
	for topic, kind := range map[string]string{"front": "sv", "radar": "sd"} {
		channels[topic], err = sink.Add(trace.OSI(topic, kind))
		require.NoError(t, err)
	}
	write := func(topic string, at timebase.Time, m proto.Message, objects [][]any) {
		content, err := proto.Marshal(m)
		require.NoError(t, err)
		c := channels[topic]
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: content}))
		want = append(want, shownMessage{topic, c.Type, strconv.FormatInt(int64(at), 10),
			fmt.Sprintf("0.%09d", at), objects})
	}
	for k := range timebase.Time(20) {
		at := k * 20 * timebase.Millisecond
		view := scene.Motorway(at)
		data := &osi3.SensorData{Version: view.Version, Timestamp: view.Timestamp}
		var truth, detected [][]any
		for n, o := range view.GlobalGroundTruth.MovingObject {
			kind := strings.TrimPrefix(o.GetType().String(), "TYPE_")
			truth = append(truth, []any{strconv.FormatUint(o.Id.GetValue(), 10), kind,
				o.Base.Position.GetX()})
			header := &osi3.DetectedItemHeader{
				TrackingId: &osi3.Identifier{Value: proto.Uint64(uint64(n))}}
			data.MovingObject = append(data.MovingObject, &osi3.DetectedMovingObject{Base: o.Base,
				Header: header})
			detected = append(detected, []any{strconv.Itoa(n), "", o.Base.Position.GetX()})
		}
		write("front", at, view, truth)
		write("radar", at, data, detected)
	}
	require.NoError(t, sink.Close())
	require.NoError(t, f.Close())
	return want
}

// T16: the packages with which Lichtblick and its OSI converter read MCAP read our files by index,
// with all compressions, and decode the messages with the schemas in the file. The test needs node
// and these packages, in the folder named by GOSMP_NODE_MODULES.
func TestMCAP_TheViewersPackagesReadIt(t *testing.T) {
	modules := os.Getenv("GOSMP_NODE_MODULES")
	run := func(arguments ...string) ([]byte, error) {
		command := exec.Command("node", arguments...)
		command.Env = append(os.Environ(), "NODE_PATH="+modules)
		return command.Output()
	}
	if _, err := run("-e",
		`for (const p of ["core", "support"]) require("@mcap/" + p); `+
			`require("@lichtblick/asam-osi-types")`); err != nil {
		t.Skip(
			"GOSMP_NODE_MODULES does not name a folder with @mcap/core, @mcap/support and " +
				"@lichtblick/asam-osi-types, or node is not here")
	}
	for _, compression := range []mcap.Compression{mcap.None, mcap.LZ4, mcap.Zstd} {
		file := filepath.Join(t.TempDir(), "a.mcap")
		want := shownDrive(t, file, compression)
		out, err := run(filepath.Join("testdata", "read_mcap.cjs"), file)
		require.NoError(t, err, "%q", compression)
		var found struct {
			Metadata   []string
			Statistics string
			Messages   []shownMessage
		}
		require.NoError(t, json.Unmarshal(out, &found))
		require.Equal(t, []string{"net.asam.osi.trace"}, found.Metadata)
		require.Equal(t, strconv.Itoa(len(want)), found.Statistics)
		require.Equal(t, want, found.Messages, "%q", compression)
	}
}
