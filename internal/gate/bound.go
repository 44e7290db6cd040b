package gate

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"gosmp/internal/pause"
)

// Limits of the connections of a server.
const (
	MostConnections = 512 // at once
	MostOfAddress   = 32  // from any one other machine at once, so that each leaves room for others
	MostOfMachine   = 256 // from this machine at once
	MostOfNetwork   = 256 // from one IPv6 network, whose machines choose addresses
	MostInASecond   = 64  // new connections, after a burst of as many

	retry = 100 * time.Millisecond // after a system error, such as too many open files
)

// Bound limits the number of connections of a listener. Connections beyond the limit are closed at
// once, and an error of one connection does not end the listener.
func Bound(l net.Listener) net.Listener {
	return &bound{Listener: l, open: map[string]int{}, closed: make(chan struct{})}
}

type bound struct {
	net.Listener
	next time.Time // when the rate limit admits the next connection

	mu    sync.Mutex
	open  map[string]int // by address, and by network
	total int

	once   sync.Once
	closed chan struct{}
}

// Close ends the listener.
func (b *bound) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

// Accept waits for a connection within the bounds. One goroutine may call it at a time.
func (b *bound) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		if err != nil { // such as too many open files: clients that disconnect free resources
			if !pause.For(retry, b.closed) {
				return nil, net.ErrClosed
			}
			continue
		}
		counted := b.enter(conn)
		if counted == nil {
			_ = conn.Close() // it exceeds the limit
			continue
		}
		// Only connections that may stay wait for their turn: otherwise, thousands of the others
		// would keep the clients behind them waiting for minutes. This also applies to clients that
		// have left in the meantime.
		wait := b.due(time.Now())
		if wait > 0 && gone(conn) {
			b.next = b.next.Add(-turn)
			_ = counted.Close() // nobody is there
			continue
		}
		if !pause.For(wait, b.closed) {
			return nil, errors.Join(net.ErrClosed, counted.Close())
		}
		return counted, nil
	}
}

// turn is the time between two connections.
const turn = time.Second / MostInASecond

// due returns how long the next connection has to wait.
func (b *bound) due(now time.Time) time.Duration {
	if saved := now.Add(-time.Second); b.next.Before(saved) {
		b.next = saved
	}
	b.next = b.next.Add(turn)
	return b.next.Sub(now)
}

// HostOf returns the address of the other side of a connection, without the port.
func HostOf(conn net.Conn) string {
	address := conn.RemoteAddr().String()
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// enter counts a connection; it returns nil if there are too many.
func (b *bound) enter(conn net.Conn) net.Conn {
	host := HostOf(conn)
	most, network := MostOfAddress, networkOf(host)
	if isLocal(host) {
		most, network = MostOfMachine, ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total >= MostConnections || b.open[host] >= most ||
		network != "" && b.open[network] >= MostOfNetwork {
		return nil
	}
	b.total++
	b.open[host]++
	if network != "" {
		b.open[network]++
	}
	return &counted{Conn: newPatient(conn), leave: sync.OnceFunc(func() { b.leave(host, network) })}
}

// networkOf returns the IPv6 network of an address, whose length is 64 bits almost everywhere. A
// machine can have all addresses in it. For other addresses, it returns an empty text.
func networkOf(host string) string {
	a, err := netip.ParseAddr(host)
	if err != nil || a.Unmap().Is4() {
		return ""
	}
	p, err := a.WithZone("").Prefix(64)
	if err != nil {
		return ""
	}
	return p.String()
}

func (b *bound) leave(host, network string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total--
	for _, key := range []string{host, network} {
		if b.open[key]--; b.open[key] <= 0 { // there may be no network
			delete(b.open, key)
		}
	}
}

// counted is a connection that makes room for another connection when it is closed.
type counted struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (c *counted) Close() error {
	c.leave()
	return c.Conn.Close()
}
