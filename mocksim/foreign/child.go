package foreign

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/support"
	"gosmp/simapi"
	"gosmp/timebase"
)

// Child is a simulator in a child process, as a [simapi.Simulator].
type Child struct {
	simapi.Base
	*pipe
	name   string
	ground *support.Ground // nil without a map
	scale  timebase.Scale  // of its steps
	now    timebase.Time
	ids    []string                      // of the director's actors
	places map[string]*simapi.ActorState // their last known states
	set    []*simapi.SetActorState       // for the next step
	// trajectories that the simulator does not support: states lead the actors along them
	paths  map[string]*simapi.Trajectory
	states []*simapi.ActorState // of the director's actors
	own    []*simapi.ActorState
	fresh  bool // states are up to date
}

// Start runs a command and performs the hello call.
func Start(ctx context.Context, command string, o Options) (*Child, error) {
	p, err := start(ctx, command, o)
	if err != nil {
		return nil, err
	}
	c := &Child{pipe: p}
	c.reset()
	reply := &simapi.HelloReply{}
	err = c.call(simapi.Method_HELLO, &simapi.Hello{Api: simapi.API, Name: party,
		Role: simapi.Role_SSP}, reply)
	if err == nil && reply.GetApi() != simapi.API {
		err = &simapi.Error{Place: fault.At("hello"), Kind: simapi.Code_VERSION,
			Found: fmt.Sprintf("%q", reply.GetApi()), Expected: fmt.Sprintf("%q", simapi.API)}
	}
	if err != nil {
		_ = c.Close() // it is unusable
		return nil, err
	}
	c.name = reply.GetName()
	return c, nil
}

// Name returns the name of the simulator with its version.
func (c *Child) Name() string { return c.name }

// Close ends the child.
func (c *Child) Close() error { return c.close() }

// Notes returns the child's notes about the last call.
func (c *Child) Notes() []string { return c.notes }

func (c *Child) reset() {
	c.ids, c.set, c.fresh, c.now = nil, nil, false, 0
	c.places, c.paths = map[string]*simapi.ActorState{}, map[string]*simapi.Trajectory{}
}

// Init loads the map in the child, and also in this process to compute heights.
func (c *Child) Init(_ context.Context, r *simapi.Init) (*simapi.InitReply, error) {
	c.reset()
	reply := &simapi.InitReply{}
	alone := proto.CloneOf(r)
	alone.Parties = nil // the child has only one director
	if err := c.call(simapi.Method_INIT, alone, reply); err != nil {
		return nil, err
	}
	defaultStep(r, reply)
	c.scale = timebase.NewScale(timebase.Rational{}, stepOf(r, reply))
	c.ground = nil
	if m, err := opendrive.ReadFile(r.GetMapInfo().GetPath()); err == nil {
		c.ground = &support.Ground{Map: m}
	}
	return reply, nil
}

// defaultStep completes the reply of a simulator that does not state its step.
func defaultStep(r *simapi.Init, reply *simapi.InitReply) {
	if reply.GetSimulationStepSizeMs() == 0 {
		reply.SimulationStepSizeMs = cmp.Or(reply.GetCapabilities().GetFixedStepMs(),
			r.GetStepSizeMs())
	}
}

// stepOf returns the step of the child. The director's step is a whole multiple of it.
func stepOf(r *simapi.Init, reply *simapi.InitReply) timebase.Grid {
	director, known := simapi.SpacingOf(r.GetStepSizeMs())
	own, given := simapi.SpacingOf(reply.GetSimulationStepSizeMs())
	if !known || !given {
		return director
	}
	return director.Part(int64(math.Round(director.Seconds() / own.Seconds())))
}

// At returns the road under a point.
func (c *Child) At(x, y, yaw float64, near string) (z, pitch, roll float64, ok bool) {
	if c.ground == nil {
		return 0, 0, 0, false
	}
	return c.ground.At(x, y, yaw, near)
}

// Lane returns the direction of travel at a point.
func (c *Child) Lane(x, y float64) (yaw float64, ok bool) {
	if c.ground == nil {
		return 0, false
	}
	return c.ground.Lane(x, y)
}

