package main

import (
	"context"
	"net"
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

func (p *parked) CreateActor(_ context.Context, r *simapi.CreateActor) (*simapi.ActorDescription, error) {
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

func TestSim(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := simapi.NewServer(simapi.Config{Name: "parked 1.0", Simulator: &parked{}})
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/sim",
		Setup: func(e *testscript.Env) error { e.Setenv("SIMULATOR", l.Addr().String()); return nil },
	})
}
