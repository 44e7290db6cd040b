package simapi_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/simapi"
	"gosmp/timebase"
)

// raw is a connection without a client.
type raw struct {
	net.Conn
	frames *simapi.FrameReader
}

func dialRaw(t *testing.T, address string) *raw {
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Minute)))
	return &raw{conn, simapi.NewFrameReader(conn)}
}

func (r *raw) send(t *testing.T, id uint64, m simapi.Method, body proto.Message) {
	b, err := proto.Marshal(body)
	require.NoError(t, err)
	frame, err := simapi.AppendFrame(nil, &simapi.Frame{Id: id, Method: m, Body: b})
	require.NoError(t, err)
	_, err = r.Write(frame)
	require.NoError(t, err)
}

func (r *raw) next(t *testing.T) *simapi.Frame {
	var f simapi.Frame
	require.NoError(t, r.frames.Next(&f))
	return &f
}

func hello(name string) *simapi.Hello {
	return &simapi.Hello{Api: simapi.API, Name: name, Role: simapi.Role_SSP}
}

// TestServe_BrokenConnections checks that an error on a connection ends only that connection. The
// server's reply states the reason.
func TestServe_BrokenConnections(t *testing.T) {
	server, connect := serve(t, &double{}, nil, true)
	good := connect("good", simapi.Role_SSP)
	launched(t, good, &simapi.Init{StepSizeMs: 20})
	address := listen(t, server)
	le := binary.LittleEndian.AppendUint32(nil, 0x30)
	for name, c := range map[string]struct {
		bytes []byte
		text  string
	}{
		"2 GB": {[]byte{0x7f, 0xff, 0xff, 0xff, 1, 2},
			"byte 0 of the connection: invalid: found a frame of 2147483647 bytes, expected " +
				"at most "},
		"little endian": {le, "lengths are big-endian; read the other way round it is 48 (SA27)"},
		"no frame": {[]byte{0, 0, 0, 2, 0xff, 0xff},
			"byte 4 of the connection: invalid: found 2 bytes that are not a Frame"},
		"half":          {[]byte{0, 0, 1, 0, 1, 2}, "found 6 bytes of a frame, expected 260"},
		"half a length": {[]byte{0, 0}, "found 2 bytes of the length of a frame, expected 4"},
	} {
		for _, greeted := range []bool{false, true} {
			r := dialRaw(t, address)
			if greeted {
				r.send(t, 1, simapi.Method_HELLO, hello(name))
				require.Equal(t, simapi.Code_OK, r.next(t).GetStatus().GetCode())
			}
			_, err := r.Write(c.bytes)
			require.NoError(t, err)
			require.NoError(t, r.Conn.(*net.TCPConn).CloseWrite())
			answer := r.next(t)
			if greeted {
				_, text, _ := strings.Cut(c.text, "of the connection: ")
				require.Contains(t, answer.GetStatus().GetMessage(), text)
				continue
			}
			require.Contains(t, answer.GetStatus().GetMessage(), c.text)
			require.ErrorIs(t, r.frames.Next(&simapi.Frame{}), io.EOF)
		}
	}
	_, err := good.GetActorsStates(t.Context(), &simapi.GetActorsStates{})
	require.NoError(t, err)
}

// TestServe_Handshake checks that a connection starts with hello in the same version.
func TestServe_Handshake(t *testing.T) {
	server, connect := serve(t, &double{}, nil, true)
	connect("taken", simapi.Role_SSP)
	address := listen(t, server)
	for _, c := range []struct {
		m    simapi.Method
		body proto.Message
		code simapi.Code
		text string
	}{
		{simapi.Method_INIT, &simapi.Init{StepSizeMs: 20}, simapi.Code_WRONG_STATE,
			"init: wrong state: found the first call of a connection, expected hello"},
		{simapi.Method_HELLO, &simapi.Hello{Api: "gosmp.simapi/2", Name: "a",
			Role: simapi.Role_SSP}, simapi.Code_VERSION,
			`found "gosmp.simapi/2", expected "gosmp.simapi/1"`},
		{simapi.Method_HELLO, hello("taken"), simapi.Code_DUPLICATE,
			`found a second party named "taken"`},
	} {
		r := dialRaw(t, address)
		r.send(t, 7, c.m, c.body)
		f := r.next(t)
		require.Equal(t, c.code, f.GetStatus().GetCode())
		require.Contains(t, f.GetStatus().GetMessage(), c.text)
		require.ErrorIs(t, r.frames.Next(f), io.EOF)
	}
	_, err := simapi.Dial(t.Context(), address, "taken", simapi.Role_SSP)
	require.ErrorIs(t, err, simapi.Code_DUPLICATE)
	_, err = simapi.Dial(t.Context(), "127.0.0.1:1", "x", simapi.Role_SSP)
	require.ErrorIs(t, err, simapi.Code_PARTY_LOST)
	require.ErrorContains(t, err, "start the simulator, or correct the address")
}

