package gate

import (
	"net"
	"time"

	"gosmp/internal/pause"
)

// past is the deadline of what has taken too long.
var past = time.Unix(1, 0)

// Limit limits the time for reads from a connection, or for writes to it, again and again.
type Limit struct {
	repeated *pause.Repeated
	deadline func(time.Time) error
	late     bool
}

// Reads returns a limit for reads from a connection, which fail with a timeout when it ends. In
// contrast to a deadline, it does not count standstills of this process.
func Reads(conn net.Conn) *Limit { return newLimit(conn.SetReadDeadline) }

// Writes is like [Reads] for writes.
func Writes(conn net.Conn) *Limit { return newLimit(conn.SetWriteDeadline) }

func newLimit(deadline func(time.Time) error) *Limit {
	l := &Limit{deadline: deadline}
	l.repeated = pause.NewRepeated(func() {
		l.late = true
		_ = l.deadline(past) // it fails if the connection is closed
	})
	return l
}

// Start begins the limit. It must not be running.
func (l *Limit) Start(d time.Duration) { l.repeated.Start(d) }

// Stop ends the limit. If it ended after the last read or write, the next ones do not fail.
func (l *Limit) Stop() {
	l.repeated.Stop() // afterwards, late does not change
	if l.late {
		l.late = false
		_ = l.deadline(time.Time{}) // as above
	}
}
