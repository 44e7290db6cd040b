package server_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/server"
	"gosmp/simapi"
)

func tcp(t testing.TB, o server.Options) (*server.TCP, *bridge.Config, chan received) {
	t.Helper()
	c, up := config(t), make(chan received, 100)
	o.Farewell = time.Minute // on a busy machine a client may be slow
	o.Receive = func(topic string, timeNs int64, b []byte) error {
		if err := c.Definitions.Verify(c.Topic(topic, bridge.Up).Message, b); err != nil {
			return err
		}
		up <- received{topic, timeNs, b}
		return nil
	}
	s, err := server.ListenTCP("127.0.0.1:0", c, o)
	require.NoError(t, err)
	return s, c, up
}

func dial(t testing.TB, s *server.TCP, topics ...string) *server.Client {
	t.Helper()
	c, err := server.Dial(t.Context(), s.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.Choose(topics...))
	list, _, err := c.Next()
	require.NoError(t, err)
	require.Empty(t, list)
	return c
}

// messages returns the next n messages.
func messages(t testing.TB, c *server.Client, n int) (all []*simapi.Message) {
	t.Helper()
	for len(all) < n {
		list, dropped, err := c.Next()
		require.NoError(t, err)
		require.Zero(t, dropped)
		all = append(all, list...)
	}
	return all
}

// Messages go both ways; a client receives the topics that it has chosen, including what others
// have sent.
func TestTCP_BothWays(t *testing.T) {
	s, c, up := tcp(t, server.Options{})
	all, some := dial(t, s), dial(t, s, "/goal", "/on")
	require.NoError(t, s.Publish(c.Topic("/imu", bridge.Down), 20_500_000, []byte("imu")))
	require.NoError(t, s.Publish(c.Topic("/goal", bridge.Down), 20_500_000, []byte("goal")))
	got := messages(t, all, 2)
	require.Equal(t, "/imu sensor_msgs/Imu imu", got[0].GetTopic()+" "+got[0].GetType()+" "+
		string(got[0].GetCdr()))
	require.InDelta(t, 20.5, got[1].GetTimeMs(), 1e-9)
	require.Equal(t, "/goal", messages(t, some, 1)[0].GetTopic())
	require.NoError(t, all.Send(&simapi.Message{Topic: "/on", Type: "std_msgs/Bool", Cdr: []byte{0,
		1, 0, 0, 1}}))
	require.Equal(t, received{"/on", 20_500_000, []byte{0, 1, 0, 0, 1}}, <-up)
	require.Equal(t, "/on", messages(t, some, 1)[0].GetTopic())
	list, _, err := all.Next()
	require.NoError(t, err)
	require.Empty(t, list, "the answer")
	require.NoError(t, s.Publish(c.Topic("/imu", bridge.Down), 30_000_000, []byte("last")))
	require.NoError(t, s.Close())
	require.Equal(t, "last", string(messages(t, all, 1)[0].GetCdr()),
		"what waits is sent before the end")
	_, _, err = all.Next()
	require.ErrorIs(t, err, io.EOF)
}

// The server reports a wrong request and keeps the connection, unless it cannot locate the next
// frame.
func TestTCP_Refuses(t *testing.T) {
	s, _, _ := tcp(t, server.Options{})
	defer func() { _ = s.Close() }()
	c := dial(t, s)
	for said, m := range map[string]*simapi.Message{
		`message[0]: message of a client refused: found topic "/goal", expected one that the ` +
			`configuration has with direction up`: {Topic: "/goal"},
		`found type "", expected std_msgs/Bool`: {Topic: "/on"},
		"message[0]: std_msgs/Bool.data: byte 4: bad CDR: found 0 bytes": {Topic: "/on",
			Type: "std_msgs/Bool", Cdr: []byte{0, 1, 0, 0}},
		"message[0]: std_msgs/Bool: byte 0: bad CDR: found representation ": {Topic: "/on",
			Type: "std_msgs/Bool", Cdr: []byte{7, 7, 0, 0}},
	} {
		require.NoError(t, c.Send(m))
		_, _, err := c.Next()
		require.ErrorIs(t, err, server.ErrClient)
		require.ErrorContains(t, err, said)
	}
	require.NoError(t, c.Choose("/other"))
	_, _, err := c.Next()
	require.ErrorContains(t, err, `found topic "/other", expected one of the configuration`)
	raw, err := net.Dial("tcp", s.Addr().String())
	require.NoError(t, err)
	defer func() { _ = raw.Close() }()
	for method, body := range map[simapi.Method]string{simapi.Method_INIT: "",
		simapi.Method_SEND_MESSAGES: "\xff", simapi.Method_GET_MESSAGES: "\xff"} {
		b, err := simapi.AppendFrame(nil, &simapi.Frame{Id: 9, Method: method, Body: []byte(body)})
		require.NoError(t, err)
		_, err = raw.Write(b)
		require.NoError(t, err)
		var answer simapi.Frame
		require.NoError(t, simapi.NewFrameReader(raw).Next(&answer))
		require.Equal(t, simapi.Code_INVALID, answer.GetStatus().GetCode())
		require.Equal(t, uint64(9), answer.GetId())
		require.Contains(t, answer.GetStatus().GetMessage(), method.Word()+
			": message of a client refused")
	}
	_, err = raw.Write([]byte("\xff\xff\xff\xff"))
	require.NoError(t, err)
	_, err = io.ReadAll(raw)
	require.NoError(t, err, "a frame without end ends the connection")
}