// TestServe_Busy checks F9: one call at a time. A second call is refused at once, and the first one
// continues.
func TestServe_Busy(t *testing.T) {
	release := make(chan struct{})
	d := &double{onStep: func(context.Context, timebase.Span) error { <-release; return nil }}
	server, _ := serve(t, d, nil, true)
	r := dialRaw(t, listen(t, server))
	calls := []struct {
		m    simapi.Method
		body proto.Message
	}{{simapi.Method_HELLO, hello("a")}, {simapi.Method_INIT, &simapi.Init{StepSizeMs: 20}},
		{simapi.Method_LAUNCH_SIMULATOR, &simapi.LaunchSimulator{}},
		{simapi.Method_START_SIMULATION, &simapi.StartSimulation{}},
		{simapi.Method_WAIT_START_SIMULATION, &simapi.WaitStartSimulation{}},
		{simapi.Method_START_STEP, &simapi.StartStep{RequestedSimTimeMs: 20}}}
	for k, c := range calls {
		r.send(t, uint64(k), c.m, c.body)
		f := r.next(t)
		require.Equal(t, simapi.Code_OK, f.GetStatus().GetCode(), f.GetStatus().GetMessage())
		require.EqualValues(t, k, f.GetId())
	}
	r.send(t, 50, simapi.Method_WAIT_STEP, &simapi.WaitStep{})
	r.send(t, 51, simapi.Method_GET_MESSAGES, &simapi.GetMessages{})
	f := r.next(t)
	require.EqualValues(t, 51, f.GetId())
	require.Equal(t, simapi.Code_BUSY, f.GetStatus().GetCode())
	close(release)
	f = r.next(t)
	require.EqualValues(t, 50, f.GetId())
	require.Equal(t, simapi.Code_OK, f.GetStatus().GetCode())
	r.send(t, 52, simapi.Method(77), &simapi.Empty{})
	require.Equal(t, simapi.Code_NOT_SUPPORTED, r.next(t).GetStatus().GetCode())
}

// TestClient_Cancel checks that canceling a client's context ends its call and closes the
// connection.
func TestClient_Cancel(t *testing.T) {
	d := &double{onStep: func(ctx context.Context, _ timebase.Span) error {
		<-ctx.Done()
		return ctx.Err()
	}}
	_, connect := serve(t, d, nil, true)
	c := connect("a", simapi.Role_SSP)
	launched(t, c, &simapi.Init{StepSizeMs: 20})
	running(t, c)
	require.NoError(t, c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := c.WaitStep(ctx, &simapi.WaitStep{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = c.WaitStep(t.Context(), &simapi.WaitStep{})
	require.ErrorContains(t, err, "wait_step: the connection ended earlier")
}

// TestFrameReader_Portions checks that frames are read as written, in whatever portions they
// arrive.
func TestFrameReader_Portions(t *testing.T) {
	var b []byte
	var want []*simapi.Frame
	for k := range 50 {
		f := &simapi.Frame{Id: uint64(k), Method: simapi.Method_WAIT_STEP,
			Body: bytes.Repeat([]byte{byte(k)}, k*k*k)}
		var err error
		b, err = simapi.AppendFrame(b, f)
		require.NoError(t, err)
		want = append(want, f)
	}
	for _, r := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b)),
		iotest.HalfReader(bytes.NewReader(b))} {
		frames := simapi.NewFrameReader(r)
		for _, f := range want {
			var got simapi.Frame
			require.NoError(t, frames.Next(&got))
			require.True(t, proto.Equal(f, &got))
		}
		require.ErrorIs(t, frames.Next(&simapi.Frame{}), io.EOF)
	}
	_, err := simapi.AppendFrame(nil, &simapi.Frame{Body: make([]byte, simapi.LargestFrame)})
	require.ErrorIs(t, err, simapi.Code_INVALID)
}

// TestFrameReader_MemoryFollowsTheBytes checks that a declared length of 16 MB allocates no memory
// before the bytes arrive.
func TestFrameReader_MemoryFollowsTheBytes(t *testing.T) {
	announced := append(binary.BigEndian.AppendUint32(nil, simapi.LargestFrame),
		make([]byte, 10)...)
	cost := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = simapi.NewFrameReader(bytes.NewReader(announced)).Next(&simapi.Frame{})
		}
	})
	require.Less(t, cost.AllocedBytesPerOp(), int64(200<<10))
}

func FuzzFrameReader(f *testing.F) {
	whole, _ := simapi.AppendFrame(nil, &simapi.Frame{Id: 3, Method: simapi.Method_INIT,
		Body: []byte{1, 2}, Status: &simapi.Status{Info: []string{"x"}}})
	f.Add(whole)
	f.Add([]byte{0x7f, 0xff, 0xff, 0xff})
	f.Add([]byte{0, 0, 0, 9, 8, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		frames := simapi.NewFrameReader(bytes.NewReader(b))
		for {
			var frame simapi.Frame
			err := frames.Next(&frame)
			if errors.Is(err, io.EOF) || err != nil {
				break
			}
			again, err := simapi.AppendFrame(nil, &frame)
			require.NoError(t, err)
			var second simapi.Frame
			require.NoError(t, simapi.NewFrameReader(bytes.NewReader(again)).Next(&second))
		}
	})
}

