package queue

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rogue is a NATS server that greets a client and then sends anything. It returns its address.
func rogue(t *testing.T, greets bool, sends string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				if greets {
					_, _ = io.WriteString(c, `INFO {"max_payload":1048576,"proto":1}`+"\r\n")
					for in := bufio.NewReader(c); ; {
						line, err := in.ReadString('\n')
						if err != nil {
							return
						}
						if strings.HasPrefix(line, "PING") {
							break
						}
					}
					_, _ = io.WriteString(c, "PONG\r\n")
				}
				for err := error(nil); err == nil; {
					_, err = io.WriteString(c, sends)
				}
			}()
		}
	}()
	return l.Addr().String()
}

// TestServer_Rogue checks that a server that states impossible lengths, or sends lines without end,
// only loses its client.
func TestServer_Rogue(t *testing.T) {
	for name, c := range map[string]struct {
		greets bool
		sends  string
		said   string
	}{
		"no protocol": {false, strings.Repeat("a", 1<<16), "line of more than"},
		"long INFO":   {false, `INFO {"a":"` + strings.Repeat("a", 2<<20), "line of more than"},
		"message":     {true, "MSG a 1 1099511627776\r\n", `"1099511627776" bytes`},
		"headers":     {true, "hmsg a 1 10 9223372036854775807\r\n", "9223372036854775807"},
		"negative":    {true, "MSG a 1 -1\r\n", `"-1" bytes`},
		"long head": {true, "MSG a 1 5" + strings.Repeat(" ", 4096) + " 99999999999\r\n",
			"begins with a line of more than 4096 bytes"},
		"no end": {true, "MSG a 1 0\r\nxxMSG a 1 60000000\r\nMSG a 1 99999999999\r\n",
			`found 'x' after a message`},
		"half an end": {true, "MSG a 1 1\r\nx\r\rMSG a 1 9\r\n", `found '\r' after a message`},
		"long error":  {true, "-ERR '" + strings.Repeat("a", 2<<20), "line of more than"},
	} {
		t.Run(name, func(t *testing.T) {
			address := rogue(t, c.greets, c.sends)
			conn, err := (&boundedDialer{}).Dial("tcp", address)
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			if c.greets {
				_, err = io.WriteString(conn, "CONNECT {}\r\nPING\r\n")
				require.NoError(t, err)
			}
			_, err = io.Copy(io.Discard, conn)
			require.ErrorIs(t, err, errProtocol)
			require.ErrorContains(t, err, c.said)
			s := &Server{URL: "nats://" + address}
			nc, js, err := s.connect(func(string) {})
			if err == nil { // the connection is lost later, and opened again
				_, err = js.AccountInfo(t.Context())
				nc.Close()
			}
			require.Error(t, err)
		})
	}
}

// TestBoundedConn_AnyDivision checks that lines and messages are found wherever reads divide them.
func TestBoundedConn_AnyDivision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all strings.Builder
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			payload := strings.Repeat("\nMSG a 1 99999999999\r\n", rapid.IntRange(0, 9).Draw(t, "n"))
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				all.WriteString("PING\r\n")
			case 1:
				all.WriteString("MSG a 1 " + strconv.Itoa(len(payload)) + "\r\n" + payload + "\r\n")
			case 2:
				all.WriteString("HMSG a 1 reply 0 " + strconv.Itoa(len(payload)) + "\r\n" + payload + "\r\n")
			}
		}
		var c boundedConn
		for b := []byte(all.String()); len(b) > 0; {
			n := min(len(b), rapid.IntRange(1, 40).Draw(t, "part"))
			require.NoError(t, c.scan(b[:n]))
			b = b[n:]
		}
		require.Zero(t, c.payload)
		require.Zero(t, c.length)
	})
}

// TestFramed: only schemes decide whether a connection is bounded.
func TestFramed(t *testing.T) {
	for addresses, want := range map[string]bool{
		"ws://lab": true, "wss://lab:443": true, "WS://a,ws://b": true,
		"ws1.lab:4222": false, "nats://ws": false, "ws": false, "wsx://a": false, "": false,
	} {
		require.Equal(t, want, framed(addresses), addresses)
		require.Equal(t, want, framed(" "+addresses), addresses)
	}
}
