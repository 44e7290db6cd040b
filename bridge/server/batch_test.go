package server

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/bridge"
	"gosmp/simapi"
)

// caller is a client of a TCP server that runs on the clock of a test.
type caller struct {
	t      *testing.T
	conn   net.Conn
	frames *simapi.FrameReader
}

// newCaller starts a server for messages on the topic /on.
func newCaller(t *testing.T) (c caller, stop func()) {
	config, err := bridge.ParseConfig("c.json", []byte(`{"bridge": 1, "system": "ros2",
		"messages": [{"topic": "/on", "type": "std_msgs/Bool", "direction": "up",
			"vehicle": "sut", "event": "on"}]}`))
	require.NoError(t, err)
	server := &TCP{hub: newHub(config, Options{
		Receive: func(string, int64, []byte) error { return nil }})}
	client, far := net.Pipe()
	server.accepted.Go(func() { server.serve(far) })
	return caller{t, client, simapi.NewFrameReader(client)}, func() {
		require.NoError(t, client.Close())
		server.accepted.Wait()
	}
}

// call makes a call and returns the status of its answer.
func (c caller) call(m simapi.Method, request proto.Message) *simapi.Status {
	body, err := proto.Marshal(request)
	require.NoError(c.t, err)
	b, err := simapi.AppendFrame(nil, &simapi.Frame{Method: m, Body: body})
	require.NoError(c.t, err)
	_, err = c.conn.Write(b)
	require.NoError(c.t, err)
	var answer simapi.Frame
	require.NoError(c.t, c.frames.Next(&answer))
	require.Equal(c.t, m, answer.GetMethod())
	return answer.GetStatus()
}

// copies returns a call with a small message, several times.
func copies(n int) *simapi.SendMessages {
	list := &simapi.SendMessages{}
	for range n {
		list.Message = append(list.Message, &simapi.Message{Topic: "/on", Type: "std_msgs/Bool",
			Cdr: []byte{0, 1, 0, 0, 1}})
	}
	return list
}

// TestTCP_EachMessageHasItsPrice: many small messages in few frames are no faster than many frames.
func TestTCP_EachMessageHasItsPrice(t *testing.T) {
	const messages = 4 * rateIn / costIn // the price of the first second has been saved
	synctest.Test(t, func(t *testing.T) {
		c, stop := newCaller(t)
		defer stop()
		begin := time.Now()
		for range messages / mostInCall {
			require.Zero(t, c.call(simapi.Method_SEND_MESSAGES, copies(mostInCall)).GetCode())
		}
		require.Greater(t, time.Since(begin), 2500*time.Millisecond)
	})
}

// TestTCP_LimitsCalls: a call has no more messages than can wait, and no more topics unless the
// configuration has more. More are refused before they are decoded, and the connection stays open.
func TestTCP_LimitsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, stop := newCaller(t)
		defer stop()
		topics := make([]string, mostInCall+1)
		for _, one := range []struct {
			method  simapi.Method
			request proto.Message
			text    string
		}{
			{simapi.Method_SEND_MESSAGES, copies(mostInCall + 1),
				"found more than 1024 messages in a call, expected several calls, each with fewer"},
			{simapi.Method_GET_MESSAGES, &simapi.GetMessages{Topic: topics},
				"found more than 1024 topics in a call, expected each topic once"},
			{99, copies(mostInCall + 1), "a call that a bridge does not support"},
		} {
			status := c.call(one.method, one.request)
			require.Equal(t, simapi.Code_INVALID, status.GetCode())
			require.Contains(t, status.GetMessage(), one.text)
		}
		require.Zero(t, c.call(simapi.Method_SEND_MESSAGES, copies(1)).GetCode())
	})
}
