package queue_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"gosmp/internal/gate"
	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// relay is an unreliable network before a server.
type relay struct {
	t testing.TB
	l net.Listener
	// down passes what the server sends to the k-th connection; an error ends the connection
	down func(k int, to io.Writer, from io.Reader) error

	mu sync.Mutex
	to string
}

func relayTo(t testing.TB, to string, down func(k int, to io.Writer, from io.Reader) error) *relay {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	r := &relay{t: t, l: l, to: to, down: down}
	go r.serve()
	return r
}

func (r *relay) url() string { return "nats://" + r.l.Addr().String() }

func (r *relay) serve() {
	for k := 0; ; k++ {
		c, err := r.l.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		address := r.to
		r.mu.Unlock()
		s, err := net.Dial("tcp", address)
		if err != nil {
			_ = c.Close()
			continue
		}
		go func() { _, _ = io.Copy(s, c); _ = s.Close() }()
		go func() { _ = r.down(k, c, s); _ = c.Close(); _ = s.Close() }()
	}
}

// TestQueue_ConnectionEndedByServer: a server that ends a connection with an error, after which the
// library does not reopen it, is used again by crew and sweep.
func TestQueue_ConnectionEndedByServer(t *testing.T) {
	t.Parallel()
	s := embed(t)
	ends := func(k int, to io.Writer, from io.Reader) error {
		if k < 3 {
			begun := time.AfterFunc(time.Second, func() {
				_, _ = io.WriteString(to, "-ERR 'Something Unexpected'\r\n")
			})
			defer begun.Stop()
		}
		_, err := io.Copy(to, from)
		return err
	}
	lines := make(chan string, 1000)
	w := crewOf(relayTo(t, s.Address(), ends).url(), t.TempDir())
	w.Log = func(line string) { lines <- line }
	hire(t, w)
	cases := casesOf("long=a", "long=b", "long=c", "long=d", "long=e", "long=f", "long=g", "long=h")
	require.Len(t, collect(t, coordinatorOf(relayTo(t, s.Address(), ends).url()), cases), len(cases))
	for line := range lines {
		if strings.Contains(line, "the NATS server has ended the connection") {
			break
		}
	}
}

// TestCrew_TokenWithdrawn: a server that returns with another token ends a crew, as it does at the
// beginning, instead of leaving it without a connection.
func TestCrew_TokenWithdrawn(t *testing.T) {
	t.Parallel()
	s, err := queue.Embed("old@127.0.0.1:0", t.TempDir(), gate.Rules{})
	require.NoError(t, err)
	address := s.Address()
	w := crewOf("nats://old@"+address, t.TempDir())
	hired := make(chan error, 1)
	go func() {
		_, err := w.Run(context.Background(), nil)
		hired <- err
	}()
	q := coordinatorOf("nats://old@" + address)
	require.Len(t, collect(t, q, casesOf("pass=a")), 1)
	s.Close()
	s, err = queue.Embed("new@"+address, t.TempDir(), gate.Rules{})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	err = <-hired
	require.ErrorIs(t, err, queue.ErrServer)
	require.ErrorContains(t, err, "give user and password or a token")
}

// TestCrew_DownloadInterrupted: a network that loses the connection while the files of an
// experiment are fetched does not make the machine unfit, and no run is lost.
func TestCrew_DownloadInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 20 s")
	}
	t.Parallel()
	s := embed(t)
	large := bytes.Repeat([]byte(files), 100_000)
	q := coordinatorOf("nats://" + s.Address())
	q.Experiment.Pack = func(w io.Writer) error { _, err := w.Write(large); return err }
	q.Experiment.Base = digest(string(large))
	var cut atomic.Int32
	r := relayTo(t, s.Address(), func(_ int, to io.Writer, from io.Reader) error {
		if cut.Load() < 4 {
			if _, err := io.CopyN(to, from, 6000); err != nil {
				return err
			}
			cut.Add(1)
			return nil
		}
		_, err := io.Copy(to, from)
		return err
	})
	w := crewOf(r.url(), t.TempDir())
	w.Start = func(string, string) (sweep.Worker, error) {
		return answering{func(c sweep.Case) (sweep.Row, error) { return act(c), nil }}, nil
	}
	var refused atomic.Int32
	w.Log = func(line string) {
		if strings.HasPrefix(line, "run ") {
			refused.Add(1)
		}
		logTo("crew")(line)
	}
	hire(t, w)
	require.Equal(t, sweep.Passed, collect(t, q, casesOf("pass=a"))[0].Outcome)
	require.EqualValues(t, 4, cut.Load())
	require.Zero(t, refused.Load())
}

// TestServer_Crowded: a server that has too many clients is tried again.
func TestServer_Crowded(t *testing.T) {
	t.Parallel()
	s := external(t, &server.Options{JetStream: true, MaxConn: 1})
	first, err := net.Dial("tcp", s.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = first.Close() })
	_, err = io.WriteString(first, "CONNECT {}\r\nPING\r\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.NumClients() == 1 }, time.Minute,
		10*time.Millisecond)
	w := crewOf(s.ClientURL(), t.TempDir())
	lines := make(chan string, 1000)
	w.Log = func(line string) { lines <- line }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := w.Run(ctx, nil)
		ended <- err
	}()
	select {
	case line := <-lines:
		require.Contains(t, line, "trying again")
	case err := <-ended:
		require.Fail(t, "the crew has ended", "%v", err)
	}
	cancel()
	require.ErrorIs(t, <-ended, queue.ErrServer, "why it was still waiting")
}

// TestQueue_StandsStill: nothing arrives from the server for much longer than a request may take, as
// if it, or this machine, were suspended. The requests that fail are repeated, and no run is lost.
func TestQueue_StandsStill(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	t.Parallel()
	const standstill = 25 * time.Second // a request may take 10 s
	s := embed(t)
	still := func(after time.Duration) func(int, io.Writer, io.Reader) error {
		var resume atomic.Pointer[chan struct{}]
		time.AfterFunc(after, func() {
			c := make(chan struct{})
			resume.Store(&c)
			time.AfterFunc(standstill, func() { close(c) })
		})
		return func(_ int, to io.Writer, from io.Reader) error {
			b := make([]byte, 4096)
			for {
				n, err := from.Read(b)
				if c := resume.Load(); c != nil {
					<-*c
				}
				if n > 0 {
					if _, err := to.Write(b[:n]); err != nil {
						return err
					}
				}
				if err != nil {
					return err
				}
			}
		}
	}
	w := crewOf(relayTo(t, s.Address(), still(1500*time.Millisecond)).url(), t.TempDir())
	hire(t, w)
	var settings []string
	for k := range 60 {
		settings = append(settings, fmt.Sprintf("pass=%d", k))
	}
	settings = append(settings, "long=a", "long=b", "long=c", "long=d", "long=e", "long=f")
	cases := casesOf(settings...)
	list := collect(t, coordinatorOf(relayTo(t, s.Address(), still(time.Second)).url()), cases)
	require.Len(t, list, len(cases))
	for _, row := range list {
		require.Equal(t, sweep.Passed, row.Outcome)
	}
}