// A client whose calls are refused again and again is disconnected, unless one of them is accepted.
func TestTCP_RefusedAgainAndAgain(t *testing.T) {
	warned := make(chan string, 1)
	s, _, _ := tcp(t, server.Options{Warn: func(text string) { warned <- text }})
	defer func() { _ = s.Close() }()
	c := dial(t, s)
	for k, accepted := 0, false; ; k++ {
		require.Less(t, k, 3_000)
		if k == 900 {
			require.NoError(t, c.Choose("/goal"))
			_, _, err := c.Next()
			require.NoError(t, err)
			accepted = true
		}
		err := c.Choose("/other")
		if err == nil {
			_, _, err = c.Next()
		}
		if !errors.Is(err, server.ErrClient) {
			require.Error(t, err)
			require.True(t, accepted)
			require.GreaterOrEqual(t, k, 1_900)
			require.Equal(t, "client turned away: too many messages had to be refused", <-warned)
			return
		}
	}
}

// A client that does not read loses messages and never blocks the publisher.
// A client that neither sends nor gets anything loses its place.
func TestTCP_ClosesIdleClients(t *testing.T) {
	s, _, _ := tcp(t, server.Options{Idle: time.Millisecond})
	conn, err := net.Dial("tcp", s.Addr().String())
	require.NoError(t, err)
	_, err = io.ReadAll(conn) // returns when the server has closed it
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

func TestTCP_SlowClient(t *testing.T) {
	warnings := 0
	s, c, _ := tcp(t, server.Options{Queue: 4, Warn: func(string) { warnings++ }})
	client := dial(t, s)
	large := make([]byte, 1<<20)
	for k := range 200 {
		require.NoError(t, s.Publish(c.Topic("/goal", bridge.Down), int64(k)*1_000_000, large))
	}
	require.Equal(t, 1, warnings)
	got, lost := 0, uint64(0)
	for newest := 0.0; newest < 199; {
		list, dropped, err := client.Next()
		require.NoError(t, err)
		got, lost = got+len(list), lost+dropped
		for _, m := range list {
			newest = m.GetTimeMs()
		}
	}
	require.Equal(t, s.Dropped(), lost, "the client gets the count")
	require.EqualValues(t, 200, uint64(got)+lost)
	require.NoError(t, s.Close())
}

// Large messages that each fill a frame are sent in separate frames, and those that fit into no
// frame are dropped; the client stays connected.
func TestTCP_LargeMessages(t *testing.T) {
	s, c, _ := tcp(t, server.Options{})
	client := dial(t, s)
	large := make([]byte, simapi.LargestFrame-1000)
	var got []int
	lost := uint64(0)
	next := func() {
		list, dropped, err := client.Next()
		require.NoError(t, err)
		for _, m := range list {
			got = append(got, len(m.GetCdr()))
		}
		lost += dropped
	}
	for n, size := range []int{1000, len(large), simapi.LargestFrame, 5} {
		require.NoError(t, s.Publish(c.Topic("/goal", bridge.Down), 1_000_000,
			append(large, make([]byte, 1000)...)[:size]))
		// all of them together would be more than may wait
		for size < simapi.LargestFrame && len(got) < min(n+1, 3) {
			next()
		}
	}
	for lost == 0 {
		next()
	}
	require.EqualValues(t, 1, lost)
	require.Equal(t, []int{1000, len(large), 5}, got)
	require.NoError(t, s.Close())
}
