package server_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/server"
)

type fields = map[string]any

const text = `{"bridge": 1, "system": "ros2", "messages": [
	{"topic": "/goal", "type": "geometry_msgs/PoseStamped", "direction": "down", "vehicle": "sut", "event": "goal"},
	{"topic": "/imu", "type": "sensor_msgs/Imu", "direction": "down", "vehicle": "sut", "event": "imu"},
	{"topic": "/on", "type": "std_msgs/Bool", "direction": "up", "vehicle": "sut", "event": "on"}]}`

func config(t testing.TB) *bridge.Config {
	t.Helper()
	c, err := bridge.ParseConfig("c.json", []byte(text))
	require.NoError(t, err)
	return c
}

// received is a message that a server passes on.
type received struct {
	topic string
	time  int64
	bytes []byte
}

// webSocket returns a running server, and the messages that it receives.
func webSocket(t testing.TB, o server.Options) (*server.WebSocket, *bridge.Config, chan received) {
	t.Helper()
	c, up := config(t), make(chan received, 100)
	o.Receive = func(topic string, timeNs int64, b []byte) error {
		if err := c.Definitions.Verify(c.Topic(topic, bridge.Up).Message, b); err != nil {
			return err
		}
		up <- received{topic, timeNs, b}
		return nil
	}
	w, err := server.ListenWebSocket("127.0.0.1:0", c, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w, c, up
}

// viewer is a client that follows the protocol.
type viewer struct {
	t testing.TB
	*websocket.Conn
}

func connect(t testing.TB, w *server.WebSocket, protocols ...string) *viewer {
	t.Helper()
	conn, response, err := websocket.Dial(context.Background(), "ws://"+w.Addr().String(),
		&websocket.DialOptions{Subprotocols: protocols})
	require.NoError(t, err)
	if response.Body != nil {
		_ = response.Body.Close()
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &viewer{t, conn}
}

// json returns the next text message.
func (v *viewer) json() (object fields) {
	v.t.Helper()
	for {
		kind, b, err := v.Read(context.Background())
		require.NoError(v.t, err)
		if kind == websocket.MessageText {
			require.NoError(v.t, json.Unmarshal(b, &object))
			return object
		}
	}
}

// binary returns the next binary message with a code.
func (v *viewer) binary(code byte) []byte {
	v.t.Helper()
	for {
		kind, b, err := v.Read(context.Background())
		require.NoError(v.t, err)
		if kind == websocket.MessageBinary && b[0] == code {
			return b
		}
		require.Equal(v.t, websocket.MessageBinary, kind, string(b))
	}
}

func (v *viewer) say(kind websocket.MessageType, b string) {
	v.t.Helper()
	require.NoError(v.t, v.Write(context.Background(), kind, []byte(b)))
}

// greeted receives the first messages of a connection.
func (v *viewer) greeted() *viewer {
	v.t.Helper()
	require.Equal(v.t, "serverInfo", v.json()["op"])
	require.Equal(v.t, "advertise", v.json()["op"])
	return v
}

// subscribed subscribes to a channel. The answer to a wrong request that follows shows that the
// subscription is complete.
func (v *viewer) subscribed(request string) *viewer {
	v.t.Helper()
	v.say(websocket.MessageText, request)
	v.say(websocket.MessageText, `{"op": "done?"}`)
	require.Contains(v.t, v.json()["message"], "done?")
	return v
}

// Both names of the protocol are accepted, and the server sends its channels and schemas first.
func TestWebSocket_Greeting(t *testing.T) {
	w, c, _ := webSocket(t, server.Options{Name: "a run"})
	for _, protocol := range []string{"foxglove.websocket.v1", "foxglove.sdk.v1"} {
		v := connect(t, w, protocol)
		require.Equal(t, protocol, v.Subprotocol())
		info := v.json()
		require.Equal(t,
			fields{"op": "serverInfo", "name": "a run",
				"capabilities":       []any{"clientPublish", "time"},
				"supportedEncodings": []any{"cdr", "json"},
				"metadata":           fields{"ROS_DISTRO": "humble"}},
			info)
		channels := v.json()["channels"].([]any)
		require.Len(t, channels, 3)
		require.Equal(t,
			fields{"id": 1.0, "topic": "/imu", "encoding": "cdr",
				"schemaName": "sensor_msgs/msg/Imu", "schemaEncoding": "ros2msg",
				"schema": c.Definitions.Schema(c.Topic("/imu", bridge.Down).Message)}, channels[1])
	}
	for _, protocols := range [][]string{nil, {"foxglove.websocket.v9"}} {
		_, response, err := websocket.Dial(t.Context(), "ws://"+w.Addr().String(),
			&websocket.DialOptions{Subprotocols: protocols})
		require.Error(t, err)
		require.Equal(t, http.StatusBadRequest, response.StatusCode)
		_ = response.Body.Close()
	}
}

// A client receives the channels that it has subscribed to, with the simulation time, until it
// unsubscribes.
func TestWebSocket_Subscription(t *testing.T) {
	w, c, _ := webSocket(t, server.Options{})
	v := connect(t, w, "foxglove.sdk.v1").greeted().subscribed(
		`{"op": "subscribe", "subscriptions": [{"id": 7, "channelId": 0}]}`)
	goal, imu := c.Topic("/goal", bridge.Down), c.Topic("/imu", bridge.Down)
	require.NoError(t, w.Publish(imu, 5, []byte("imu")))
	require.NoError(t, w.Publish(goal, 1<<40, []byte("goal")))
	b := v.binary(1)
	require.Equal(t, uint32(7), binary.LittleEndian.Uint32(b[1:]))
	require.Equal(t, uint64(1<<40), binary.LittleEndian.Uint64(b[5:]))
	require.Equal(t, "goal", string(b[13:]))
	w.Advance(1<<40 + 1)
	require.Equal(t, uint64(1<<40+1), binary.LittleEndian.Uint64(v.binary(2)[1:]))
	v.subscribed(`{"op": "unsubscribe", "subscriptionIds": [7]}`).subscribed(
		`{"op": "subscribe", "subscriptions": [{"id": 7, "channelId": 1}]}`)
	require.NoError(t, w.Publish(goal, 1<<41, []byte("goal")))
	require.NoError(t, w.Publish(imu, 1<<41, []byte("imu")))
	require.Equal(t, "imu", string(v.binary(1)[13:]))
	require.Zero(t, w.Dropped())
}

// A script sends events, as CDR or as JSON; the other clients receive them too.
func TestWebSocket_ClientPublishes(t *testing.T) {
	w, _, up := webSocket(t, server.Options{})
	other := connect(t, w, "foxglove.sdk.v1").greeted().subscribed(
		`{"op": "subscribe", "subscriptions": [{"id": 3, "channelId": 2}]}`)
	v := connect(t, w, "foxglove.websocket.v1").greeted()
	w.Advance(40)
	v.say(websocket.MessageText,
		`{"op": "advertise", "channels": [{"id": 1, "topic": "/on", "encoding": "cdr", "schemaName": "std_msgs/msg/Bool"},
		{"id": 2, "topic": "/on", "encoding": "json", "schemaName": "std_msgs/Bool"}]}`)
	v.say(websocket.MessageBinary, "\x01\x01\x00\x00\x00\x00\x01\x00\x00\x01")
	require.Equal(t, received{"/on", 40, []byte{0, 1, 0, 0, 1}}, <-up)
	require.Equal(t, []byte{0, 1, 0, 0, 1}, other.binary(1)[13:])
	v.say(websocket.MessageBinary, "\x01\x02\x00\x00\x00"+`{"data": true}`)
	require.Equal(t, received{"/on", 40, []byte{0, 1, 0, 0, 1}}, <-up)
	v.subscribed(`{"op": "unadvertise", "channelIds": [1]}`)
	v.say(websocket.MessageBinary, "\x01\x01\x00\x00\x00\x00\x01\x00\x00\x01")
	require.Contains(t, v.json()["message"],
		"found channel 1, expected a channel advertised by this client")
}

// A bridge of ROS 1 sends and accepts the format of ROS 1, with the names that viewers expect.
func TestWebSocket_ROS1(t *testing.T) {
	c, err := bridge.ParseConfig("c.json", []byte(strings.Replace(text, "ros2", "ros1", 1)))
	require.NoError(t, err)
	up := make(chan received, 2)
	w, err := server.ListenWebSocket("127.0.0.1:0", c, server.Options{Receive: func(topic string,
		at int64, b []byte) error {
		up <- received{topic, at, b}
		return nil
	}})
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	v := connect(t, w, "foxglove.sdk.v1")
	info := v.json()
	require.Equal(t, []any{"ros1", "json"}, info["supportedEncodings"])
	require.Equal(t, fields{"ROS_DISTRO": "noetic"}, info["metadata"])
	on := v.json()["channels"].([]any)[2]
	require.Equal(t,
		fields{"id": 2.0, "topic": "/on", "encoding": "ros1", "schemaName": "std_msgs/Bool",
			"schemaEncoding": "ros1msg", "schema": "bool data\n"}, on)
	v.say(websocket.MessageText,
		`{"op": "advertise", "channels": [{"id": 1, "topic": "/on", "encoding": "ros1", "schemaName": "std_msgs/Bool"},
		{"id": 2, "topic": "/on", "encoding": "json", "schemaName": "std_msgs/Bool"}]}`)
	v.say(websocket.MessageBinary, "\x01\x01\x00\x00\x00\x01")
	require.Equal(t, received{"/on", 0, []byte{1}}, <-up)
	v.say(websocket.MessageBinary, "\x01\x02\x00\x00\x00"+`{"data": true}`)
	require.Equal(t, received{"/on", 0, []byte{1}}, <-up)
	v.say(websocket.MessageText,
		`{"op": "advertise", "channels": [{"id": 3, "topic": "/on", "encoding": "cdr", `+
			`"schemaName": "std_msgs/Bool"}]}`)
	require.Contains(t, v.json()["message"], `found encoding "cdr", expected ros1 or json`)
}

// Errors are reported to the client, which stays connected.
func TestWebSocket_Refuses(t *testing.T) {
	w, _, _ := webSocket(t, server.Options{})
	v := connect(t, w, "foxglove.websocket.v1").greeted()
	subscribe := func(id, channel string) string {
		return `{"op": "subscribe", "subscriptions": [{"id": ` + id + `, "channelId": ` + channel +
			`}]}`
	}
	advertise := func(rest string) string {
		return `{"op": "advertise", "channels": [{"id": 1, ` + rest + `}]}`
	}
	v.subscribed(subscribe("1", "0")).subscribed(
		advertise(`"topic": "/on", "encoding": "cdr", "schemaName": "std_msgs/Bool"`)).
		subscribed(
			`{"op": "advertise", "channels": [{"id": 5, "topic": "/on", "encoding": "json", ` +
				`"schemaName": "std_msgs/Bool"}]}`)
	for _, c := range []struct {
		kind       websocket.MessageType
		sent, said string
	}{
		{websocket.MessageText, `{`,
			"byte 0: message of a client refused: found text that cannot be parsed"},
		{websocket.MessageText, `{} {}`, "found more text, expected one JSON object"},
		{websocket.MessageText, `{"op": "getParameters"}`,
			`op: message of a client refused: found "getParameters", expected subscribe`},
		{websocket.MessageText, subscribe("2", "3"),
			"subscription 2: message of a client refused: found channel 3, expected one of the 3"},
		{websocket.MessageText, subscribe("2", "-1"), "cannot unmarshal number -1"},
		{websocket.MessageText, subscribe("2", "0"), "found a second subscription of channel 0"},
		{websocket.MessageText, subscribe("1", "1"),
			"subscription 1: message of a client refused: found an id that is already in use"},
		{websocket.MessageText, `{"op": "unsubscribe", "subscriptionIds": [9]}`,
			"found subscription 9, expected a channel of this client"},
		{websocket.MessageText, `{"op": "unadvertise", "channelIds": [9]}`, "found channel 9"},
		{websocket.MessageText, advertise(`"topic": "/on"`), "found an id that is already in use"},
		{websocket.MessageText, strings.Replace(advertise(`"topic": "/goal"`), "1,", "2,", 1),
			`found topic "/goal", expected one that the configuration has with direction up`},
		{websocket.MessageText, strings.Replace(advertise(`"topic": "/on", "encoding": "ros1"`),
			"1,", "2,", 1), `found encoding "ros1", expected cdr or json`},
		{websocket.MessageText,
			strings.Replace(
				advertise(`"topic": "/on", "encoding": "cdr", "schemaName": "std_msgs/Int8"`), "1,",
				"2,", 1), `found type "std_msgs/Int8", expected std_msgs/msg/Bool`},
		{websocket.MessageBinary, "",
			"byte 0: message of a client refused: found an empty message"},
		{websocket.MessageBinary, "\x02", "found code 2, expected 1"},
		{websocket.MessageBinary, "\x01\x00", "byte 2: message of a client refused: found 2 bytes"},
		{websocket.MessageBinary, "\x01\x09\x00\x00\x00",
			"byte 1: message of a client refused: found channel 9"},
		{websocket.MessageBinary, "\x01\x01\x00\x00\x00\x00\x01\x00\x00\x02",
			"std_msgs/Bool.data: byte 4: bad CDR: found a bool of 2"},
		{websocket.MessageBinary, "\x01\x05\x00\x00\x00[]",
			"/on: message of a client refused: found data that cannot be parsed"},
		{websocket.MessageBinary, "\x01\x05\x00\x00\x00" + `{"data": 3}`,
			"topic /on: std_msgs/Bool.data: bad value: found 3, expected true or false"},
	} {
		v.say(c.kind, c.sent)
		answer := v.json()
		require.Equal(t, "status", answer["op"])
		require.Equal(t, 2.0, answer["level"])
		require.Contains(t, answer["message"], c.said, c.sent)
	}
}

// A client that does not read loses the oldest messages, which are counted, with one warning.
// Neither such a client nor one that has disconnected blocks the others.
func TestWebSocket_SlowAndLostClients(t *testing.T) {
	var warnings []string
	w, c, _ := webSocket(t, server.Options{Queue: 4, Warn: func(s string) {
		warnings = append(warnings, s)
	}})
	lost := connect(t, w, "foxglove.sdk.v1").greeted().subscribed(
		`{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 0}]}`)
	require.NoError(t, lost.CloseNow())
	slow := connect(t, w, "foxglove.sdk.v1").greeted().subscribed(
		`{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 0}]}`)
	large := make([]byte, 1<<20) // far more than the system's buffers hold
	for k := range 200 {
		require.NoError(t, w.Publish(c.Topic("/goal", bridge.Down), int64(k), large))
	}
	require.Positive(t, w.Dropped())
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], "is too slow: more than 4 messages waited for it")
	said, newest := false, uint64(0)
	for newest < 199 {
		kind, b, err := slow.Read(t.Context())
		require.NoError(t, err)
		switch {
		case kind == websocket.MessageText:
			said = true
			require.Contains(t, string(b), "this client is too slow")
		case b[0] == 1:
			newest = binary.LittleEndian.Uint64(b[5:])
		}
	}
	require.True(t, said,
		"the client receives the newest messages and a notice that others were dropped")
}

