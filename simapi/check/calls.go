package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/portable"
	"gosmp/simapi"
)

// greet connects, which shows the byte order of frames.
func (c *checker) greet(ctx context.Context) {
	if s, ok := c.open(ctx); ok {
		c.close(s)
	}
}

// order makes calls that are not legal yet.
func (c *checker) order(ctx context.Context) {
	s, ok := c.open(ctx)
	if !ok {
		return
	}
	defer c.close(s)
	early := func(call string, err error) {
		c.refused("SA22", call, "a call before init", err, simapi.Code_WRONG_STATE)
	}
	early("launch_simulator", s.LaunchSimulator(ctx))
	_, err := s.GetActorsStates(ctx, &simapi.GetActorsStates{})
	early("get_actors_states", err)
	if c.dead || !c.init(ctx, s, &simapi.Init{StepSizeMs: stepMs}) {
		return
	}
	short, stop := c.patient(ctx)
	defer stop()
	err = s.StartStep(short, &simapi.StartStep{RequestedSimTimeMs: stepMs})
	c.refused("SA22", "start_step", "a step before start_simulation", err, simapi.Code_WRONG_STATE)
	if simapi.CodeOf(err) == simapi.Code_TIMEOUT {
		return
	}
	_, err = s.Init(ctx, &simapi.Init{StepSizeMs: stepMs})
	c.refused("SA22", "init", "a second init", err, simapi.Code_WRONG_STATE)
}

// ratio asks for simulator steps that do not fit.
func (c *checker) ratio(ctx context.Context) {
	for _, own := range []float64{7, 3 * stepMs} {
		s, ok := c.open(ctx)
		if !ok {
			return
		}
		reply, err := s.Init(ctx, &simapi.Init{StepSizeMs: stepMs, SimulationStepSizeMs: own,
			MapInfo: c.Map})
		used := reply.GetSimulationStepSizeMs()
		n := math.Round(stepMs / used)
		switch {
		case err != nil:
			c.refused("SA06", "init", fmt.Sprintf("a step of %v ms in one of %d ms", own, stepMs),
				err, simapi.Code_STEP_RATIO, simapi.Code_WRONG_STATE)
		case !(used > 0) || n < 1 || math.Abs(float64(n*used)-stepMs) > 1e-3:
			c.report("SA06", "init",
				"a step of %v ms in one of %d ms was accepted; expected step ratio", used, stepMs)
		}
		c.close(s)
		if c.dead {
			return
		}
	}
}

// kinds returns the actors of the check: of different heights and far from each other.
func (c *checker) kinds() []*simapi.CreateActor {
	sin, cos := portable.Sincos(c.At[2])
	var list []*simapi.CreateActor
	for k, size := range [][3]float64{{4.6, 1.8, 1.5}, {5.5, 2, 2.4}, {12, 2.5, 3.8}} {
		aside := 12 * float64(k)
		// not in alphabetical order
		list = append(list, &simapi.CreateActor{ActorId: fmt.Sprintf("check %c", 'c'-k),
			Description: &simapi.ActorDescription{ActorType: []string{"car", "van", "truck"}[k],
				Length: size[0], Width: size[1], Height: size[2]},
			State: &simapi.ActorState{Position: simapi.Pose(c.At[0]-float64(aside*sin),
				c.At[1]+float64(aside*cos), c.At[2])}})
	}
	return list
}

// actors creates, duplicates and destroys actors.
func (c *checker) actors(ctx context.Context) {
	s, ok := c.open(ctx)
	if !ok {
		return
	}
	defer c.close(s)
	kinds := c.kinds()
	if !c.init(ctx, s, &simapi.Init{StepSizeMs: stepMs}) || !c.create(ctx, s, kinds...) {
		return
	}
	c.create(ctx, s, &simapi.CreateActor{ActorId: "sizeless", Description: &simapi.ActorDescription{
		ActorType: "car"},
		State: &simapi.ActorState{Position: simapi.XY(c.At[0]-100, c.At[1])}})
	_, err := s.CreateActor(ctx, kinds[0])
	c.refused("SA16", "create_actor", "an actor that exists already", err, simapi.Code_DUPLICATE)
	c.refused("SA16", "destroy_actor", "an actor that does not exist", s.DestroyActor(ctx,
		&simapi.DestroyActor{ActorId: "nobody"}), simapi.Code_UNKNOWN_ACTOR)
	for text, p := range map[string]*simapi.Coord6Dof{"a position without x": {Y: proto.Float64(0)},
		"x = NaN": simapi.XY(math.NaN(), 0)} {
		_, err := s.CreateActor(ctx,
			&simapi.CreateActor{ActorId: text, Description: kinds[0].GetDescription(),
				State: &simapi.ActorState{Position: p}})
		c.refused("SA15", "create_actor", text, err, simapi.Code_INVALID)
	}
	thin := proto.CloneOf(kinds[0])
	thin.ActorId, thin.Description.Width = "thin", -1
	_, err = s.CreateActor(ctx, thin)
	c.refused("SA23", "create_actor", "a width of -1 m", err, simapi.Code_INVALID)
	if c.dead ||
		c.failed("destroy_actor",
			s.DestroyActor(ctx, &simapi.DestroyActor{ActorId: kinds[1].GetActorId()})) {
		return
	}
	_, err = s.CreateActor(ctx, kinds[1])
	c.refused("SA24", "create_actor", "the id of an actor that was destroyed", err,
		simapi.Code_DUPLICATE, simapi.Code_INVALID)
}

