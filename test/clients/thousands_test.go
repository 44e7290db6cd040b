//go:build linux

package clients

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"gosmp/internal/gate"
	"gosmp/simapi"
)

const (
	thousands   = 10_000 // connections
	descriptors = 320    // of the server: more than one address may have
)

// TestThousandsOfConnections: while one address tries to open thousands of connections to a bridge
// or a simulator, and keeps all that it gets, another one is served. The server lets one address
// have no more than its share, and has few descriptors.
func TestThousandsOfConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command, and opens thousands of connections")
	}
	program := build(t)
	town, err := filepath.Abs("../../examples/maps/crossing.xodr")
	require.NoError(t, err)
	address := func() string {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer func() { _ = free.Close() }() // it was to find a port
		return free.Addr().String()
	}
	t.Run("bridge", func(t *testing.T) {
		at := address()
		config := filepath.Join(t.TempDir(), "live.json")
		require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, live,
			fmt.Sprintf(`{"kind": "websocket", "address": %q}`, at)), 0o600))
		underFlood(t, at, viewer, program, "simulate", town, "--actors", "3", "--real-time", "1",
			"--duration", "1000", "--bridge", config)
	})
	t.Run("simulator", func(t *testing.T) {
		at := address()
		underFlood(t, at, director, program, "simulate", town, "--serve", at)
	})
}

// underFlood starts a server, and uses it while thousands of connections are tried.
func underFlood(t *testing.T, address string, use func(context.Context, string) error,
	words ...string) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", append([]string{"-c",
		"ulimit -n " + strconv.Itoa(descriptors) + ` && exec "$@"`, "sh"}, words...)...)
	var said progress
	c.Stdout, c.Stderr = &said, &said
	require.NoError(t, c.Start())
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	listening(t, ctx, address)

	most := watched(t, ctx, c.Process.Pid)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for range 50 {
		all.Go(func() { keep(ctx, address, thousands/50) })
	}
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		err := use(ctx, address)
		if err == nil && time.Since(begun) > 5*time.Second {
			break // also after the first clients have had to send something
		}
		require.NoError(t, ctx.Err(), "%v: %v", said.String(), err)
	}
	require.Positive(t, most())
	const others = 4 // the client that is served, and one that is being refused
	require.LessOrEqual(t, most(), gate.MostOfMachine+others)
	require.Less(t, peak(c.Process.Pid), float64(mostMB))
	require.NoError(t, c.Process.Signal(syscall.Signal(0)), "it runs")
}

func listening(t testing.TB, ctx context.Context, address string) {
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			return
		}
		require.NoError(t, ctx.Err())
		time.Sleep(10 * time.Millisecond)
	}
}

// keep opens connections and sends nothing. A connection that was closed makes room for another one.
func keep(ctx context.Context, address string, n int) {
	d := net.Dialer{Timeout: 10 * time.Second, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}
	open := make([]net.Conn, 0, n)
	for range n {
		if conn, err := d.DialContext(ctx, "tcp", address); err == nil {
			open = append(open, conn)
		}
	}
	<-ctx.Done()
	for _, conn := range open {
		_ = conn.Close()
	}
}

// watched returns a function that returns the largest number of sockets that a process has had.
func watched(t *testing.T, ctx context.Context, pid int) (most func() int) {
	var mu sync.Mutex
	largest := 0
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			n := 0
			list, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
			for _, name := range list {
				if to, _ := os.Readlink(name); strings.HasPrefix(to, "socket:") {
					n++
				}
			}
			mu.Lock()
			largest = max(largest, n-1) // one of them listens
			mu.Unlock()
			time.Sleep(20 * time.Millisecond)
		}
	})
	t.Cleanup(all.Wait)
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return largest
	}
}

// elsewhere is an address of this machine that counts as another client.
var elsewhere = net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}

// viewer receives a message of a bridge.
func viewer(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	//nolint:bodyclose // the library closes it
	conn, _, err := websocket.Dial(ctx, "ws://"+address, &websocket.DialOptions{
		Subprotocols: []string{"foxglove.sdk.v1"}, HTTPClient: over(&elsewhere)})
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }() // everything was received
	conn.SetReadLimit(-1)
	if err := conn.Write(ctx, websocket.MessageText, subscription); err != nil {
		return err
	}
	for {
		kind, _, err := conn.Read(ctx)
		if err != nil || kind == websocket.MessageBinary {
			return err
		}
	}
}

// over returns a client whose connections come from a dialer.
func over(d *net.Dialer) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
}

// director connects to a simulator as a party, and leaves it.
func director(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	conn, err := elsewhere.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	c, err := simapi.NewClient(ctx, conn, "test", simapi.Role_SSP)
	if err != nil {
		_ = conn.Close()
		return err
	}
	return c.Close()
}
