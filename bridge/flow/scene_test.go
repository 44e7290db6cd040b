package flow_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"gosmp/bridge"
	"gosmp/bridge/flow"
	"gosmp/mocksim/scene"
	"gosmp/proto/foxglove"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// watcher is a viewer that subscribes to all channels as they are offered.
type watcher struct {
	t        *testing.T
	conn     *websocket.Conn
	channels map[uint32]string
}

func watch(t *testing.T, f *flow.Flow) *watcher {
	t.Helper()
	conn, response, err := websocket.Dial(t.Context(), f.Address(),
		&websocket.DialOptions{Subprotocols: []string{"foxglove.sdk.v1"}})
	require.NoError(t, err)
	if response.Body != nil {
		_ = response.Body.Close()
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	w := &watcher{t, conn, map[uint32]string{}}
	w.next() // serverInfo
	return w
}

// next reads a message. If the message has data, it also returns its topic.
func (w *watcher) next() (topic string, data []byte) {
	w.t.Helper()
	_, b, err := w.conn.Read(w.t.Context())
	require.NoError(w.t, err)
	if b[0] == 1 {
		return w.channels[binary.LittleEndian.Uint32(b[1:])], b[13:]
	}
	var a struct {
		Op       string
		Channels []struct {
			ID                                  uint32
			Topic, Encoding, SchemaName, Schema string
			SchemaEncoding                      string
		}
	}
	if b[0] != '{' || json.Unmarshal(b, &a) != nil || a.Op != "advertise" {
		return "", nil
	}
	for _, c := range a.Channels {
		require.NotContains(w.t, w.channels, c.ID, "each channel is announced once")
		w.channels[c.ID] = c.Topic
		if c.Encoding != "protobuf" {
			continue
		}
		require.Equal(w.t, "protobuf", c.SchemaEncoding)
		schema, err := base64.StdEncoding.DecodeString(c.Schema)
		require.NoError(w.t, err)
		require.NoError(w.t, proto.Unmarshal(schema, &descriptorpb.FileDescriptorSet{}))
		require.NoError(w.t, w.conn.Write(w.t.Context(), websocket.MessageText, fmt.Appendf(nil,
			`{"op": "subscribe", "subscriptions": [{"id": %d, "channelId": %[1]d}]}`, c.ID)))
	}
	return "", nil
}

// until reads messages up to one of the wanted topic.
func (w *watcher) until(wanted string) []byte {
	w.t.Helper()
	for {
		if topic, data := w.next(); topic == wanted {
			return data
		}
	}
}

// TestFlow_Draw: viewers receive scenes without an extension, and the lanes of the first message,
// however late they connect.
func TestFlow_Draw(t *testing.T) {
	c, err := bridge.ParseConfig("bridge.json", []byte(`{"bridge": 1, "system": "ros2",
		"messages": [], "transport": {"kind": "websocket", "address": "127.0.0.1:0", "scenes": true}}`))
	require.NoError(t, err)
	f, err := flow.Open(c, flow.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	draw := func(k int, lanes bool) {
		now := timebase.Time(k) * 100 * timebase.Millisecond
		view := scene.Motorway(now)
		view.GlobalGroundTruth.LaneBoundary = nil
		if lanes {
			view.GlobalGroundTruth.LaneBoundary = []*osi3.LaneBoundary{{BoundaryLine: []*osi3.LaneBoundary_BoundaryPoint{
				{Position: &osi3.Vector3D{X: proto.Float64(-100), Y: proto.Float64(0)}},
				{Position: &osi3.Vector3D{X: proto.Float64(500), Y: proto.Float64(0)}}}}}
		}
		b, err := proto.Marshal(view)
		require.NoError(t, err)
		require.NoError(t, f.Draw("sensor.OSMPSensorViewIn", now, "SensorView", b))
	}
	draw(0, true) // there is no viewer, but this message has the map

	first := watch(t, f)
	draw(1, false)
	var update foxglove.SceneUpdate
	require.NoError(t, proto.Unmarshal(first.until("/sensor/OSMPSensorViewIn/objects"), &update))
	require.Greater(t, len(update.GetEntities()), 50)
	first.until("/tf")
	draw(2, false)
	later := watch(t, f)
	require.NoError(t, proto.Unmarshal(later.until("/sensor/OSMPSensorViewIn/lanes"), &update))
	require.NotEmpty(t, update.GetEntities())
	var topics []string
	for _, topic := range later.channels {
		topics = append(topics, topic)
	}
	slices.Sort(topics)
	require.Subset(t, topics, []string{"/sensor/OSMPSensorViewIn/lanes",
		"/sensor/OSMPSensorViewIn/objects", "/tf"})
}

// TestFlow_ScenesAreForViewers: other transports have no scenes.
func TestFlow_ScenesAreForViewers(t *testing.T) {
	for _, transport := range []string{`{"kind": "loopback", "scenes": true}`,
		`{"kind": "websocket", "scenes": 1}`} {
		_, err := bridge.ParseConfig("bridge.json", []byte(
			`{"bridge": 1, "system": "ros2", "messages": [], "transport": `+transport+`}`))
		require.ErrorIs(t, err, bridge.ErrConfig)
		require.ErrorContains(t, err, "true or false, only for transport websocket")
	}
}