// moves requests moves that are impossible.
func (c *checker) moves(ctx context.Context) {
	s, ok := c.open(ctx)
	if !ok {
		return
	}
	defer c.close(s)
	kinds := c.kinds()
	if !c.init(ctx, s, &simapi.Init{StepSizeMs: stepMs}) || !c.create(ctx, s, kinds...) ||
		!c.start(ctx, s) {
		return
	}
	for k := 1.0; k <= 2; k++ {
		if _, ok := c.step(ctx, s, k*stepMs); !ok {
			return
		}
	}
	id, here := kinds[0].GetActorId(), kinds[0].GetState().GetPosition()
	points := []*simapi.Coord6Dof{here, here, here}
	c.refused("SA17", "set_xy_trajectory", "a trajectory that ends before it starts",
		s.SetXYTrajectory(ctx, &simapi.SetXyTrajectory{ActorId: id, StartTimeMs: 80, EndTimeMs: 60,
			Polyline: points}), simapi.Code_INVALID)
	err := s.SetXYTrajectory(ctx,
		&simapi.SetXyTrajectory{ActorId: id, StartTimeMs: 0, EndTimeMs: stepMs, Polyline: points})
	if err == nil && len(s.Warnings()) == 0 {
		c.report("SA18", "set_xy_trajectory",
			"a trajectory that lies in the past was accepted without a warning")
	}
	pressed := &simapi.SetDynamicMove{ActorId: id, StartTimeMs: 2 * stepMs,
		Controls: []*simapi.ActorControls{{Throttle: 2}}}
	c.refused("SA23", "set_dynamic_move", "a throttle of 2", s.SetDynamicMove(ctx, pressed),
		simapi.Code_INVALID)
	if !c.dead {
		c.twoMoves(ctx, s, id, here)
	}
}

// twoMoves requests two kinds of move for one actor at the same time.
func (c *checker) twoMoves(ctx context.Context, s *session, id string, here *simapi.Coord6Dof) {
	err := s.SetXYTrajectory(ctx, &simapi.SetXyTrajectory{ActorId: id, StartTimeMs: 2 * stepMs,
		EndTimeMs: 3 * stepMs,
		Polyline:  []*simapi.Coord6Dof{here}})
	if c.failed("set_xy_trajectory", err) {
		return
	}
	err = s.SetDynamicMove(ctx, &simapi.SetDynamicMove{ActorId: id, StartTimeMs: 2 * stepMs,
		Controls: []*simapi.ActorControls{{Brake: 1}}})
	if c.failed("set_dynamic_move", err) {
		return
	}
	warned := len(s.Warnings()) > 0
	reply, ok := c.step(ctx, s, 3*stepMs)
	if !ok {
		return
	}
	about := func(e *simapi.Event) bool { return slices.Contains(e.GetActorId(), id) }
	if !warned && !slices.ContainsFunc(reply.GetEvents(), about) {
		c.report("SA20", "set_dynamic_move",
			"a trajectory and controls for %q at %d ms were accepted without a warning or an event",
			id, 2*stepMs)
	}
}

