package simapi_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/simapi"
	"gosmp/timebase"
)

// double is a simulator that logs its calls; function fields override its behaviour.
type double struct {
	simapi.Base
	quiet    bool // nothing is logged
	fixed    bool // it supports only its own step
	log      []string
	ownStep  float64
	ids      []string
	paths    map[string]*simapi.Trajectory
	places   map[string]*simapi.Coord6Dof
	step     timebase.Grid
	now      timebase.Time
	onInit   func(*simapi.Init) error
	onStart  func(ctx context.Context) error
	onStep   func(ctx context.Context, s timebase.Span) error
	onMove   func() error
	onParams func() error
	states   func() []*simapi.ActorState
	events   []*simapi.Event
}

func (d *double) note(format string, args ...any) {
	if d.quiet {
		return
	}
	d.log = append(d.log, fmt.Sprintf(format, args...))
}

func (d *double) Init(_ context.Context, r *simapi.Init) (*simapi.InitReply, error) {
	d.note("init %v", r.GetStepSizeMs())
	d.paths, d.places = map[string]*simapi.Trajectory{}, map[string]*simapi.Coord6Dof{}
	if d.onInit != nil {
		if err := d.onInit(r); err != nil {
			return nil, err
		}
	}
	own := d.ownStep
	if own == 0 {
		own = r.GetStepSizeMs()
	}
	d.step, _ = simapi.SpacingOf(own)
	reply := &simapi.InitReply{SimulationStepSizeMs: own}
	if d.fixed {
		reply.Capabilities = &simapi.Capabilities{FixedStepMs: own}
	}
	return reply, nil
}

func (d *double) LaunchSimulator(context.Context) error    { d.note("launch"); return nil }
func (d *double) TerminateSimulator(context.Context) error { d.note("terminate"); return nil }

func (d *double) CreateActor(_ context.Context, r *simapi.CreateActor) (*simapi.ActorDescription,
	error) {
	d.note("create %s", r.GetActorId())
	d.ids = append(d.ids, r.GetActorId())
	p := r.GetState().GetPosition()
	d.paths[r.GetActorId()], d.places[r.GetActorId()] = &simapi.Trajectory{}, simapi.XY(p.GetX(),
		p.GetY())
	return nil, nil
}

func (d *double) DestroyActor(_ context.Context, id string) error {
	d.note("destroy %s", id)
	d.ids = slices.DeleteFunc(d.ids, func(s string) bool { return s == id })
	return nil
}

func (d *double) SetXYTrajectory(_ context.Context, r *simapi.SetXyTrajectory) error {
	d.note("trajectory %s %v to %v", r.GetActorId(), r.GetStartTimeMs(), r.GetEndTimeMs())
	if d.onMove != nil {
		if err := d.onMove(); err != nil {
			return err
		}
	}
	d.paths[r.GetActorId()].Follow(r, d.now, d.step, d.places[r.GetActorId()])
	return nil
}

func (d *double) SetActorParams(context.Context, *simapi.SetActorParams) error {
	if d.onParams != nil {
		return d.onParams()
	}
	return nil
}

func (d *double) SetDynamicMove(_ context.Context, r *simapi.SetDynamicMove) error {
	c := r.GetControls()[0]
	d.note("controls %s %v %v %v", r.GetActorId(), c.GetThrottle(), c.GetBrake(),
		c.GetSteeringWheelAngle())
	return nil
}

func (d *double) SetWeather(_ context.Context, r *simapi.SetWeather) error {
	d.note("weather %v", r.GetRain())
	return nil
}

func (d *double) ActorsStates(context.Context) ([]*simapi.ActorState, error) {
	d.note("states")
	if d.states != nil {
		return d.states(), nil
	}
	var list []*simapi.ActorState
	for _, id := range d.ids {
		list = append(list, &simapi.ActorState{ActorId: id, Position: d.places[id]})
	}
	return list, nil
}

func (d *double) StartSimulation(context.Context, *simapi.StartSimulation) error {
	d.note("start")
	return nil
}

func (d *double) WaitStartSimulation(ctx context.Context) error {
	d.note("wait start")
	if d.onStart != nil {
		return d.onStart(ctx)
	}
	return nil
}

