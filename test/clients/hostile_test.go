//go:build linux

package clients

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

const (
	crowd   = 64  // clients
	mostMB  = 300 // resident memory, at its peak
	timeout = 3 * time.Minute
)

const live = `{"bridge": 1, "system": "ros2",
"transport": %s, "messages": [
{"topic": "/imu", "type": "sensor_msgs/Imu", "direction": "down", "vehicle": "sut",
 "event": "imu", "from": "OSMPSensorViewOut"},
{"topic": "/objects", "type": "vision_msgs/Detection3DArray", "direction": "down", "vehicle": "sut",
 "event": "objects", "from": "OSMPSensorViewOut"},
{"topic": "/text", "type": "std_msgs/String", "direction": "up", "vehicle": "sut", "event": "text"}]}`

// crowds holds the clients of each transport: what they do until the context or the server ends, at
// an address, or in a domain of DDS.
var crowds = map[string][]func(ctx context.Context, address string){
	"websocket": viewers, "tcp": callers, "dds": participants, "simulator": observers}

// bridges are the transports of a bridge.
var bridges = []string{"websocket", "tcp", "dds"}

// transport returns the configuration of a transport, and where its clients find it.
func transport(t testing.TB, kind string) (config, address string) {
	t.Helper()
	if kind == "dds" {
		// The domains whose ports are below the ephemeral ones, without those of bridge/dds's tests.
		address = strconv.Itoa(96 + os.Getpid()%6)
		return `{"kind": "dds", "domain": ` + address + `}`, address
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, free.Close())
	address = free.Addr().String()
	return fmt.Sprintf(`{"kind": %q, "address": %q}`, kind, address), address
}

// figures holds the figures of a run.
type figures struct {
	pace   float64 // share of the requested pace
	lag    timebase.Lag
	peakMB float64
	cores  float64 // processor time per time

	received int // messages
}

// build builds the command.
func build(t testing.TB) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "gosmp")
	out, err := exec.Command("go", "build", "-o", program, "gosmp/cmd/gosmp").CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// simulate runs a simulation of some seconds in real time with a number of hostile clients. If
// enough is not 0, the run is interrupted as soon as it has received that many messages.
func simulate(t testing.TB, program, kind string, seconds float64, enough, clients int,
) (f figures) {
	t.Helper()
	settings, address := transport(t, kind)
	config := filepath.Join(t.TempDir(), "live.json")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, live, settings), 0o600))
	town, err := filepath.Abs("../../examples/maps/crossing.xodr")
	require.NoError(t, err)

	var said progress
	c := exec.Command(program, "simulate", town, "--actors", "20", "--real-time", "1",
		"--duration", strconv.FormatFloat(seconds, 'g', -1, 64), "--bridge", config)
	c.Stdout, c.Stderr = &said, &said
	require.NoError(t, c.Start())
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if kind == "dds" {
		discovered(t, ctx, address)
	} else {
		listening(t, ctx, address)
	}
	begun := time.Now()
	defer crowded(t, ctx, kind, address, clients)()
	over := make(chan error, 1)
	go func() { over <- c.Wait() }()
	watch := time.NewTicker(20 * time.Millisecond)
	defer watch.Stop()
	for running := true; running; {
		select {
		case <-watch.C:
			f.peakMB = max(f.peakMB, peak(c.Process.Pid))
			if enough > 0 && said.count() >= enough {
				enough = 0
				require.NoError(t, c.Process.Signal(os.Interrupt))
			}
		case err = <-over:
			running = false
		}
	}
	f.received = said.count()
	if c.ProcessState.String() != "signal: interrupt" { // as after Ctrl-C
		require.NoError(t, err, said.String())
	}
	f.pace = said.pace()
	f.lag = said.lag
	used := c.ProcessState
	f.cores = (used.UserTime() + used.SystemTime()).Seconds() / time.Since(begun).Seconds()
	return f
}

// The clients run in a process of their own, at low priority: their use of the processors must not
// affect the run, since real clients would be on other machines.
const addressVariable = "HOSTILE_CLIENTS"

func crowded(t testing.TB, ctx context.Context, kind, address string, clients int) (end func()) {
	t.Helper()
	c := exec.CommandContext(ctx, "nice", "-n", "19", os.Args[0], "-test.run", "^TestCrowd$")
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s %s", addressVariable, clients, kind, address))
	require.NoError(t, c.Start())
	return func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

// TestCrowd runs the process of the clients.
func TestCrowd(t *testing.T) {
	var n int
	var kind, address string
	if _, err := fmt.Sscan(os.Getenv(addressVariable), &n, &kind, &address); err != nil {
		t.Skip("a part of the other tests")
	}
	var all sync.WaitGroup
	for k := range n {
		all.Go(func() { crowds[kind][k%len(crowds[kind])](t.Context(), address) })
	}
	all.Wait()
}

// progress is the output of a run, which prints an event with its simulated time for each message
// that it has received. The time for which a run waits at its end, so that clients get the rest,
// does not count towards its pace.
type progress struct {
	mu          sync.Mutex
	tail        []byte
	first, last float64 // simulated seconds
	from, to    time.Time
	messages    int
	lag         timebase.Lag
}

func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := bytes.Split(append(p.tail, b...), []byte("\n"))
	for _, line := range lines[:len(lines)-1] {
		if n, _ := fmt.Sscanf(string(line), "at most %g s behind the clock, at %g s; %g s",
			&p.lag.Largest, &p.lag.At, &p.lag.Last); n > 0 {
			continue
		}
		at, _, found := strings.Cut(string(line), " s: event text ")
		seconds, err := strconv.ParseFloat(at, 64)
		if !found || err != nil {
			continue
		}
		p.messages++
		if p.last, p.to = seconds, time.Now(); p.from.IsZero() {
			p.first, p.from = p.last, p.to
		}
	}
	p.tail = bytes.Clone(lines[len(lines)-1])
	return len(b), nil
}

func (p *progress) pace() float64 { return (p.last - p.first) / p.to.Sub(p.from).Seconds() }

func (p *progress) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.messages
}

func (p *progress) String() string { return fmt.Sprintf("at %g s: %s", p.last, p.tail) }

// peak returns the peak resident memory of a process, in MB, or 0 if it has ended.
func peak(pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	if err != nil || !found {
		return 0
	}
	kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return kb / 1024
}

// TestHostileClients_EndNoRun runs with the crowd until some of its messages have arrived: the run
// ends well, within its memory limit.
func TestHostileClients_EndNoRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	program := build(t)
	for _, kind := range bridges {
		t.Run(kind, func(t *testing.T) {
			f := simulate(t, program, kind, timeout.Seconds(), 10, crowd)
			require.Less(t, f.peakMB, float64(mostMB))
			require.Positive(t, f.peakMB)
			require.GreaterOrEqual(t, f.received, 10)
		})
	}
}

// BenchmarkHostileClients compares the pace of a run with one client and with the crowd.
func BenchmarkHostileClients(b *testing.B) {
	program := build(b)
	for _, kind := range bridges {
		b.Run(kind, func(b *testing.B) {
			for range b.N {
				alone := simulate(b, program, kind, 20, 0, 1)
				among := simulate(b, program, kind, 20, 0, crowd)
				b.ReportMetric(100*alone.pace, "%alone")
				b.ReportMetric(100*among.pace, "%among")
				b.ReportMetric(1000*among.lag.Largest, "ms-behind")
				b.ReportMetric(1000*among.lag.Last, "ms-at-end")
				b.ReportMetric(among.cores, "cores")
				b.ReportMetric(among.peakMB, "MB")
			}
		})
	}
}
