package bridge_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
)

// Recorders of ROS 2 store the definition of a service as the schema of its events.
func TestReadSchema_EventsOfAService(t *testing.T) {
	d, m, err := bridge.ReadSchema("ros2msg", "own/srv/Add_Event",
		[]byte("int64 a # ---\n---\r\nint64 sum\n"))
	require.NoError(t, err)
	data := bytes.Join([][]byte{
		{0, 1, 0, 0}, {2, 0, 0, 0}, {7, 0, 0, 0}, {8, 0, 0, 0}, // little endian; kind, time
		bytes.Repeat([]byte{9}, 16), {0, 0, 0, 0}, // client
		{1, 0, 0, 0, 0, 0, 0, 0},                                     // number
		{1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, // a request, no response
	}, nil)
	value, err := d.Decode(m, data)
	require.NoError(t, err)
	require.JSONEq(t, `{"info":{"event_type":2,"stamp":{"sec":7,"nanosec":8},"client_gid":
		[9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9],"sequence_number":1},"request":[{"a":5}],"response":[]}`,
		string(d.AppendJSON(nil, m, value)))

	_, _, err = bridge.ReadSchema("ros2msg", "own/srv/Nothing_Event", []byte("---\n"))
	require.NoError(t, err)
	_, _, err = bridge.ReadSchema("ros2msg", "own/msg/Add", []byte("int64 a\n---\nint64 sum\n"))
	require.ErrorIs(t, err, bridge.ErrDefinition)
}