// A viewer may repeatedly be a second behind a topic of 1 kHz without losing messages.
func TestWebSocket_ClientAt1kHzLosesNothing(t *testing.T) {
	w, c, _ := webSocket(t, server.Options{})
	v := connect(t, w, "foxglove.sdk.v1").greeted().subscribed(
		`{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 1}]}`)
	const second = 1000
	for k := range 10 * second {
		require.NoError(t, w.Publish(c.Topic("/imu", bridge.Down), int64(k), make([]byte, 316)))
		if k%second < second-1 {
			continue
		}
		for at := k - second + 1; at <= k; at++ {
			require.Equal(t, uint64(at), binary.LittleEndian.Uint64(v.binary(1)[5:]))
		}
	}
	require.Zero(t, w.Dropped())
}

// Queued messages are sent before the end, and the client gets a proper close.
func TestWebSocket_CloseSendsWhatWaits(t *testing.T) {
	c := config(t)
	w, err := server.ListenWebSocket("127.0.0.1:0", c, server.Options{Farewell: time.Minute})
	require.NoError(t, err)
	v := connect(t, w, "foxglove.sdk.v1").greeted().subscribed(
		`{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 1}]}`)
	const many = 1000 // a second at 1 kHz fits into the queue
	for k := range many {
		require.NoError(t, w.Publish(c.Topic("/imu", bridge.Down), int64(k), make([]byte, 316)))
	}
	var closing sync.WaitGroup
	closing.Go(func() { _ = w.Close() })
	for k := range many {
		require.Equal(t, uint64(k), binary.LittleEndian.Uint64(v.binary(1)[5:]))
	}
	for err == nil {
		_, _, err = v.Read(t.Context())
	}
	require.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err))
	closing.Wait()
	require.Zero(t, w.Dropped())
	require.ErrorIs(t, w.Publish(&bridge.Topic{Name: "/other"}, 0, nil), bridge.ErrMessage)
}

