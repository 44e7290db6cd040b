//go:build linux

package clients

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/simapi"
)

// observers are the clients of a simulator.
var observers = []func(ctx context.Context, address string){
	unread(20*time.Millisecond, simapi.Method_GET_MESSAGES, &simapi.GetMessages{}),
	unread(20*time.Millisecond, simapi.Method_GET_GROUND_TRUTH, &simapi.GetGroundTruth{}),
	unread(0, simapi.Method_GET_MESSAGES, &simapi.GetMessages{}),
	unread(0, simapi.Method_GET_GROUND_TRUTH, &simapi.GetGroundTruth{}),
	unread(0, simapi.Method_GET_ACTORS_STATES, &simapi.GetActorsStates{}),
	unread(0, simapi.Method_SEND_MESSAGES, &simapi.SendMessages{Message: []*simapi.Message{
		{Topic: "/text", Type: "std_msgs/String", Cdr: make([]byte, 8<<20)}}}),
	stalls,
	mumbles,
}

var observer atomic.Int64

// unread makes a call again and again, with a pause, and reads no answers.
func unread(pause time.Duration, m simapi.Method, request proto.Message,
) func(context.Context, string) {
	return func(ctx context.Context, address string) {
		for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
			if err != nil {
				continue
			}
			for err = greet(conn, m); err == nil &&
				ctx.Err() == nil; err = call(conn, m, request) {
				time.Sleep(pause)
			}
			_ = conn.Close()
		}
	}
}

// greet says hello as an observer or, where only others may make a call, as a vehicle.
func greet(conn net.Conn, m simapi.Method) error {
	hello := &simapi.Hello{Api: simapi.API, Role: simapi.Role_OBSERVER,
		Name: fmt.Sprintf("observer %d", observer.Add(1))}
	if m == simapi.Method_SEND_MESSAGES && observer.Load()%2 == 0 {
		hello.Role = simapi.Role_DSP
	}
	return call(conn, simapi.Method_HELLO, hello)
}

// stalls sends all but the last byte of the longest frame.
func stalls(ctx context.Context, address string) {
	for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			continue
		}
		if greet(conn, simapi.Method_HELLO) == nil {
			b := binary.BigEndian.AppendUint32(nil, simapi.LargestFrame)
			_, _ = conn.Write(append(b, make([]byte, simapi.LargestFrame-1)...))
			_, _ = io.Copy(io.Discard, conn) // until the server closes it
		}
		_ = conn.Close()
	}
}

func call(conn net.Conn, m simapi.Method, request proto.Message) error {
	body, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	b, err := simapi.AppendFrame(nil, &simapi.Frame{Id: 1, Method: m, Body: body})
	if err != nil {
		return err
	}
	_, err = conn.Write(b)
	return err
}

// direct lets a director simulate for a number of steps together with hostile clients. It returns
// the steps per second.
func direct(t testing.TB, program string, steps, clients int) (rate, peakMB float64) {
	t.Helper()
	_, address := transport(t, "simulator")
	town, err := filepath.Abs("../../examples/maps/crossing.xodr")
	require.NoError(t, err)
	c := exec.Command(program, "simulate", town, "--serve", address)
	c.Stderr = os.Stderr
	require.NoError(t, c.Start())
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	listening(t, ctx, address)
	d, err := simapi.Dial(ctx, address, "director", simapi.Role_SSP)
	require.NoError(t, err)
	defer func() { _ = d.Close() }() // the simulator ends
	_, err = d.Init(ctx, &simapi.Init{StepSizeMs: 20, MapInfo: &simapi.MapInfo{Path: town}})
	require.NoError(t, err)
	require.NoError(t, d.LaunchSimulator(ctx))
	require.NoError(t, d.StartSimulation(ctx, &simapi.StartSimulation{}))
	require.NoError(t, d.WaitStartSimulation(ctx, &simapi.WaitStartSimulation{}))
	defer crowded(t, ctx, "simulator", address, clients)()
	begun := time.Now()
	for k := range steps {
		require.NoError(t, d.StartStep(ctx, &simapi.StartStep{
			RequestedSimTimeMs: float64(20 * (k + 1))}))
		_, err = d.WaitStep(ctx, &simapi.WaitStep{})
		require.NoError(t, err)
		_, err = d.GetActorsStates(ctx, &simapi.GetActorsStates{})
		require.NoError(t, err)
		peakMB = peak(c.Process.Pid)
	}
	return float64(steps) / time.Since(begun).Seconds(), peakMB
}

// TestHostileObservers_EndNoSimulation: a director gets all its steps in spite of them.
func TestHostileObservers_EndNoSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	_, peakMB := direct(t, build(t), 1000, crowd)
	t.Logf("at most %.0f MB", peakMB)
	require.Less(t, peakMB, float64(mostMB))
	require.Positive(t, peakMB)
}

// BenchmarkHostileObservers compares the steps per second with one client and with the crowd.
func BenchmarkHostileObservers(b *testing.B) {
	program := build(b)
	for range b.N {
		alone, _ := direct(b, program, 3000, 1)
		among, peakMB := direct(b, program, 3000, crowd)
		b.ReportMetric(alone, "steps/s-alone")
		b.ReportMetric(among, "steps/s-among")
		b.ReportMetric(peakMB, "MB")
	}
}
