package gate

import (
	"net"
	"time"

	"gosmp/internal/pause"
)

// past is the deadline of what has taken too long.
var past = time.Unix(1, 0)

// Reads returns a limit for reads from a connection, which fail with a timeout when it ends. In
// contrast to a deadline, it does not count standstills of this process.
func Reads(conn net.Conn) *pause.Repeated {
	return pause.NewRepeated(func() { _ = conn.SetReadDeadline(past) }) // it fails if it is closed
}

// Writes is like [Reads] for writes.
func Writes(conn net.Conn) *pause.Repeated {
	return pause.NewRepeated(func() { _ = conn.SetWriteDeadline(past) })
}
