package support_test

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/support"
	"gosmp/simapi"
)

const ring = "../testdata/ring.xodr"

// clients returns a client in this process and one over TCP, each with its own server.
func clients(t *testing.T) map[string]*simapi.Client {
	ctx := context.Background()
	direct := simapi.NewServer(simapi.Config{Name: "mocksim",
		Simulator: support.New(support.Options{})})
	inside, err := direct.Connect("director", simapi.Role_SSP)
	require.NoError(t, err)
	remote := simapi.NewServer(simapi.Config{Name: "mocksim",
		Simulator: support.New(support.Options{})})
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
	reply, err := c.Init(ctx, &simapi.Init{StepSizeMs: 20, SimulationStepSizeMs: 5, Seed: 1,
		MapInfo: &simapi.MapInfo{Path: ring}})
	require.NoError(t, err)
	require.Equal(t, 5.0, reply.GetSimulationStepSizeMs())
	require.NotEmpty(t, reply.GetMapInfo().GetSha256())
	require.NoError(t, c.LaunchSimulator(ctx))
	create := func(id, kind string, x, y float64) error {
		_, err := c.CreateActor(ctx,
			&simapi.CreateActor{ActorId: id, Description: &simapi.ActorDescription{ActorType: kind},
				State: &simapi.ActorState{Position: at(x, y)}})
		return err
	}
	require.NoError(t, create("npc", "car", 20, -1.75))
	require.NoError(t, create("walker", "pedestrian", 60, -12))
	require.NoError(t, create("driver", "truck", 100, 60))
	require.ErrorIs(t, create("npc", "car", 0, 0), simapi.Code_DUPLICATE)
	require.ErrorIs(t, create("ufo", "saucer", 0, 0), simapi.Code_INVALID)
	require.NoError(t, c.SetExternalController(ctx, &simapi.SetExternalController{ActorId: "npc",
		Target:     at(180, -1.75),
		Parameters: []*simapi.Property{{Name: "max_speed", Value: "10"}}}))
	require.ErrorIs(t, c.SetExternalController(ctx, &simapi.SetExternalController{ActorId: "npc",
		Target: at(5000, 0)}), simapi.Code_INVALID)
	require.NoError(t,
		c.SetXYTrajectory(ctx,
			&simapi.SetXyTrajectory{ActorId: "walker", EndTimeMs: 1000,
				Polyline: []*simapi.Coord6Dof{at(60, -12), at(60, -10)}}))
	require.NoError(t,
		c.SetDynamicMove(ctx,
			&simapi.SetDynamicMove{ActorId: "driver",
				Controls: []*simapi.ActorControls{{Throttle: 1, SteeringWheelAngle: 1}}}))
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
			log = append(log, fmt.Sprint(s.GetActorId(), s.GetPosition().GetX(),
				s.GetPosition().GetY(), s.GetSpeed().GetX()))
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
	sim := support.New(support.Options{Traffic: mocksim.Traffic{Count: 4, Host: "ego"},
		Stepped: func(w *mocksim.World) { seen = w.Len() }})
	server := simapi.NewServer(simapi.Config{Name: "mocksim", Simulator: sim})
	defer func() { _ = server.Close() }()
	c, err := server.Connect("director", simapi.Role_SSP)
	require.NoError(t, err)
	ctx := context.Background()
	_, err = c.Init(ctx, &simapi.Init{StepSizeMs: 20, MapInfo: &simapi.MapInfo{Path: ring,
		Sha256: "00"}})
	require.ErrorContains(t, err, "sha256")
	_, err = c.Init(ctx,
		&simapi.Init{StepSizeMs: 20, MapInfo: &simapi.MapInfo{Path: "nowhere.xodr"}})
	require.ErrorIs(t, err, simapi.Code_INVALID)
	_, err = c.Init(ctx, &simapi.Init{StepSizeMs: 20, MapInfo: &simapi.MapInfo{Path: ring}})
	require.NoError(t, err)
	require.NoError(t, c.LaunchSimulator(ctx))
	states, err := c.GetActorsStates(ctx, &simapi.GetActorsStates{})
	require.NoError(t, err)
	require.Empty(t, states.GetState(), "the director does not own background traffic")
	require.NoError(t, c.StartSimulation(ctx, &simapi.StartSimulation{}))
	require.NoError(t, c.WaitStartSimulation(ctx, &simapi.WaitStartSimulation{}))
	require.NoError(t, c.StartStep(ctx, &simapi.StartStep{RequestedSimTimeMs: 20}))
	_, err = c.WaitStep(ctx, &simapi.WaitStep{})
	require.NoError(t, err)
	require.Equal(t, 5, seen)
}

// begun returns a client of a simulator that accepts actors.
func begun(t *testing.T, o support.Options, info *simapi.MapInfo) *simapi.Client {
	server := simapi.NewServer(simapi.Config{Name: "mocksim", Simulator: support.New(o)})
	t.Cleanup(func() { _ = server.Close() })
	c, err := server.Connect("director", simapi.Role_SSP)
	require.NoError(t, err)
	_, err = c.Init(t.Context(), &simapi.Init{StepSizeMs: 20, MapInfo: info})
	require.NoError(t, err)
	require.NoError(t, c.LaunchSimulator(t.Context()))
	return c
}

