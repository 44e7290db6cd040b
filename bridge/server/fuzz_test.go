package server

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/simapi"
)

// Whatever a client sends, the server answers with valid statuses and passes on only messages that
// can be decoded.
func FuzzClient(f *testing.F) {
	f.Add([]byte(`{"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 0}]}`),
		[]byte("\x01\x01\x00\x00\x00\x00\x01\x00\x00\x01"), false)
	f.Add(
		[]byte(
			`{"op": "advertise", "channels": [{"id": 1, "topic": "/on", "encoding": "json", `+
				`"schemaName": "std_msgs/Bool"}]}`),
		[]byte("\x01\x01\x00\x00\x00{\"data\": true}"), false)
	f.Add([]byte(`{"op": "unsubscribe", "subscriptionIds": [1]}`), []byte("\x0a\x00"), true)
	c, err := bridge.ParseConfig("c.json", []byte(`{"bridge": 1, "system": "ros2", "messages": [
		{"topic": "/on", "type": "std_msgs/Bool", "direction": "up", "vehicle": "sut", "event": "on"}]}`))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, request, data []byte, overTCP bool) {
		h := newHub(c, Options{Receive: func(topic string, _ int64, b []byte) error {
			return c.Definitions.Verify(c.Topic(topic, bridge.Up).Message, b)
		}})
		if overTCP {
			s := newStream(h, "client")
			s.handle(&simapi.Frame{Method: simapi.Method_GET_MESSAGES, Body: request})
			s.handle(&simapi.Frame{Method: simapi.Method_SEND_MESSAGES, Body: data})
			require.Equal(t, 2, s.member.queue.count, "each call has an answer")
			return
		}
		s := newSession(h, "client")
		s.handle(false,
			[]byte(
				`{"op": "advertise", "channels": [{"id": 0, "topic": "/on", "encoding": "cdr", `+
					`"schemaName": "std_msgs/Bool"}]}`))
		s.handle(false, request)
		s.handle(true, data)
		s.member.queue.close()
		var p portion
		s.member.queue.take(&p)
		for _, i := range p.items {
			require.Equal(t, -1, i.topic)
			require.True(t, json.Valid(i.data))
		}
	})
}
