package server

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/bridge"
)

// maskedFrame returns a frame of a client, with a mask of zeros.
func maskedFrame(head byte, payload string) string {
	n := len(payload)
	b := []byte{head, 0x80 | byte(n)}
	switch {
	case n >= 1<<16:
		b = binary.BigEndian.AppendUint64([]byte{head, 0x80 | 127}, uint64(n))
	case n >= 126:
		b = binary.BigEndian.AppendUint16([]byte{head, 0x80 | 126}, uint16(n))
	}
	return string(append(b, 0, 0, 0, 0)) + payload
}

// TestFrameScan counts frames of all lengths, wherever the network divides them.
func TestFrameScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOf(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(120, 130),
			rapid.IntRange(65_530, 65_540))).Draw(t, "lengths")
		var all strings.Builder
		for _, n := range lengths {
			all.WriteString(maskedFrame(0x82, strings.Repeat("\x89", n)))
		}
		var s frameScan
		sum := 0
		for b := []byte(all.String()); len(b) > 0; {
			n := min(len(b), rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1, 70_000)).
				Draw(t, "part"))
			sum += s.count(b[:n])
			b = b[n:]
		}
		require.Equal(t, len(lengths), sum)
	})
}

// pipes is a listener whose clients are in the same process.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// flooded is a client of a server in a test with a clock of its own. Other clients, which are not
// there, have their shares.
func flooded(t *testing.T, others int64) (*WebSocket, net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := bridge.ParseConfig("c.json", []byte(
		`{"bridge": 1, "system": "ros2", "messages": []}`))
	require.NoError(t, err)
	h, l := newHub(c, Options{}), pipes{make(chan net.Conn), make(chan struct{})}
	h.present.Add(others)
	w := serveWebSocket(h, l)
	client, far := net.Pipe()
	l.conns <- far
	_, err = io.WriteString(client, "GET / HTTP/1.1\r\nHost: localhost\r\n"+
		"Upgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n")
	require.NoError(t, err)
	in := bufio.NewReader(client)
	answer, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return w, client, in
}

// TestWebSocket_EachFrameHasItsPrice: a client cannot send more frames than its share allows for,
// even if each message is in many frames that contain nothing. It uses the clock of the test.
func TestWebSocket_EachFrameHasItsPrice(t *testing.T) {
	const frames = 4 * rateIn / costIn // the price of the first second has been saved
	synctest.Test(t, func(t *testing.T) {
		w, client, in := flooded(t, 0)
		begin := time.Now()
		message := maskedFrame(1, `{"op":"subscribe"}`) +
			strings.Repeat(maskedFrame(0, ""), mostFragments-2) + maskedFrame(0x80, "")
		go func() {
			_, _ = io.WriteString(client, strings.Repeat(message, frames/mostFragments)+
				maskedFrame(0x81, `{"op":"last?"}`))
		}()
		for line := ""; !strings.Contains(line, "last?"); {
			var err error
			line, err = in.ReadString('?')
			require.NoError(t, err)
		}
		require.Greater(t, time.Since(begin), 2500*time.Millisecond)
		require.NoError(t, client.Close())
		require.NoError(t, w.Close())
	})
}

// TestWebSocket_FloodsAreClosed: a client that only keeps the server busy loses its connection and
// learns why. A client that sends the same amount over a longer time keeps its connection.
func TestWebSocket_FloodsAreClosed(t *testing.T) {
	for name, c := range map[string]struct {
		begin, frame string
		frames       int // that are accepted at once
	}{
		"pings":            {"", maskedFrame(0x89, "p"), mostControls},
		"pongs":            {"", maskedFrame(0x8A, ""), mostControls},
		"empty fragments":  {maskedFrame(1, ""), maskedFrame(0, ""), mostFragments},
		"refused messages": {"", maskedFrame(0x82, "?"), mostRefused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, client, in := flooded(t, mostClients/2)
				received := make(chan string)
				go func() {
					all, _ := io.ReadAll(in)
					received <- string(all)
				}()
				_, err := io.WriteString(client, c.begin+strings.Repeat(c.frame, c.frames))
				require.NoError(t, err)
				time.Sleep(period + 1)
				_, err = io.WriteString(client, c.frame)
				if name == "pings" || name == "pongs" {
					require.NoError(t, err)
					synctest.Wait()
					require.EqualValues(t, mostClients/2+1, w.present.Load())
				}
				_, _ = io.WriteString(client, strings.Repeat(c.frame, c.frames))
				require.Contains(t, <-received, "\x03\xF0", "the code for a violated policy, 1008")
				synctest.Wait()
				require.EqualValues(t, mostClients/2, w.present.Load())
				require.Len(t, w.refused, 1, "reported reasons")
				require.NoError(t, client.Close())
				require.NoError(t, w.Close())
			})
		})
	}
}

// TestCheckNesting: a text with many open brackets is refused before it is decoded, and brackets in
// strings do not count.
func TestCheckNesting(t *testing.T) {
	deep := strings.Repeat("[", mostNested)
	for text, wrong := range map[string]bool{
		deep: false, deep + "{": true, deep + "][": false, `"\"` + deep + `[[["`: false,
		`"\\"` + deep + "[": true, strings.Repeat(`{"a":[]},`, 3*mostNested): false,
	} {
		require.Equal(t, wrong, errors.Is(checkNesting([]byte(text)), ErrClient), text)
	}
	s := newSession(newHub(&bridge.Config{}, Options{}), "a")
	require.ErrorContains(t, s.request([]byte(`{"op":"subscribe","subscriptions":`+deep)),
		"byte 133: message of a client refused: found more than 100 open brackets")
	_, err := s.fromJSON("/t", []byte(deep+"["))
	require.ErrorContains(t, err, "open brackets")
}

// TestWebSocket_EndDoesNotWaitForFloods: the end of a run waits neither for clients that send
// without a pause nor for those that do not receive.
func TestWebSocket_EndDoesNotWaitForFloods(t *testing.T) {
	for name, read := range map[string]bool{"read": true, "do not read": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, client, in := flooded(t, 0)
				if read {
					go func() { _, _ = io.Copy(io.Discard, in) }()
				}
				go func() {
					flood := strings.Repeat(maskedFrame(0x81, `{"op":"subscribe"}`), 1_000)
					for err := error(nil); err == nil; {
						_, err = io.WriteString(client, flood)
					}
				}()
				time.Sleep(time.Second)
				begin := time.Now()
				require.NoError(t, w.Close())
				require.LessOrEqual(t, time.Since(begin), farewell)
				require.NoError(t, client.Close())
			})
		})
	}
}

// TestWebSocket_FloodEndsInTime: a client that floods the server and violates the protocol does not
// keep its place while it waits for its share.
func TestWebSocket_FloodEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, client, in := flooded(t, mostClients-1)
		begin := time.Now()
		go func() {
			_, _ = io.WriteString(client, maskedFrame(0x83, "")+
				strings.Repeat(maskedFrame(0x8A, ""), 10_000))
		}()
		_, _ = io.Copy(io.Discard, in) // until the server closes the connection
		synctest.Wait()
		require.LessOrEqual(t, time.Since(begin), goodbye)
		require.EqualValues(t, mostClients-1, w.present.Load())
		require.NoError(t, client.Close())
		require.NoError(t, w.Close())
	})
}
