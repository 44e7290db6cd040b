package main

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"gosmp/simapi"
	"gosmp/timebase"
)

// parked is a simulator in which nothing moves.
type parked struct {
	simapi.Base
	ids []string
}

func (p *parked) Init(_ context.Context, r *simapi.Init) (*simapi.InitReply, error) {
	p.ids = nil
	return &simapi.InitReply{SimulationStepSizeMs: r.GetStepSizeMs()}, nil
}

func (p *parked) CreateActor(_ context.Context, r *simapi.CreateActor) (*simapi.ActorDescription,
	error) {
	p.ids = append(p.ids, r.GetActorId())
	return nil, nil
}

func (*parked) DestroyActor(context.Context, string) error { return nil }

func (p *parked) ActorsStates(context.Context) (list []*simapi.ActorState, err error) {
	for _, id := range p.ids {
		list = append(list, &simapi.ActorState{ActorId: id, Position: simapi.XY(0, 0)})
	}
	return list, nil
}

func (*parked) SetXYTrajectory(context.Context, *simapi.SetXyTrajectory) error { return nil }

func (*parked) Step(context.Context, timebase.Span) ([]*simapi.Event, error) { return nil, nil }

// talker is a system under test that sends a message in each step.
type talker struct {
	simapi.BaseSUT
	message *simapi.Message
}

func (t talker) SetEgoDestination(context.Context, *simapi.SetEgoDestination) error { return nil }

func (t talker) Messages(context.Context) ([]*simapi.Message, uint64, error) {
	return []*simapi.Message{t.message}, 0, nil
}

// Messages that cannot be decoded are reported with their field and byte.
func TestSim_Messages(t *testing.T) {
	vars := map[string]string{}
	for name, m := range map[string]*simapi.Message{
		// The same fields in the format of ROS 1: a Header starts with seq, and strings have no
		// NUL.
		"ROS1": {Topic: "/header", Type: "std_msgs/Header", Cdr: []byte{0, 1, 0, 0, 7, 0, 0, 0, 1,
			0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 'm', 'a', 'p'}},
		"NUL": {Topic: "/status", Type: "std_msgs/String", Cdr: []byte{0, 1, 0, 0, 2, 0, 0, 0, 'o',
			'k'}},
		// A float64 of a Point starts at a multiple of 8 after the header.
		"ALIGN": {Topic: "/gap", Type: "gap_msgs/Gap", Cdr: []byte{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0,
			0, 0xf8, 0x3f}},
		"GOOD": {Topic: "/status", Type: "std_msgs/String", Cdr: []byte{0, 1, 0, 0, 3, 0, 0, 0,
			'o', 'k', 0}},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		server := simapi.NewServer(simapi.Config{Name: "talker", Simulator: &parked{},
			SUT: talker{message: m}})
		go func() { _ = server.Serve(l) }()
		t.Cleanup(func() { require.NoError(t, server.Close()) })
		vars[name] = l.Addr().String()
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/simmessages",
		Setup: func(e *testscript.Env) error {
			for name, address := range vars {
				e.Setenv(name, address)
			}
			return nil
		},
	})
}

func TestSim(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := simapi.NewServer(simapi.Config{Name: "parked 1.0", Simulator: &parked{}})
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	testscript.Run(t, testscript.Params{
		Dir: "testdata/sim",
		Setup: func(e *testscript.Env) error {
			e.Setenv("SIMULATOR", l.Addr().String())
			e.Setenv("SILENT", silent(t, filepath.Join(e.WorkDir, "asked")))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"interrupt": interruptCommand,
		},
	})
}

// silent returns the address of a server that never answers. It creates a file when a client has
// sent something.
func silent(t *testing.T, file string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }() // was only read
				if n, _ := c.Read(make([]byte, 1)); n > 0 {
					_ = os.WriteFile(file, nil, 0o600) // the script waits for it
				}
				_, _ = io.Copy(io.Discard, c) // until the client ends
			}()
		}
	}()
	return l.Addr().String()
}
