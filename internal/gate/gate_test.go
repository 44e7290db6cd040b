package gate

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func request(t *testing.T, host, origin, target, authorization string) *http.Request {
	t.Helper()
	q, err := http.NewRequest(http.MethodGet, target, nil)
	require.NoError(t, err)
	q.Host = host
	q.Header.Set("Origin", origin)
	q.Header.Set("Authorization", authorization)
	return q
}

func TestRules_Right(t *testing.T) {
	const here = "127.0.0.1:8765"
	for _, c := range []struct {
		host, origin, target, authorization string
		rules                               Rules
		want                                Right
	}{
		{here, "", "/", "", Rules{}, Drive},
		{here, "http://localhost:8080", "/", "", Rules{}, Drive},
		{"localhost:8765", "http://127.0.0.1", "/", "", Rules{}, Drive},
		{here, "https://[::1]:3000", "/", "", Rules{}, Drive},
		{here, "file://", "/", "", Rules{}, Drive},
		{here, "https://example.org", "/", "", Rules{}, None},
		{here, "null", "/", "", Rules{}, None},
		{here, "https://127.0.0.1.example.org", "/", "", Rules{}, None},
		{here, "http://localhost.example.org", "/", "", Rules{}, None},
		{here, "chrome-extension://abc", "/", "", Rules{}, None},
		{here, "http://%zz", "/", "", Rules{}, None},
		// A foreign name that resolves to this machine, used for both page and server.
		{"evil.example:8765", "http://evil.example:8765", "/", "", Rules{}, None},
		{"evil.example:8765", "http://localhost:8080", "/", "", Rules{}, None},
		{here, "https://example.org", "/", "", Rules{Origins: []string{"https://example.org/"}},
			Look},
		{here, "https://example.org", "/", "", Rules{Origins: []string{"https://example"}}, None},
		{here, "https://example.org", "/", "", Rules{Driving: []string{"https://EXAMPLE.org"}},
			Drive},
		{here, "", "/", "", Rules{Token: "abc"}, None},
		{here, "", "/?token=abd", "", Rules{Token: "abc"}, None},
		{here, "", "/?token=abc", "", Rules{Token: "abc"}, Drive},
		{here, "", "/", "Bearer abc", Rules{Token: "abc"}, Drive},
		{here, "https://example.org", "/?token=abc", "", Rules{Token: "abc"}, None},
	} {
		right, err := c.rules.Right(request(t, c.host, c.origin, c.target, c.authorization))
		require.Equal(t, c.want, right, "%v", c)
		if c.want == None {
			require.ErrorIs(t, err, ErrRefused)
		} else {
			require.NoError(t, err)
		}
	}
	_, err := (&Rules{}).Right(request(t, here, "https://a.example\x1b[31m", "/", ""))
	require.ErrorContains(t, err, "use --allow-origin https://a.example?[31m")
}

func TestRules_Listen(t *testing.T) {
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "example.org:0", "@:0"} {
		_, err := (&Rules{}).Listen(address)
		require.ErrorIs(t, err, ErrRefused, address)
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "secret@127.0.0.1:0"} {
		r := Rules{}
		l, err := r.Listen(address)
		require.NoError(t, err)
		require.NoError(t, l.Close())
		require.Equal(t, address == "secret@127.0.0.1:0", r.Token == "secret")
	}
	_, err := (&Rules{Certificate: "none.pem", Key: "none.pem"}).Listen("127.0.0.1:0")
	require.ErrorContains(t, err, "none.pem")
}

// scripted is a listener whose Accept returns given results.
type scripted struct {
	net.Listener
	results []error
}

func (s *scripted) Accept() (net.Conn, error) {
	if len(s.results) == 0 {
		return nil, net.ErrClosed
	}
	err := s.results[0]
	s.results = s.results[1:]
	if err != nil {
		return nil, err
	}
	a, _ := net.Pipe()
	return a, nil
}

func TestBound_GoesOnAfterErrors(t *testing.T) {
	l := Bound(&scripted{results: []error{syscall.EMFILE, errors.New("some other"), nil}})
	conn, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestBound_OfAnAddress(t *testing.T) {
	b := Bound(nil).(*bound)
	conn := func(host string) net.Conn { return remote{nil, host} }
	var open []net.Conn
	for range MostOfAddress {
		c := b.enter(conn("192.0.2.1:5"))
		require.NotNil(t, c)
		open = append(open, c)
	}
	require.Nil(t, b.enter(conn("192.0.2.1:6")))
	require.NotNil(t, b.enter(conn("192.0.2.2:6")))
	require.Equal(t, MostOfAddress+1, b.total)
	open[0].(*counted).leave()
	open[0].(*counted).leave()
	require.Equal(t, MostOfAddress, b.total)
	require.NotNil(t, b.enter(conn("192.0.2.1:6")))
}

// TestBound_OfANetwork checks that a machine that uses many IPv6 addresses leaves room for others.
func TestBound_OfANetwork(t *testing.T) {
	b := Bound(nil).(*bound)
	var open []net.Conn
	for k := range MostOfNetwork {
		c := b.enter(remote{nil, fmt.Sprintf("[2001:db8:0:1::%x]:5", k+1)})
		require.NotNil(t, c)
		open = append(open, c)
	}
	require.Nil(t, b.enter(remote{nil, "[2001:db8:0:1:ffff::1]:5"}))
	for _, other := range []string{"[2001:db8:0:2::1]:5", "192.0.2.1:5", "[::ffff:192.0.2.2]:5",
		"[::1]:5", "[fe80::1%1]:5"} {
		require.NotNil(t, b.enter(remote{nil, other}), other)
	}
	open[0].(*counted).leave()
	require.NotNil(t, b.enter(remote{nil, "[2001:db8:0:1:ffff::1]:5"}))
	for _, c := range open[1:] {
		c.(*counted).leave()
	}
	require.Equal(t, 6, b.total)
	require.Len(t, b.open, 6+3) // with the networks of three of them
	require.NotContains(t, b.open, "")
}

type remote struct {
	net.Conn
	address string
}

func (r remote) RemoteAddr() net.Addr {
	a, _ := net.ResolveTCPAddr("tcp", r.address)
	return a
}

// flood is a listener with many clients from one machine, followed by one client from another
// machine.
type flood struct {
	net.Listener
	left   int
	closed int
}

type dropped struct {
	remote
	f *flood
}

func (d dropped) Close() error { d.f.closed++; return nil }

func (f *flood) Accept() (net.Conn, error) {
	if f.left--; f.left >= 0 {
		return dropped{remote{nil, "192.0.2.1:5"}, f}, nil
	}
	return remote{nil, "192.0.2.2:6"}, nil
}

// TestBound_FloodOfAMachine: clients that may not stay are closed at once, so that other clients
// need not wait for all of them.
func TestBound_FloodOfAMachine(t *testing.T) {
	const clients = 10_000
	f := &flood{left: clients}
	b := Bound(f).(*bound)
	b.open["192.0.2.1"] = MostOfAddress
	conn, err := b.Accept()
	require.NoError(t, err)
	require.Equal(t, "192.0.2.2:6", conn.RemoteAddr().String())
	require.Equal(t, clients, f.closed)
}

func TestBound_OfASecond(t *testing.T) {
	b := Bound(nil).(*bound)
	now := time.Unix(1000, 0)
	for range MostInASecond {
		require.LessOrEqual(t, b.due(now), time.Duration(0))
	}
	require.Equal(t, time.Second/MostInASecond, b.due(now))
	require.LessOrEqual(t, b.due(now.Add(time.Minute)), time.Duration(0))
}
