package queue

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
)

// Limits of what a NATS server sends. The client library believes the lengths that a server states,
// and keeps a line until it ends, so that a server could end a crew or take all its memory.
const (
	longestLine    = 1 << 20  // bytes, of which INFO with the addresses of a cluster needs most
	largestMessage = 64 << 20 // bytes, the largest that a NATS server can be configured for
)

var errProtocol = errors.New("the server violates the protocol")

// boundedDialer opens connections whose incoming lines and messages are bounded.
type boundedDialer struct{ dialer net.Dialer }

// Dial implements [nats.CustomDialer].
func (d *boundedDialer) Dial(network, address string) (net.Conn, error) {
	c, err := d.dialer.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return &boundedConn{Conn: c}, nil
}

// boundedConn ends a connection when its server exceeds a limit. What TLS encrypts is not examined.
type boundedConn struct {
	net.Conn
	line    []byte // the beginning of the current line
	length  int    // of the current line
	payload int    // bytes of the current message and its crlf that are still to come
	failed  error
	secured bool
}

// longestHead bounds the lines that begin a message. NATS servers permit 4 kB by default.
const longestHead = 4 << 10

// crlf ends lines and messages. After a message, the client library would skip anything else up to
// the line feed.
const crlf = "\r\n"

// Read implements [net.Conn].
func (c *boundedConn) Read(b []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	n, err := c.Conn.Read(b)
	if !c.secured {
		c.failed = c.scan(b[:n])
	}
	if c.failed != nil {
		return 0, c.failed
	}
	return n, err
}

// Write implements [net.Conn].
func (c *boundedConn) Write(b []byte) (int, error) {
	const handshake = 0x16 // begins the first record of TLS, and no command of NATS
	if len(b) > 0 && b[0] == handshake {
		c.secured = true
	}
	return c.Conn.Write(b)
}

// scan examines the bytes of a server.
func (c *boundedConn) scan(b []byte) error {
	for len(b) > 0 {
		if c.payload > 0 {
			if c.payload <= len(crlf) && b[0] != crlf[len(crlf)-c.payload] {
				return fmt.Errorf("%w: found %q after a message, expected the end of the line",
					errProtocol, b[0])
			}
			skip := min(max(c.payload-len(crlf), 1), len(b))
			c.payload -= skip
			b = b[skip:]
			continue
		}
		part := b
		end := bytes.IndexByte(b, '\n')
		if end >= 0 {
			part = b[:end]
		}
		c.line = append(c.line, part[:min(len(part), longestHead-len(c.line))]...)
		if c.length += len(part); c.length > longestLine {
			return fmt.Errorf("%w: found a line of more than %d bytes", errProtocol, longestLine)
		}
		if end < 0 {
			return nil
		}
		if err := c.ended(); err != nil {
			return err
		}
		b = b[end+1:]
	}
	return nil
}

// ended examines a complete line. The last field of MSG and HMSG is the size of the message that
// follows.
func (c *boundedConn) ended() error {
	fields, whole := bytes.Fields(c.line), c.length == len(c.line)
	c.line, c.length = c.line[:0], 0
	if len(fields) == 0 {
		return nil
	}
	kind := fields[0]
	if !bytes.EqualFold(kind, []byte("MSG")) && !bytes.EqualFold(kind, []byte("HMSG")) {
		return nil
	}
	if !whole {
		return fmt.Errorf("%w: found a message that begins with a line of more than %d bytes",
			errProtocol, longestHead)
	}
	size, err := strconv.Atoi(string(fields[len(fields)-1]))
	if err != nil || size < 0 || size > largestMessage {
		return fmt.Errorf("%w: found a message of %.30q bytes, expected at most %d", errProtocol,
			fields[len(fields)-1], largestMessage)
	}
	c.payload = size + len(crlf)
	return nil
}