// Servers that cannot be started.
func TestListen_Refuses(t *testing.T) {
	_, err := server.ListenWebSocket("nowhere", config(t), server.Options{})
	require.ErrorContains(t, err, "listen at nowhere")
	_, err = server.ListenTCP("nowhere", config(t), server.Options{})
	require.ErrorContains(t, err, "listen at nowhere")
}

// The viewers' own libraries, from Foxglove and Lichtblick, verify the protocol: the client
// connects, subscribes, decodes schemas and messages with its own reader, and publishes.
// testdata/client.js lists its requirements.
func TestWebSocket_InTheLibraryOfViewers(t *testing.T) {
	modules := os.Getenv("GOSMP_NODE_MODULES")
	if modules == "" {
		t.Skip("GOSMP_NODE_MODULES does not name a folder with @foxglove/ws-protocol")
	}
	node, err := exec.LookPath("node")
	require.NoError(t, err)
	script, err := filepath.Abs(filepath.Join("testdata", "client.js"))
	require.NoError(t, err)
	for protocol, scope := range map[string]string{"foxglove.websocket.v1": "@lichtblick",
		"foxglove.sdk.v1": "@foxglove"} {
		w, c, up := webSocket(t, server.Options{Name: "judge"})
		imu := c.Topic("/imu", bridge.Down)
		b, err := c.Definitions.Encode(imu.Message,
			fields{"header": fields{"stamp": fields{"sec": 1, "nanosec": 500000000},
				"frame_id": "imu"},
				"linear_acceleration": fields{"x": 1.5, "z": 9.80665}}, false)
		require.NoError(t, err)
		command := exec.CommandContext(t.Context(), node, script, "ws://"+w.Addr().String(),
			protocol, scope)
		command.Env = append(os.Environ(), "NODE_PATH="+modules)
		var out strings.Builder
		command.Stdout, command.Stderr = &out, &out
		require.NoError(t, command.Start())
		ended := make(chan error, 1)
		go func() { ended <- command.Wait() }()
		select {
		case event := <-up: // it has subscribed before
			require.Equal(t, received{"/on", 0, []byte{0, 1, 0, 0, 1}}, event)
		case err := <-ended:
			require.NoError(t, err, out.String())
		}
		w.Advance(1_500_000_000)
		require.NoError(t, w.Publish(imu, 1_500_000_000, b))
		require.NoError(t, <-ended, out.String())
		require.Equal(t,
			"judge clientPublish,time\n/goal,/imu,/on\ntime 1500000000\n1500000000 1.5 imu "+
				"{\"x\":1.5,\"y\":0,\"z\":9.80665}\n", out.String())
	}
}
