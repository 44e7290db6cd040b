package server_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/server"
)

// rawClient is a WebSocket client that sends any bytes.
type rawClient struct {
	net.Conn
	in *bufio.Reader
}

func connectRaw(t testing.TB, w *server.WebSocket) *rawClient {
	t.Helper()
	conn, err := net.Dial("tcp", w.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"+
		"Connection: Upgrade\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n")
	require.NoError(t, err)
	c := &rawClient{conn, bufio.NewReader(conn)}
	answer, err := http.ReadResponse(c.in, nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusSwitchingProtocols, answer.StatusCode)
	return c
}

// closed reads frames until the server closes the connection, and returns the code of its close
// frame, or 0 if there was none. It answers nothing.
func (c *rawClient) closed(t testing.TB) int {
	t.Helper()
	for {
		var head [2]byte
		if _, err := io.ReadFull(c.in, head[:]); err != nil {
			return 0
		}
		n := uint64(head[1])
		if size := map[uint64]int{126: 2, 127: 8}[n]; size > 0 {
			long := make([]byte, 8)
			_, err := io.ReadFull(c.in, long[8-size:])
			require.NoError(t, err)
			n = binary.BigEndian.Uint64(long)
		}
		payload := make([]byte, n)
		_, err := io.ReadFull(c.in, payload)
		require.NoError(t, err)
		if head[0] == 0x88 {
			require.GreaterOrEqual(t, len(payload), 2)
			return int(binary.BigEndian.Uint16(payload))
		}
	}
}

// frame returns a frame with a mask of zeros.
func frame(head byte, payload string) string {
	n := len(payload)
	switch {
	case n < 126:
		return string([]byte{head, 0x80 | byte(n), 0, 0, 0, 0}) + payload
	case n < 1<<16:
		return string([]byte{head, 0x80 | 126, byte(n >> 8), byte(n), 0, 0, 0, 0}) + payload
	}
	long := binary.BigEndian.AppendUint64([]byte{head, 0x80 | 127}, uint64(n))
	return string(append(long, 0, 0, 0, 0)) + payload
}

// Each violation of RFC 6455 is answered with the code that section 7.4.1 defines for it, and does
// not affect other clients.
func TestWebSocket_ViolationsHaveTheirCodes(t *testing.T) {
	w, _, _ := webSocket(t, server.Options{})
	other := connect(t, w, "foxglove.sdk.v1").greeted()
	const negative = "\xFF\x80" + "\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00"
	const subscribe = `{"op":"subscribe","subscriptions":[]}`
	for name, c := range map[string]struct {
		sent string
		code int
	}{
		"unmasked text":                 {"\x81\x02{}", 1002},
		"unmasked ping":                 {"\x89\x00", 1002},
		"first reserved bit":            {frame(0xC1, subscribe), 1002},
		"second reserved bit":           {frame(0xA1, subscribe), 1002},
		"third reserved bit":            {frame(0x91, subscribe), 1002},
		"opcode 3":                      {frame(0x83, subscribe), 1002},
		"opcode 7":                      {frame(0x87, subscribe), 1002},
		"opcode 11":                     {frame(0x8B, subscribe), 1002},
		"opcode 15":                     {frame(0x8F, subscribe), 1002},
		"fragmented ping":               {frame(0x09, "x"), 1002},
		"fragmented close":              {frame(0x08, ""), 1002},
		"long ping":                     {frame(0x89, strings.Repeat("x", 126)), 1002},
		"continuation of nothing":       {frame(0x80, subscribe), 1002},
		"text within a text":            {frame(0x01, "{") + frame(0x81, subscribe), 1002},
		"reserved bit in a fragment":    {frame(0x01, "{") + frame(0xA0, "}"), 1002},
		"unmasked fragment":             {frame(0x01, "{") + "\x80\x01}", 1002},
		"close with one byte":           {frame(0x88, "\x03"), 1002},
		"close with code 999":           {frame(0x88, "\x03\xE7"), 1002},
		"close with code 1005":          {frame(0x88, "\x03\xED"), 1002},
		"close with code 5000":          {frame(0x88, "\x13\x88"), 1002},
		"negative length":               {"\x81" + negative, 1002},
		"negative length of a ping":     {"\x89" + negative, 1002},
		"text that is not UTF-8":        {frame(0x81, "{\"op\":\"\xC3\x28\"}"), 1007},
		"surrogate in a text":           {frame(0x81, "{\"op\":\"\xED\xA0\x80\"}"), 1007},
		"text cut within a character":   {frame(0x81, "{\"op\":\"\xE2\x82"), 1007},
		"long text that is not UTF-8":   {frame(0x81, strings.Repeat("x", 100_000)+"\xFF"), 1007},
		"too long":                      {frame(0x82, strings.Repeat("x", 1<<20+1<<10+1)), 1009},
		"too long in fragments":         {tooLong(), 1009},
		"negative length of a fragment": {frame(0x01, strings.Repeat("x", 70_000)) + "\x80" + negative, 1002},
	} {
		t.Run(name, func(t *testing.T) {
			raw := connectRaw(t, w)
			go func() { _, _ = io.WriteString(raw, c.sent) }()
			require.Equal(t, c.code, raw.closed(t))
		})
	}
	raw := connectRaw(t, w)
	_, err := io.WriteString(raw, frame(0x01, "{\"op\":\"\xE2\x82")+frame(0x89, "ping")+
		frame(0x80, "\xAC\"}")+frame(0x88, "\x03\xE8"))
	require.NoError(t, err)
	require.Equal(t, 1000, raw.closed(t), "a character may be divided between frames")
	other.say(1, `{"op":"none"}`)
	require.Equal(t, "status", other.json()["op"], "other clients are served")
}

// tooLong returns fragments that are short, but together longer than a message may be.
func tooLong() string {
	part := strings.Repeat("x", 1<<16)
	return frame(0x02, part) + strings.Repeat(frame(0x00, part), 16) + frame(0x80, part)
}

// TestWebSocket_EndlessFrame: a client that announces an endless frame, and sends no more than the
// limit of a message, is disconnected; neither its place nor the end of the server waits for it.
func TestWebSocket_EndlessFrame(t *testing.T) {
	w, err := server.ListenWebSocket("127.0.0.1:0", config(t), server.Options{})
	require.NoError(t, err)
	for range 2 {
		c := connectRaw(t, w)
		head := binary.BigEndian.AppendUint64([]byte{0x82, 0x80 | 127}, 1<<62)
		_, err = c.Write(append(head, make([]byte, 4+2<<20)...))
		require.NoError(t, err)
		c.closed(t)
		_, err = io.Copy(io.Discard, c.in) // until the server closes the connection
		if err != nil {
			require.NotErrorIs(t, err, io.ErrUnexpectedEOF)
		}
	}
	c := connectRaw(t, w) // and one that does not read the close frame at the end
	_, err = c.Write(binary.BigEndian.AppendUint64([]byte{0x82, 0x80 | 127}, 1<<62))
	require.NoError(t, err)
	require.NoError(t, w.Close())
}