// LaunchSimulator prepares the child for actors.
func (c *Child) LaunchSimulator(context.Context) error {
	return c.optional(c.call(simapi.Method_LAUNCH_SIMULATOR, &simapi.LaunchSimulator{}, nil))
}

// TerminateSimulator undoes LaunchSimulator.
func (c *Child) TerminateSimulator(context.Context) error {
	c.reset()
	return c.optional(c.call(simapi.Method_TERMINATE_SIMULATOR, &simapi.TerminateSimulator{}, nil))
}

// optional ignores the error of a child that does not support an optional call.
func (c *Child) optional(err error) error {
	if simapi.CodeOf(err) == simapi.Code_NOT_SUPPORTED {
		return nil
	}
	return err
}

// CreateActor creates an actor.
func (c *Child) CreateActor(_ context.Context, r *simapi.CreateActor) (*simapi.ActorDescription,
	error) {
	reply := &simapi.CreateActorReply{}
	if err := c.call(simapi.Method_CREATE_ACTOR, r, reply); err != nil {
		return nil, err
	}
	c.ids, c.fresh = append(c.ids, r.GetActorId()), false
	return reply.GetDescription(), nil
}

// SetActorParams changes properties of an actor.
func (c *Child) SetActorParams(_ context.Context, r *simapi.SetActorParams) error {
	return c.call(simapi.Method_SET_ACTOR_PARAMS, r, nil)
}

// DestroyActor removes an actor.
func (c *Child) DestroyActor(_ context.Context, id string) error {
	err := c.call(simapi.Method_DESTROY_ACTOR, &simapi.DestroyActor{ActorId: id}, nil)
	if err == nil {
		c.ids = slices.DeleteFunc(c.ids, func(other string) bool { return other == id })
		c.forget(id)
		c.fresh = false
	}
	return err
}

// forget discards an actor's pending moves.
func (c *Child) forget(id string) {
	delete(c.paths, id)
	c.set = slices.DeleteFunc(c.set, func(s *simapi.SetActorState) bool {
		return s.GetState().GetActorId() == id
	})
}

// SetWeather changes the weather.
func (c *Child) SetWeather(_ context.Context, r *simapi.SetWeather) error {
	return c.call(simapi.Method_SET_WEATHER, r, nil)
}

// SetTimeOfDay sets the clock.
func (c *Child) SetTimeOfDay(_ context.Context, r *simapi.SetTimeOfDay) error {
	return c.call(simapi.Method_SET_TIME_OF_DAY, r, nil)
}

// SimCommand executes a command in the child.
func (c *Child) SimCommand(_ context.Context, r *simapi.SimCommand) ([]*simapi.Property, error) {
	reply := &simapi.SimCommandReply{}
	err := c.call(simapi.Method_SIM_COMMAND, r, reply)
	return reply.GetResults(), err
}

// SetXYTrajectory makes an actor follow a trajectory. If the child does not support trajectories,
// states lead the actor along.
func (c *Child) SetXYTrajectory(ctx context.Context, r *simapi.SetXyTrajectory) error {
	id := r.GetActorId()
	err := c.call(simapi.Method_SET_XY_TRAJECTORY, r, nil)
	switch simapi.CodeOf(err) {
	case simapi.Code_OK:
		c.forget(id)
		return nil
	case simapi.Code_NOT_SUPPORTED:
	default:
		return err
	}
	if _, err := c.ActorsStates(ctx); err != nil { // to know where the actor is
		return err
	}
	path := c.paths[id]
	if c.forget(id); path == nil {
		path = &simapi.Trajectory{}
	}
	path.Follow(r, c.now, c.scale.Grid(), c.places[id].GetPosition())
	c.paths[id] = path
	return nil
}

// SetDynamicMove lets controls move an actor.
func (c *Child) SetDynamicMove(_ context.Context, r *simapi.SetDynamicMove) error {
	err := c.call(simapi.Method_SET_DYNAMIC_MOVE, r, nil)
	if err == nil {
		c.forget(r.GetActorId())
	}
	return err
}

