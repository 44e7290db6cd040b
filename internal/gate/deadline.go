package gate

import (
	"errors"
	"net"
	"sync"
	"time"

	"gosmp/internal/pause"
)

// patient is a connection whose deadlines do not count standstills of this process. When it
// continues, what the client sent meanwhile is still read, and the client has its time to read.
type patient struct {
	net.Conn
	reads, writes deadline
}

func newPatient(conn net.Conn) *patient {
	return &patient{Conn: conn, reads: deadline{set: conn.SetReadDeadline},
		writes: deadline{set: conn.SetWriteDeadline}}
}

// SetReadDeadline implements [net.Conn].
func (p *patient) SetReadDeadline(t time.Time) error { return p.reads.at(t) }

// SetWriteDeadline implements [net.Conn].
func (p *patient) SetWriteDeadline(t time.Time) error { return p.writes.at(t) }

// SetDeadline implements [net.Conn].
func (p *patient) SetDeadline(t time.Time) error {
	return errors.Join(p.reads.at(t), p.writes.at(t))
}

// Close closes the connection.
func (p *patient) Close() error {
	err := p.Conn.Close()
	_ = p.SetDeadline(time.Time{}) // it fails, but ends the limits
	return err
}

// deadline is a deadline for reads from a connection, or for writes to it.
type deadline struct {
	set func(time.Time) error // of the connection

	mu    sync.Mutex
	limit *pause.Repeated // nil before the first deadline
}

// at sets the deadline. The one of the connection itself is only used once it has passed.
func (d *deadline) at(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.limit != nil {
		d.limit.Stop()
	}
	left := time.Until(t)
	if t.IsZero() || left <= 0 {
		return d.set(t)
	}
	if err := d.set(time.Time{}); err != nil {
		return err
	}
	if d.limit == nil {
		d.limit = pause.NewRepeated(func() { _ = d.set(past) }) // it fails after Close
	}
	d.limit.Start(left)
	return nil
}