// parties starts and steps with two parties, one of which is late.
func (c *checker) parties(ctx context.Context) {
	s, ok := c.open(ctx)
	if !ok {
		return
	}
	defer c.close(s)
	const other = "gosmp check, stack"
	second, err := c.Dial(ctx, other, simapi.Role_DSP)
	if simapi.CodeOf(err) == simapi.Code_NOT_SUPPORTED {
		c.skip("two parties: the simulator takes one")
		return
	}
	if c.failed("hello", err) {
		return
	}
	b := &session{Client: second}
	defer c.close(b)
	if !c.init(ctx, s, &simapi.Init{StepSizeMs: stepMs, Parties: []string{"gosmp check", other}}) ||
		!c.atOnce(ctx, "start_simulation", func(ctx context.Context) error {
			return s.StartSimulation(ctx, &simapi.StartSimulation{})
		}) || !c.bounded(ctx, "wait_start_simulation", other, func(ctx context.Context) error {
		return s.WaitStartSimulation(ctx, &simapi.WaitStartSimulation{MaxWaitMs: 50})
	}) || !c.start(ctx, b) || c.failed("wait_start_simulation", s.WaitStartSimulation(ctx,
		&simapi.WaitStartSimulation{})) {
		return
	}
	request := &simapi.StartStep{RequestedSimTimeMs: stepMs}
	if !c.atOnce(ctx, "start_step", func(ctx context.Context) error {
		return s.StartStep(ctx, request)
	}) ||
		!c.bounded(ctx, "wait_step", other, func(ctx context.Context) error {
			_, err := s.WaitStep(ctx, &simapi.WaitStep{MaxWaitMs: 50})
			return err
		}) || c.failed("start_step", b.StartStep(ctx, request)) {
		return
	}
	for _, p := range []*session{s, b} {
		_, err := p.WaitStep(ctx, &simapi.WaitStep{})
		c.failed("wait_step", err)
	}
}

// atOnce makes a call that must not wait for the other party.
func (c *checker) atOnce(ctx context.Context, name string, call func(context.Context) error) bool {
	short, stop := c.patient(ctx)
	defer stop()
	err := call(short)
	if simapi.CodeOf(err) == simapi.Code_TIMEOUT {
		c.report("SA04", name,
			"no answer in %v while the other party has not called it: a deadlock of the two",
			c.Patience)
		return false
	}
	return !c.failed(name, err)
}

// bounded makes a wait that must end before its event with an error that names the late party.
func (c *checker) bounded(ctx context.Context, name, late string,
	call func(context.Context) error) bool {
	short, stop := c.patient(ctx)
	defer stop()
	err := call(short)
	named := slices.ContainsFunc(simapi.Late(err),
		func(p *simapi.Party) bool { return p.GetName() == late })
	switch {
	case short.Err() != nil:
		c.report("SA05", name, "no answer in %v to a wait of at most 50 ms", c.Patience)
		return false
	case err == nil:
		c.report("SA05", name, "the wait has ended although %q has not called start", late)
		return false
	case simapi.CodeOf(err) != simapi.Code_TIMEOUT:
		return !c.failed(name, err)
	case !named && !strings.Contains(err.Error(), late):
		c.report("SA05", name, "the answer %q does not name %q, which is late", err, late)
	}
	return true
}

// sut uses the calls of the SUT side.
func (c *checker) sut(ctx context.Context) {
	s, ok := c.open(ctx)
	if !ok {
		return
	}
	defer c.close(s)
	kinds := c.kinds()
	kinds[0].Ego = true
	if !c.init(ctx, s, &simapi.Init{StepSizeMs: stepMs}) || !c.create(ctx, s, kinds...) {
		return
	}
	goal := &simapi.SetEgoDestination{ActorId: kinds[0].GetActorId(),
		Destination: simapi.XY(c.At[0]+float64(50*portable.Cos(c.At[2])),
			c.At[1]+float64(50*portable.Sin(c.At[2])))}
	if err := s.SetEgoDestination(ctx, goal); !c.failed("set_ego_destination", err) {
		c.refused("SA21", "set_ego_destination", "a second destination", s.SetEgoDestination(ctx,
			goal), simapi.Code_INVALID)
	}
	if c.dead || !c.start(ctx, s) {
		return
	}
	for k := 1.0; k <= 5; k++ {
		if _, ok := c.step(ctx, s, k*stepMs); !ok {
			return
		}
		list, err := s.GetMessages(ctx, &simapi.GetMessages{})
		if c.failed("get_messages", err) {
			return
		}
		for _, m := range list.GetMessage() {
			c.message(m)
		}
	}
}

// message judges a message of the system under test.
func (c *checker) message(m *simapi.Message) {
	if c.Message == nil {
		c.skip("messages: nothing to decode them with")
		return
	}
	switch err := c.Message(m); {
	case errors.Is(err, ErrUndefined):
		c.skip("messages of %s: %v", m.GetTopic(), err)
	case err != nil:
		c.report("SA28", "get_messages", "topic %s: %v", m.GetTopic(), err)
	}
}