func (d *double) Step(ctx context.Context, s timebase.Span) ([]*simapi.Event, error) {
	if !d.quiet { // formatting the numbers would allocate
		d.note("step %v to %v ms", simapi.Ms(s.Start), simapi.Ms(s.End))
	}
	if d.onStep != nil {
		if err := d.onStep(ctx, s); err != nil {
			return nil, err
		}
	}
	for id, p := range d.paths {
		p.At(s.End, d.places[id])
	}
	d.now = s.End
	events := d.events
	d.events = nil
	return events, nil
}

func (d *double) EndSimulation(context.Context, *simapi.EndSimulation) ([]*simapi.Property, error) {
	d.note("end")
	d.ids, d.now = nil, 0
	return []*simapi.Property{{Name: "collisions", Value: "0"}}, nil
}

// stack is a system under test.
type stack struct {
	simapi.BaseSUT
	override func(*simapi.SetDynamicMove)
	sent     []*simapi.Message
	seen     []string
}

func (k *stack) SetEgoDestination(_ context.Context, r *simapi.SetEgoDestination) error {
	return nil
}

func (k *stack) Override(_ context.Context, r *simapi.SetDynamicMove) error {
	if k.override != nil {
		k.override(r)
	}
	return nil
}

func (k *stack) EgoInfo(context.Context, string) ([]*simapi.Property, error) {
	return []*simapi.Property{{Name: "mode", Value: "engaged"}}, nil
}

func (k *stack) SendMessages(_ context.Context, list []*simapi.Message) error {
	k.sent = append(k.sent, list...)
	return nil
}

func (k *stack) Messages(context.Context) ([]*simapi.Message, uint64, error) {
	list := k.sent
	k.sent = nil
	return list, 0, nil
}

func (k *stack) Step(_ context.Context, s timebase.Span, states []*simapi.ActorState) (
	[]*simapi.Event, error) {
	for _, a := range states {
		k.seen = append(k.seen, fmt.Sprintf("%v ms %s %v", simapi.Ms(s.End), a.GetActorId(),
			a.GetPosition().GetX()))
	}
	return nil, nil
}

// serve creates a server and a function that connects to it, in this process or over TCP.
func serve(t *testing.T, d simapi.Simulator, sut simapi.SUT, tcp bool) (*simapi.Server,
	func(name string,
		role simapi.Role) *simapi.Client) {
	t.Helper()
	server := simapi.NewServer(simapi.Config{Name: "double", Simulator: d, SUT: sut})
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	if !tcp {
		return server, func(name string, role simapi.Role) *simapi.Client {
			c, err := server.Connect(name, role)
			require.NoError(t, err)
			return c
		}
	}
	address := listen(t, server)
	return server, func(name string, role simapi.Role) *simapi.Client {
		c, err := simapi.Dial(t.Context(), address, name, role)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
}

func listen(t *testing.T, server *simapi.Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(l) }()
	return l.Addr().String()
}

// launched puts a client into the state Launched.
func launched(t *testing.T, c *simapi.Client, r *simapi.Init) {
	t.Helper()
	_, err := c.Init(t.Context(), r)
	require.NoError(t, err)
	require.NoError(t, c.LaunchSimulator(t.Context()))
}

// running then puts the client into the state Running.
func running(t *testing.T, c *simapi.Client) {
	t.Helper()
	require.NoError(t, c.StartSimulation(t.Context(), &simapi.StartSimulation{}))
	require.NoError(t, c.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
}

func step(t *testing.T, c *simapi.Client, to float64) *simapi.WaitStepReply {
	t.Helper()
	require.NoError(t, c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: to}))
	reply, err := c.WaitStep(t.Context(), &simapi.WaitStep{})
	require.NoError(t, err)
	return reply
}

func car(id string, x, y float64) *simapi.CreateActor {
	return &simapi.CreateActor{ActorId: id, Description: &simapi.ActorDescription{ActorType: "car",
		Length: 4.6, Width: 1.8, Height: 1.5},
		State: &simapi.ActorState{Position: simapi.XY(x, y)}}
}
