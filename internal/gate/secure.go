package gate

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"gosmp/internal/pause"
)

// mostOfHandshake is the time for the TLS handshake of a client.
const mostOfHandshake = 5 * time.Second

// secure returns a listener whose connections have completed the handshake of TLS. Clients that do
// not complete it within a time lose their connections, and nobody waits for them. Report is called
// from any goroutine with failed handshakes; it may be nil.
func secure(l net.Listener, config *tls.Config, within time.Duration,
	report func(error)) net.Listener {
	ctx, stop := context.WithCancel(context.Background())
	s := &secured{Listener: l, config: config, within: within, ctx: ctx, stop: stop,
		ready: make(chan net.Conn)}
	s.handshakes.report = report
	s.all.Go(s.accept)
	return s
}

type secured struct {
	net.Listener
	config *tls.Config
	within time.Duration
	ctx    context.Context // until no connections are accepted
	stop   func()
	ready  chan net.Conn
	all    sync.WaitGroup // of the goroutines

	handshakes handshakes
}

// accept starts a handshake for each connection, until the listener is closed.
func (s *secured) accept() {
	defer s.stop()
	for {
		conn, err := s.Listener.Accept()
		if err != nil { // a bounded listener continues after all errors but its end
			return
		}
		s.all.Go(func() { s.shake(tls.Server(conn, s.config)) })
	}
}

// shake completes a handshake and passes the connection on.
func (s *secured) shake(conn *tls.Conn) {
	ctx, stop := pause.Within(s.ctx, s.within)
	err := conn.HandshakeContext(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	stop()
	if err == nil {
		select {
		case s.ready <- conn:
			return
		case <-s.ctx.Done():
		}
	} else if s.ctx.Err() == nil {
		s.handshakes.failed(conn.RemoteAddr().String(), err)
		s.refuse(conn.NetConn(), err)
	}
	_ = conn.NetConn().Close() // TLS would wait for the client to say that it ends
}

// Accept waits for a connection with a completed handshake.
func (s *secured) Accept() (net.Conn, error) {
	select {
	case conn := <-s.ready:
		return conn, nil
	case <-s.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close ends the listener and the handshakes that are not complete.
func (s *secured) Close() error {
	s.stop()
	err := s.Listener.Close()
	s.all.Wait()
	return err
}
