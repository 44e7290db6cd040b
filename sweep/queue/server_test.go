package queue_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"gosmp/internal/gate"
	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// queued returns the number of runs in the queue of a server.
func queued(t testing.TB, url string) uint64 {
	c, err := nats.Connect(url)
	require.NoError(t, err)
	defer c.Close()
	js, err := jetstream.New(c)
	require.NoError(t, err)
	s, err := js.Stream(t.Context(), "GOSMP_RUNS")
	require.NoError(t, err)
	return s.CachedInfo().State.Msgs
}

// external starts a server as an administrator would.
func external(t testing.TB, o *server.Options) *server.Server {
	o.Host, o.Port, o.NoLog, o.NoSigs, o.StoreDir = "127.0.0.1", server.RANDOM_PORT, true, true,
		t.TempDir()
	s, err := server.NewServer(o)
	require.NoError(t, err)
	s.Start()
	require.True(t, s.ReadyForConnections(time.Minute))
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

// TestServer_Errors: errors name the server and a remedy.
func TestServer_Errors(t *testing.T) {
	t.Parallel()
	plain := external(t, &server.Options{})
	secret := external(t, &server.Options{JetStream: true, Username: "a", Password: "secret"})
	for url, want := range map[string][]string{
		"nats://127.0.0.1:1": {"nats://127.0.0.1:1", "check the address"},
		plain.ClientURL():    {plain.ClientURL(), "nats-server -js"},
		"nats://b:hidden@" + secret.Addr().String(): {"nats://...@" + secret.Addr().String(),
			"give user and password"},
	} {
		for name, run := range map[string]func() error{
			"coordinator": func() error {
				return coordinatorOf(url).Run(t.Context(), casesOf("pass=a"), func(sweep.Case,
					sweep.Row) (bool, error) {
					return true, nil
				})
			},
			"crew": func() error {
				w := crewOf(url, t.TempDir())
				w.Idle = time.Second
				_, err := w.Run(t.Context(), nil)
				return err
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				err := run()
				require.ErrorIs(t, err, queue.ErrServer, url)
				for _, part := range want {
					require.ErrorContains(t, err, part)
				}
				require.NotContains(t, err.Error(), "hidden")
			})
		}
	}
}

// TestServer_Busy: a server that ends the first connections, as a busy one does, is tried again.
func TestServer_Busy(t *testing.T) {
	t.Parallel()
	s := embed(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for k := 0; ; k++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if k < 4 { // orderly, then with a reset
				_ = c.(*net.TCPConn).SetLinger(k%2 - 1)
				_ = c.Close()
				continue
			}
			to, err := net.Dial("tcp", s.Address())
			if err != nil {
				_ = c.Close()
				return
			}
			go func() { _, _ = io.Copy(to, c); _ = to.Close() }()
			go func() { _, _ = io.Copy(c, to); _ = c.Close() }()
		}
	}()
	hire(t, crewOf("nats://"+l.Addr().String(), t.TempDir()))
	q := coordinatorOf("nats://" + l.Addr().String())
	require.Len(t, collect(t, q, casesOf("pass=a")), 1)
}

// TestEmbed_Addresses: an address for other machines needs a token, which clients must present.
func TestEmbed_Addresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"4222", "127.0.0.1:x", ":0", "0.0.0.0:0", "@:0"} {
		_, err := queue.Embed(address, t.TempDir(), gate.Rules{})
		require.ErrorIs(t, err, queue.ErrServer, address)
		require.ErrorIs(t, err, queue.ErrAccess, address)
	}
	s, err := queue.Embed("key@:0", t.TempDir(), gate.Rules{})
	require.NoError(t, err)
	defer s.Close()
	address := strings.Replace(s.Address(), "HOST", "127.0.0.1", 1)
	_, err = nats.Connect("nats://" + address)
	require.ErrorIs(t, err, nats.ErrAuthorization)
	c, err := nats.Connect("nats://key@" + address)
	require.NoError(t, err)
	c.Close()
	_, err = queue.Embed("key@"+address, t.TempDir(), gate.Rules{})
	require.ErrorContains(t, err, "address already in use")
}

// TestCoordinator_Embedded connects to the server in its process without a socket.
func TestCoordinator_Embedded(t *testing.T) {
	t.Parallel()
	s, err := queue.Embed("key@127.0.0.1:0", t.TempDir(), gate.Rules{})
	require.NoError(t, err)
	defer s.Close()
	w, q := crewOf("", t.TempDir()), coordinatorOf("")
	w.Server.Embedded, q.Server.Embedded = s, s
	hire(t, w)
	require.Equal(t, sweep.Passed, collect(t, q, casesOf("pass=a"))[0].Outcome)
}

// TestCrew_ServerThatRefusesAtFirst: a crew waits for a server that cannot serve it yet.
func TestCrew_ServerThatRefusesAtFirst(t *testing.T) {
	t.Parallel()
	s := external(t, &server.Options{JetStream: true})
	c, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	defer c.Close()
	js, err := jetstream.New(c)
	require.NoError(t, err)
	runs, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "GOSMP_RUNS",
		Subjects: []string{"gosmp.runs.>"}, Retention: jetstream.WorkQueuePolicy, MaxConsumers: 1})
	require.NoError(t, err)
	_, err = runs.CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "other",
		FilterSubject: "gosmp.runs.other", AckPolicy: jetstream.AckExplicitPolicy})
	require.NoError(t, err)
	w := crewOf(s.ClientURL(), t.TempDir())
	refused := make(chan string, 100)
	w.Log = func(line string) { refused <- line }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := w.Run(ctx, nil)
		ended <- err
	}()
	select {
	case line := <-refused:
		require.Contains(t, line, "maximum consumers limit reached")
	case err := <-ended:
		require.Fail(t, "the crew has ended", "%v", err)
	}
	require.NoError(t, runs.DeleteConsumer(t.Context(), "other"))
	require.Eventually(t, func() bool {
		_, err := runs.Consumer(t.Context(), "workers-1-2")
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
}

// TestCoordinator_FullServer: a server without free space is reported, and used again once it has
// space.
func TestCoordinator_FullServer(t *testing.T) {
	t.Parallel()
	s := external(t, &server.Options{JetStream: true, JetStreamMaxStore: 100_000})
	hire(t, crewOf(s.ClientURL(), t.TempDir()))
	c, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	defer c.Close()
	js, err := jetstream.New(c)
	require.NoError(t, err)
	_, err = js.CreateStream(t.Context(),
		jetstream.StreamConfig{Name: "OTHER", Subjects: []string{"other"}})
	require.NoError(t, err)
	for err == nil {
		_, err = js.Publish(t.Context(), "other", make([]byte, 10_000))
	}
	q := coordinatorOf(s.ClientURL())
	lines := make(chan string, 100)
	q.Log = func(line string) { lines <- line }
	go func() {
		for range lines {
			if js.DeleteStream(t.Context(), "OTHER") == nil {
				return
			}
		}
	}()
	require.Len(t, collect(t, q, slow(100)), 100)
}