func BenchmarkCall(b *testing.B) {
	for _, way := range []string{"inprocess", "tcp"} {
		b.Run(way, func(b *testing.B) {
			server := simapi.NewServer(simapi.Config{Name: "double", Simulator: &double{},
				SUT: &stack{}})
			defer func() { _ = server.Close() }()
			c, err := server.Connect("a", simapi.Role_SSP)
			if way == "tcp" {
				require.NoError(b, c.Close())
				l, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(b, err)
				go func() { _ = server.Serve(l) }()
				c, err = simapi.Dial(b.Context(), l.Addr().String(), "a", simapi.Role_SSP)
				require.NoError(b, err)
			}
			require.NoError(b, err)
			_, err = c.Init(b.Context(), &simapi.Init{StepSizeMs: 20})
			require.NoError(b, err)
			require.NoError(b, c.LaunchSimulator(b.Context()))
			request := &simapi.GetEgoInfo{ActorId: "ego"}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.GetEgoInfo(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// stepping returns a function that makes one step and queries all states.
func stepping(t testing.TB, c *simapi.Client) func() {
	ctx, now := t.Context(), 0.0
	start, wait, states := &simapi.StartStep{}, &simapi.WaitStep{}, &simapi.GetActorsStates{}
	return func() {
		now += 20
		start.RequestedSimTimeMs = now
		err := c.StartStep(ctx, start)
		if err == nil {
			_, err = c.WaitStep(ctx, wait)
		}
		if err == nil {
			_, err = c.GetActorsStates(ctx, states)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// crowd returns a client of a simulator with a hundred actors, in this process or over TCP.
func crowd(t testing.TB, way string) *simapi.Client {
	states := make([]*simapi.ActorState, 100)
	d := &double{quiet: true, states: func() []*simapi.ActorState { return states }}
	server := simapi.NewServer(simapi.Config{Name: "double", Simulator: d})
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	c, err := server.Connect("a", simapi.Role_SSP)
	if way == "tcp" {
		require.NoError(t, c.Close())
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		go func() { _ = server.Serve(l) }()
		c, err = simapi.Dial(t.Context(), l.Addr().String(), "a", simapi.Role_SSP)
		require.NoError(t, err)
	}
	require.NoError(t, err)
	_, err = c.Init(t.Context(), &simapi.Init{StepSizeMs: 20})
	require.NoError(t, err)
	require.NoError(t, c.LaunchSimulator(t.Context()))
	for k := range states {
		r := car(strings.Repeat("x", k+1), 0, 0)
		states[k] = &simapi.ActorState{ActorId: r.GetActorId(), Position: simapi.XY(0, 0)}
		_, err := c.CreateActor(t.Context(), r)
		require.NoError(t, err)
	}
	require.NoError(t, c.StartSimulation(t.Context(), &simapi.StartSimulation{}))
	require.NoError(t, c.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
	return c
}

func BenchmarkStepWithStates(b *testing.B) {
	for _, way := range []string{"inprocess", "tcp"} {
		b.Run(way, func(b *testing.B) {
			step := stepping(b, crowd(b, way))
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}

// TestStepWithStates_Allocates checks that a step with the states of a hundred actors allocates
// almost nothing, regardless of their number.
func TestStepWithStates_Allocates(t *testing.T) {
	for way, most := range map[string]float64{"inprocess": 2, "tcp": 30} {
		step := stepping(t, crowd(t, way))
		for range 10 {
			step()
		}
		require.LessOrEqual(t, testing.AllocsPerRun(200, step), most, way)
	}
}

// TestServer_ClosesIdleParties checks that a party that makes no call loses its connection.
func TestServer_ClosesIdleParties(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	v := simapi.NewServer(simapi.Config{Name: "s", Idle: 50 * time.Millisecond})
	served := make(chan error, 1)
	go func() { served <- v.Serve(l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	_, err = io.ReadAll(conn) // returns once the server closes it
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.NoError(t, v.Close())
	require.NoError(t, <-served)
}

// TestServer_Token checks that a server with a token admits only connections that know the token.
func TestServer_Token(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	v := simapi.NewServer(simapi.Config{Name: "s", Token: "secret"})
	served := make(chan error, 1)
	go func() { served <- v.Serve(l) }()
	for _, address := range []string{"", "wrong@"} {
		_, err = simapi.Dial(t.Context(), address+l.Addr().String(), "a", simapi.Role_SSP)
		require.ErrorContains(t, err, "another token, or none")
		require.NotContains(t, err.Error(), "wrong", "no token in a log")
	}
	c, err := simapi.Dial(t.Context(), "secret@"+l.Addr().String(), "a", simapi.Role_SSP)
	require.NoError(t, err)
	require.NoError(t, c.Close())
	_, err = v.Connect("b", simapi.Role_SSP)
	require.NoError(t, err, "in this process")
	require.NoError(t, v.Close())
	require.NoError(t, <-served)
}