// SetExternalController lets the child drive an actor.
func (c *Child) SetExternalController(_ context.Context, r *simapi.SetExternalController) error {
	err := c.call(simapi.Method_SET_EXTERNAL_CONTROLLER, r, nil)
	if err == nil {
		c.forget(r.GetActorId())
	}
	return err
}

// SetActorState sets a state that becomes part of the next step.
func (c *Child) SetActorState(_ context.Context, r *simapi.SetActorState) error {
	c.forget(r.GetState().GetActorId())
	c.set = append(c.set, r)
	return nil
}

// StartSimulation prepares the child for steps.
func (c *Child) StartSimulation(_ context.Context, r *simapi.StartSimulation) error {
	c.fresh = false
	return c.optional(c.call(simapi.Method_START_SIMULATION, r, nil))
}

// EndSimulation ends a simulation.
func (c *Child) EndSimulation(_ context.Context, r *simapi.EndSimulation) ([]*simapi.Property,
	error) {
	c.reset()
	report := &simapi.Report{}
	err := c.optional(c.call(simapi.Method_END_SIMULATION, r, report))
	return report.GetProperties(), err
}

// GroundTruth returns a message of the child.
func (c *Child) GroundTruth(_ context.Context, r *simapi.GetGroundTruth) (
	*simapi.GetGroundTruthReply, error) {
	reply := &simapi.GetGroundTruthReply{}
	return reply, c.call(simapi.Method_GET_GROUND_TRUTH, r, reply)
}

// ActorsStates returns the states of the director's actors.
func (c *Child) ActorsStates(context.Context) ([]*simapi.ActorState, error) {
	if !c.fresh {
		reply := &simapi.GetActorsStatesReply{}
		err := c.call(simapi.Method_GET_ACTORS_STATES, &simapi.GetActorsStates{Own: true}, reply)
		if err != nil {
			return nil, err
		}
		c.take(reply.GetState())
	}
	return c.states, nil
}

// OwnStates returns the states of the actors created by the child.
func (c *Child) OwnStates(ctx context.Context) ([]*simapi.ActorState, error) {
	_, err := c.ActorsStates(ctx)
	return c.own, err
}

// take sorts states by the creator of their actors.
func (c *Child) take(list []*simapi.ActorState) {
	c.states, c.own, c.fresh = nil, nil, true
	for _, s := range list {
		if slices.Contains(c.ids, s.GetActorId()) {
			c.states = append(c.states, s)
			c.places[s.GetActorId()] = s
		} else {
			c.own = append(c.own, s)
		}
	}
}

// Step performs a step.
func (c *Child) Step(_ context.Context, s timebase.Span) ([]*simapi.Event, error) {
	request := &simapi.Step{RequestedSimTimeMs: c.scale.Milliseconds(s.End), States: true,
		Set: c.set}
	ended := c.lead(request, s)
	reply := &simapi.StepReply{}
	if err := c.call(simapi.Method_STEP, request, reply); err != nil {
		return nil, err
	}
	c.set, c.now = nil, s.End
	c.take(reply.GetState())
	return append(reply.GetEvents(), ended...), nil
}

// lead adds the states of actors with trajectories at the end of a step.
func (c *Child) lead(r *simapi.Step, s timebase.Span) (ended []*simapi.Event) {
	for _, id := range c.ids {
		path := c.paths[id]
		if path == nil || !path.Active() {
			continue
		}
		at := &simapi.Coord6Dof{}
		path.At(s.End, at)
		r.Set = append(r.Set, &simapi.SetActorState{State: &simapi.ActorState{ActorId: id,
			Position: at}})
		if s.Start < path.End() && path.End() <= s.End {
			ended = append(ended, &simapi.Event{Kind: simapi.EventExhausted, ActorId: []string{id},
				TimeMs: c.scale.Milliseconds(path.End())})
		}
	}
	return ended
}

var (
	_ simapi.Simulator = (*Child)(nil)
	_ simapi.Ground    = (*Child)(nil)
	_ simapi.Populated = (*Child)(nil)
	_ simapi.Placer    = (*Child)(nil)
	_ simapi.Witness   = (*Child)(nil)
	_ simapi.Noter     = (*Child)(nil)
)
