package support_test

import (
	"context"
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/support"
	"gosmp/simapi"
)

const ring = "../testdata/ring.xodr"

// clients are a client in this process and one over TCP, each with a server of its own.
func clients(t *testing.T) map[string]*simapi.Client {
	ctx := context.Background()
	direct := simapi.NewServer(simapi.Config{Name: "mocksim", Simulator: support.New(support.Options{})})
	inside, err := direct.Connect("director", simapi.Role_SSP)
	require.NoError(t, err)
	remote := simapi.NewServer(simapi.Config{Name: "mocksim", Simulator: support.New(support.Options{})})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = remote.Serve(l) }()
	outside, err := simapi.Dial(ctx, l.Addr().String(), "director", simapi.Role_SSP)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = inside.Close()
		_ = outside.Close()
		_ = direct.Close()
		_ = remote.Close()
	})
	return map[string]*simapi.Client{"in process": inside, "tcp": outside}
}

func at(x, y float64) *simapi.Coord6Dof { return &simapi.Coord6Dof{X: &x, Y: &y} }

// play runs one scenario with all three kinds of moves and returns what the client received.
func play(t *testing.T, c *simapi.Client) (log []string) {
	ctx := context.Background()
	reply, err := c.Init(ctx, &simapi.Init{StepSizeMs: 20, SimulationStepSizeMs: 5, Seed: 1, MapInfo: &simapi.MapInfo{Path: ring}})
	require.NoError(t, err)
	require.Equal(t, 5.0, reply.GetSimulationStepSizeMs())
	require.NotEmpty(t, reply.GetMapInfo().GetSha256())
	require.NoError(t, c.LaunchSimulator(ctx))
	create := func(id, kind string, x, y float64) error {
		_, err := c.CreateActor(ctx, &simapi.CreateActor{ActorId: id, Description: &simapi.ActorDescription{ActorType: kind},
			State: &simapi.ActorState{Position: at(x, y)}})
		return err
	}
	require.NoError(t, create("npc", "car", 20, -1.75))
	require.NoError(t, create("walker", "pedestrian", 60, -12))
	require.NoError(t, create("driver", "truck", 100, 60))
	require.ErrorIs(t, create("npc", "car", 0, 0), simapi.Code_DUPLICATE)
	require.ErrorIs(t, create("ufo", "saucer", 0, 0), simapi.Code_INVALID)
	require.NoError(t, c.SetExternalController(ctx, &simapi.SetExternalController{ActorId: "npc", Target: at(180, -1.75),
		Parameters: []*simapi.Property{{Name: "max_speed", Value: "10"}}}))
	require.ErrorIs(t, c.SetExternalController(ctx, &simapi.SetExternalController{ActorId: "npc", Target: at(5000, 0)}), simapi.Code_INVALID)
	require.NoError(t, c.SetXYTrajectory(ctx, &simapi.SetXyTrajectory{ActorId: "walker", EndTimeMs: 1000, Polyline: []*simapi.Coord6Dof{at(60, -12), at(60, -10)}}))
	require.NoError(t, c.SetDynamicMove(ctx, &simapi.SetDynamicMove{ActorId: "driver", Controls: []*simapi.ActorControls{{Throttle: 1, SteeringWheelAngle: 1}}}))
	_, err = c.SimCommand(ctx, &simapi.SimCommand{Command: "fly"})
	require.ErrorIs(t, err, simapi.Code_NOT_SUPPORTED)
	require.NoError(t, c.StartSimulation(ctx, &simapi.StartSimulation{}))
	require.NoError(t, c.WaitStartSimulation(ctx, &simapi.WaitStartSimulation{}))
	for k := 1; k <= 100; k++ {
		require.NoError(t, c.StartStep(ctx, &simapi.StartStep{RequestedSimTimeMs: 20 * float64(k)}))
		done, err := c.WaitStep(ctx, &simapi.WaitStep{})
		require.NoError(t, err)
		require.Equal(t, uint32(4), done.GetSteps())
		for _, e := range done.GetEvents() {
			log = append(log, e.GetMessage())
		}
		states, err := c.GetActorsStates(ctx, &simapi.GetActorsStates{})
		require.NoError(t, err)
		require.Len(t, states.GetState(), 3)
		for _, s := range states.GetState() {
			log = append(log, fmt.Sprint(s.GetActorId(), s.GetPosition().GetX(), s.GetPosition().GetY(), s.GetSpeed().GetX()))
		}
	}
	_, err = c.EndSimulation(ctx, &simapi.EndSimulation{})
	require.NoError(t, err)
	return log
}

func TestSupport_OneScenarioBothWays(t *testing.T) {
	logs := map[string][]string{}
	for name, c := range clients(t) {
		logs[name] = play(t, c)
	}
	require.Equal(t, logs["in process"], logs["tcp"])
	require.Contains(t, logs["tcp"], "1.005000000s exhausted walker")
}

func TestSupport_TrafficIsThere(t *testing.T) {
	seen := 0
	sim := support.New(support.Options{Traffic: mocksim.Traffic{Count: 4, Host: "ego"}, Stepped: func(w *mocksim.World) { seen = w.Len() }})
	server := simapi.NewServer(simapi.Config{Name: "mocksim", Simulator: sim})
	defer func() { _ = server.Close() }()
	c, err := server.Connect("director", simapi.Role_SSP)
	require.NoError(t, err)
	ctx := context.Background()
	_, err = c.Init(ctx, &simapi.Init{StepSizeMs: 20, MapInfo: &simapi.MapInfo{Path: ring, Sha256: "00"}})
	require.ErrorContains(t, err, "sha256")
	_, err = c.Init(ctx, &simapi.Init{StepSizeMs: 20, MapInfo: &simapi.MapInfo{Path: "nowhere.xodr"}})
	require.ErrorIs(t, err, simapi.Code_INVALID)
	_, err = c.Init(ctx, &simapi.Init{StepSizeMs: 20, MapInfo: &simapi.MapInfo{Path: ring}})
	require.NoError(t, err)
	require.NoError(t, c.LaunchSimulator(ctx))
	states, err := c.GetActorsStates(ctx, &simapi.GetActorsStates{})
	require.NoError(t, err)
	require.Empty(t, states.GetState(), "background traffic is none of the director's actors")
	require.NoError(t, c.StartSimulation(ctx, &simapi.StartSimulation{}))
	require.NoError(t, c.WaitStartSimulation(ctx, &simapi.WaitStartSimulation{}))
	require.NoError(t, c.StartStep(ctx, &simapi.StartStep{RequestedSimTimeMs: 20}))
	_, err = c.WaitStep(ctx, &simapi.WaitStep{})
	require.NoError(t, err)
	require.Equal(t, 5, seen)
}
