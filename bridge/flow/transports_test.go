package flow_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/flow"
	"gosmp/bridge/server"
	"gosmp/timebase"
	"gosmp/trace/mcap"
)

// goals sends the messages of the scenario.
func goals(t *testing.T, f *flow.Flow) {
	t.Helper()
	for k := range 3 {
		data := map[string]any{"header": map[string]any{"frame_id": strings.Repeat("m", k)},
			"pose": map[string]any{"position": map[string]any{"x": float64(k) + 0.5}}}
		require.NoError(t, f.Emit(timebase.Time(k)*20*timebase.Millisecond, "goal", data))
	}
}

// carried is a message as it arrives at the other end of a transport.
type carried struct {
	time  int64
	bytes []byte
}

// The messages of a scenario are the same with each transport.
func TestFlow_EachTransportCarriesTheSame(t *testing.T) {
	all := map[string][]carried{}

	f := open(t, `{"kind": "loopback"}`)
	goals(t, f)
	events, err := f.Arrived()
	require.NoError(t, err)
	goal := f.Config().Topic("/goal", bridge.Down).Message
	for _, e := range events {
		b, err := f.Config().Definitions.Encode(goal, e.Data, false)
		require.NoError(t, err)
		all["loopback"] = append(all["loopback"], carried{int64(e.Time), b})
	}
	require.NoError(t, f.Close())

	file := filepath.Join(t.TempDir(), "a.mcap")
	f = open(t, `{"kind": "mcap", "path": "`+filepath.ToSlash(file)+`"}`)
	goals(t, f)
	require.NoError(t, f.Close())
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	r, err := mcap.Open(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	for m, err := range r.Messages(mcap.Query{}) {
		require.NoError(t, err)
		all["mcap"] = append(all["mcap"], carried{int64(m.LogTime), bytes.Clone(m.Data)})
	}

	f = open(t, `{"kind": "tcp", "address": "127.0.0.1:0"}`)
	c, err := server.Dial(t.Context(), f.Address())
	require.NoError(t, err)
	require.NoError(t, c.Choose("/goal"))
	_, _, err = c.Next()
	require.NoError(t, err)
	goals(t, f)
	for len(all["tcp"]) < 3 {
		list, _, err := c.Next()
		require.NoError(t, err)
		for _, m := range list {
			all["tcp"] = append(all["tcp"], carried{int64(m.GetTimeMs() * 1e6), m.GetCdr()})
		}
	}
	require.NoError(t, c.Close())
	require.NoError(t, f.Close())

	f = open(t, `{"kind": "websocket", "address": "127.0.0.1:0"}`)
	v, response, err := websocket.Dial(t.Context(), f.Address(),
		&websocket.DialOptions{Subprotocols: []string{"foxglove.sdk.v1"}})
	require.NoError(t, err)
	if response.Body != nil {
		_ = response.Body.Close()
	}
	// The server answers a wrong request after the subscription: by then it has subscribed.
	for _, text := range []string{
		`{"op": "subscribe", "subscriptions": [{"id": 7, "channelId": 0}]}`, `{"op": "done?"}`} {
		require.NoError(t, v.Write(t.Context(), websocket.MessageText, []byte(text)))
	}
	for subscribed := false; !subscribed; {
		_, b, err := v.Read(t.Context())
		require.NoError(t, err)
		subscribed = strings.Contains(string(b), "done?")
	}
	goals(t, f)
	for len(all["websocket"]) < 3 {
		_, b, err := v.Read(t.Context())
		require.NoError(t, err)
		if b[0] == 1 {
			all["websocket"] = append(all["websocket"],
				carried{int64(binary.LittleEndian.Uint64(b[5:])), b[13:]})
		}
	}
	require.NoError(t, v.CloseNow())
	require.NoError(t, f.Close())

	require.Len(t, all["loopback"], 3)
	for transport, list := range all {
		require.Equal(t, all["loopback"], list, transport)
	}
}
