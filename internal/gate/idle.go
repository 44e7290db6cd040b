package gate

import (
	"math"
	"net"
	"sync/atomic"
	"time"
)

// Idle closes a connection without traffic in either direction after a time, unless busy reports
// that the server is working for it; busy may be nil. If after is 0, the connection is never
// closed.
func Idle(conn net.Conn, after time.Duration, busy func() bool) net.Conn {
	if after <= 0 {
		return conn
	}
	i := &idle{Conn: conn, begun: time.Now()}
	const never = math.MaxInt64 // the function needs the timer, so it must be assigned before
	i.timer = time.AfterFunc(never, func() {
		left := after - (time.Since(i.begun) - time.Duration(i.last.Load()))
		switch {
		case i.closed.Load():
		case busy != nil && busy():
			i.timer.Reset(after)
		case left > 0:
			i.timer.Reset(left)
		default:
			_ = conn.Close() // the reader detects this
		}
	})
	i.timer.Reset(after)
	return i
}

type idle struct {
	net.Conn
	begun  time.Time
	last   atomic.Int64 // relative to begun
	closed atomic.Bool
	timer  *time.Timer
}

func (i *idle) Read(b []byte) (n int, err error) {
	if n, err = i.Conn.Read(b); n > 0 {
		i.last.Store(int64(time.Since(i.begun)))
	}
	return n, err
}

func (i *idle) Write(b []byte) (n int, err error) {
	if n, err = i.Conn.Write(b); n > 0 {
		i.last.Store(int64(time.Since(i.begun)))
	}
	return n, err
}

// Close closes the connection.
func (i *idle) Close() error {
	i.closed.Store(true)
	i.timer.Stop()
	return i.Conn.Close()
}