// TestSupport_InitialMotion verifies that an actor starts with the given velocity, insofar as a
// vehicle can move that way: forwards or backwards along its yaw.
func TestSupport_InitialMotion(t *testing.T) {
	c := begun(t, support.Options{}, &simapi.MapInfo{Path: ring})
	for id, want := range map[string]struct {
		position *simapi.Coord6Dof
		vx, vy   float64 // given
		yaw      float64
		x, y     float64 // of the speed
	}{
		"backwards":        {simapi.Pose(20, -1.75, 0), -5, 0, 0, -5, 0},
		"turned backwards": {simapi.Pose(30, -1.75, math.Pi), 5, 0, math.Pi, 5, 0},
		"forwards":         {simapi.Pose(40, -1.75, math.Pi), -5, 0, math.Pi, -5, 0},
		"no yaw, across":   {at(50, -1.75), 0, 5, math.Pi / 2, 0, 5},
		"no yaw, oncoming": {at(60, -1.75), -5, 0, math.Pi, -5, 0},
		"no yaw, standing": {at(70, -1.75), 0.05, 0, 0, 0.05, 0},
	} {
		_, err := c.CreateActor(t.Context(),
			&simapi.CreateActor{ActorId: id,
				Description: &simapi.ActorDescription{ActorType: "car"},
				State: &simapi.ActorState{Position: want.position,
					Speed: simapi.XY(want.vx, want.vy)}})
		require.NoError(t, err, id)
		states, err := c.GetActorsStates(t.Context(),
			&simapi.GetActorsStates{ActorId: []string{id}})
		require.NoError(t, err, id)
		got := states.GetState()[0]
		require.InDelta(t, want.yaw, got.GetPosition().GetYaw(), 1e-12, id)
		require.InDelta(t, want.x, got.GetSpeed().GetX(), 1e-12, id)
		require.InDelta(t, want.y, got.GetSpeed().GetY(), 1e-12, id)
	}
}

func TestSupport_UnknownParametersAreReported(t *testing.T) {
	c := begun(t, support.Options{}, &simapi.MapInfo{Path: ring})
	_, err := c.CreateActor(t.Context(),
		&simapi.CreateActor{ActorId: "npc", Description: &simapi.ActorDescription{ActorType: "car"},
			State: &simapi.ActorState{Position: at(20, -1.75)}})
	require.NoError(t, err)
	require.NoError(t,
		c.SetExternalController(t.Context(),
			&simapi.SetExternalController{ActorId: "npc", Target: at(180, -1.75),
				Parameters: []*simapi.Property{{Name: "max_speed", Value: "10"}, {Name: "mood",
					Value: "calm"}}}))
	require.NoError(t, c.StartSimulation(t.Context(), &simapi.StartSimulation{}))
	require.NoError(t, c.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
	for k, want := range []int{1, 0} {
		require.NoError(t,
			c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20 * float64(k+1)}))
		reply, err := c.WaitStep(t.Context(), &simapi.WaitStep{})
		require.NoError(t, err)
		require.Len(t, reply.GetEvents(), want)
		for _, e := range reply.GetEvents() {
			require.Equal(t, "ignored", e.GetKind())
			require.Equal(t, []string{"npc"}, e.GetActorId())
			require.Contains(t, e.GetMessage(),
				"found the parameters mood, expected speed, max_speed,")
		}
	}
}

// TestSupport_FixedMap verifies that a director cannot accidentally simulate on a map other than
// the one it names.
func TestSupport_FixedMap(t *testing.T) {
	m, err := opendrive.ReadFile(ring)
	require.NoError(t, err)
	copied := filepath.Join(t.TempDir(), "town.xodr")
	text, err := os.ReadFile(ring)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(copied, text, 0o600))
	other := filepath.Join(t.TempDir(), "ring.xodr")
	require.NoError(t, os.WriteFile(other, append(text, '\n'), 0o600))
	for path, refused := range map[string]bool{"": false, ring: false, "elsewhere/ring.xodr": false,
		`C:\maps\ring.xodr`: false, copied: false,
		"elsewhere/town.xodr": true, "ring.rd5": true, other: true,
		"/dev/zero": true} { // whose content never ends
		server := simapi.NewServer(simapi.Config{Name: "mocksim",
			Simulator: support.New(support.Options{Map: m})})
		c, err := server.Connect("director", simapi.Role_SSP)
		require.NoError(t, err)
		_, err = c.Init(t.Context(),
			&simapi.Init{StepSizeMs: 20, MapInfo: &simapi.MapInfo{Path: path}})
		if refused {
			require.ErrorIs(t, err, simapi.Code_INVALID, path)
			require.ErrorContains(t, err, "expected "+ring+", the simulated map")
		} else {
			require.NoError(t, err, path)
		}
		require.NoError(t, server.Close())
	}
}
