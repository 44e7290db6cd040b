package gate

import (
	"math"
	"net"
	"sync/atomic"
	"time"

	"gosmp/internal/pause"
)

// lastIdle is the last part of the time after which an idle connection is closed. It does not count
// standstills of this process: when it continues, bytes that arrived meanwhile are read first.
const lastIdle = time.Second

// Idle closes a connection without traffic in either direction after a time, unless busy reports
// that the server is working for it; busy may be nil. If after is 0, the connection is never
// closed.
func Idle(conn net.Conn, after time.Duration, busy func() bool) net.Conn {
	if after <= 0 {
		return conn
	}
	i := &idle{Conn: conn, after: after, part: min(after/2, lastIdle), busy: busy,
		begun: time.Now()}
	i.final = pause.NewRepeated(i.end)
	const never = math.MaxInt64 // the function needs the timer, so it must be assigned before
	i.timer = time.AfterFunc(never, i.check)
	i.timer.Reset(after - i.part)
	return i
}

type idle struct {
	net.Conn
	after  time.Duration
	part   time.Duration // of it, for final
	busy   func() bool
	begun  time.Time
	last   atomic.Int64 // relative to begun
	closed atomic.Bool
	timer  *time.Timer
	final  *pause.Repeated
}

// left returns how long the connection may still be idle.
func (i *idle) left() time.Duration {
	if i.busy != nil && i.busy() {
		return i.after
	}
	return i.after - (time.Since(i.begun) - time.Duration(i.last.Load()))
}

// check begins the final part of the time.
func (i *idle) check() {
	switch left := i.left(); {
	case i.closed.Load():
	case left > i.part:
		i.timer.Reset(left - i.part)
	default:
		i.final.Start(i.part)
	}
}

// end closes the connection unless there was traffic in the final part.
func (i *idle) end() {
	switch left := i.left(); {
	case i.closed.Load():
	case left > 0:
		i.timer.Reset(max(left-i.part, 0))
	default:
		_ = i.Conn.Close() // the reader detects this
	}
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
	i.final.Stop()
	return i.Conn.Close()
}
