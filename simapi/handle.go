package simapi

import (
	"context"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// handle performs a call that has its turn: it checks the request, calls the simulator or the
// system under test, and stores the data for later calls.
func (v *Server) handle(ctx context.Context, p *party, request proto.Message) (proto.Message,
	[]string, error) {
	switch r := request.(type) {
	case *Init:
		reply, err := v.init(ctx, p, r)
		return reply, nil, err
	case *LaunchSimulator:
		if v.config.Simulator == nil { // only a system under test
			return &Empty{}, nil, nil
		}
		return &Empty{}, nil, v.config.Simulator.LaunchSimulator(ctx)
	case *TerminateSimulator:
		return &Empty{}, nil, v.terminate(ctx)
	case *StartSimulation:
		return &Empty{}, nil, v.start(ctx, p, r)
	case *EndSimulation:
		reply, err := v.endSimulation(ctx, r)
		return reply, nil, err
	case *GetActorsStates:
		reply := &p.answers.states
		states, err := v.states(ctx, v.run.now, r.GetActorId(), r.GetOwn())
		reply.SimTimeMs, reply.State = v.run.ms(), states
		return reply, nil, err
	case *SetXyTrajectory, *SetDynamicMove, *SetExternalController, *SetEgoControl:
		info, err := v.move(ctx, request)
		return &Empty{}, info, err
	case *SetActorState:
		info, err := v.put(ctx, r)
		return &Empty{}, info, err
	case *GetGroundTruth:
		reply, err := v.groundTruth(ctx, r)
		return reply, nil, err
	case *SetEgoDestination, *GetEgoInfo, *EgoCommand, *SendMessages, *GetMessages:
		return v.handleSUT(ctx, request)
	}
	return v.handleScene(ctx, request)
}

// handleScene performs the calls about actors and their surroundings.
func (v *Server) handleScene(ctx context.Context, request proto.Message) (reply proto.Message,
	info []string, err error) {
	reply = &Empty{}
	switch r := request.(type) {
	case *CreateActor:
		return v.create(ctx, r)
	case *DestroyActor:
		err = v.destroy(ctx, r.GetActorId())
	case *SetActorParams:
		err = v.setParams(ctx, r)
	case *SetWeather:
		if err = checkWeather(r); err == nil {
			err = v.simulator(func(s Simulator) error { return s.SetWeather(ctx, r) })
		}
	case *SetTimeOfDay:
		if err = checkTimeOfDay(r); err == nil {
			err = v.simulator(func(s Simulator) error { return s.SetTimeOfDay(ctx, r) })
		}
	case *SimCommand:
		results := &SimCommandReply{}
		err = v.simulator(func(s Simulator) (err error) {
			results.Results, err = s.SimCommand(ctx, r)
			return err
		})
		reply = results
	default:
		err = Code_NOT_SUPPORTED
	}
	return reply, nil, err
}

// handleSUT performs the calls of the SUT side.
func (v *Server) handleSUT(ctx context.Context, request proto.Message) (reply proto.Message,
	info []string, err error) {
	sut := v.config.SUT
	if sut == nil {
		return nil, nil, fault.New(Code_NOT_SUPPORTED, fault.At(v.config.Name),
			"a server without a system under test", "")
	}
	switch r := request.(type) {
	case *SetEgoDestination:
		reply, err = &Empty{}, v.destination(ctx, r)
	case *GetEgoInfo:
		info := &GetEgoInfoReply{SimTimeMs: v.run.ms()}
		info.Info, err = sut.EgoInfo(ctx, r.GetActorId())
		reply = info
	case *EgoCommand:
		results := &EgoCommandReply{}
		results.Results, err = sut.EgoCommand(ctx, r)
		reply = results
	case *SendMessages:
		if err = checkMessages(r.GetMessage()); err == nil {
			err = sut.SendMessages(ctx, r.GetMessage())
		}
		reply = &Empty{}
	case *GetMessages:
		list := &GetMessagesReply{}
		list.Message, list.Dropped, err = sut.Messages(ctx)
		if wanted := r.GetTopic(); len(wanted) > 0 {
			list.Message = slices.DeleteFunc(slices.Clone(list.Message), func(m *Message) bool {
				return !slices.Contains(wanted, m.GetTopic())
			})
		}
		reply = list
	}
	return reply, nil, err
}

// simulator calls the simulator, if there is one.
func (v *Server) simulator(f func(Simulator) error) error {
	if v.config.Simulator == nil {
		return fault.New(Code_NOT_SUPPORTED, fault.At(v.config.Name),
			"a server without a simulator", "")
	}
	return f(v.config.Simulator)
}

// init lets the simulator load its map, and determines the steps.
func (v *Server) init(ctx context.Context, p *party, r *Init) (*InitReply, error) {
	v.cleanUp() // in case the previous party just vanished
	if err := checkInit(r); err != nil {
		return nil, err
	}
	reply := &InitReply{SimulationStepSizeMs: r.GetStepSizeMs()}
	if v.config.Simulator != nil {
		answer, err := v.config.Simulator.Init(ctx, r)
		if err != nil {
			return nil, err
		}
		reply = proto.CloneOf(answer)
	}
	if v.config.SUT != nil {
		if err := v.config.SUT.Init(ctx, r); err != nil {
			return nil, err
		}
	}
	step, ratio, err := StepRatio(r, reply)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	run := &simulation{init: proto.CloneOf(r), ratio: ratio, own: step.Part(ratio),
		scale:    timebase.NewScale(timebase.Rational{}, step),
		any:      r.GetAnyStep() && reply.GetCapabilities().GetFixedStepMs() == 0,
		required: slices.Clone(r.GetParties())}
	if len(run.required) == 0 {
		run.required = []string{p.name}
	}
	run.ctx, run.cancel = context.WithCancel(v.ctx)
	ground, _ := v.config.Simulator.(Ground)
	run.actors.reset(ground, run)
	v.run, v.owner = run, p
	return reply, nil
}

// start passes on start_simulation once, and lets the simulator get ready once all parties have
// called it.
func (v *Server) start(ctx context.Context, p *party, r *StartSimulation) error {
	v.mu.Lock()
	if sizeOf(v.run.given)+sizeOf(r.GetProperties()) > mostGiven {
		v.mu.Unlock()
		return fault.New(Code_INVALID, fault.At("properties"),
			fmt.Sprintf("more than %d bytes from all parties", mostGiven), "shorter properties")
	}
	first := true
	for _, other := range v.parties {
		first = first && other.state != Starting && other.state != Running
	}
	v.mu.Unlock()
	if first {
		if v.config.SUT != nil {
			if err := v.config.SUT.StartSimulation(ctx, r); err != nil {
				return err
			}
		}
		if v.config.Simulator != nil {
			if err := v.config.Simulator.StartSimulation(ctx, r); err != nil {
				return err
			}
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.run.given = append(v.run.given, cloneProperties(r.GetProperties())...)
	p.started = true
	if v.run.ready || v.run.starting ||
		len(v.missing(func(q *party) bool { return q.started })) > 0 {
		return nil
	}
	for _, name := range v.run.required {
		v.find(name).started = false
	}
	v.run.starting = true
	go v.begin(v.run)
	return nil
}

// endSimulation creates the report. Afterwards there are no actors, and time is 0, regardless of
// the simulator's answer.
func (v *Server) endSimulation(ctx context.Context, r *EndSimulation) (*Report, error) {
	report := &Report{}
	var failed error
	if v.config.SUT != nil {
		failed = v.guard(func() (err error) {
			report.Properties, err = v.config.SUT.EndSimulation(ctx, r)
			return err
		})
	}
	if v.config.Simulator != nil {
		err := v.guard(func() error {
			own, err := v.config.Simulator.EndSimulation(ctx, r)
			report.Properties = append(report.Properties, own...)
			return err
		})
		if failed == nil {
			failed = err
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	run := v.run
	report.SimTimeMs, report.Steps = run.ms(), run.steps
	report.Properties = slices.Concat(run.init.GetProperties(), run.given, r.GetProperties(),
		report.Properties)
	run.now, run.steps, run.ready, run.failed, run.lost = 0, 0, false, nil, nil
	run.given, run.events, run.notices = nil, nil, nil
	run.scale = timebase.NewScale(timebase.Rational{}, run.scale.Grid())
	ground, _ := v.config.Simulator.(Ground)
	run.actors.reset(ground, run)
	if failed != nil { // the simulation has ended nevertheless
		v.enter(nil, Method_END_SIMULATION, Launched)
	}
	return report, failed
}

// terminate ends a running simulation first.
func (v *Server) terminate(ctx context.Context) error {
	v.mu.Lock()
	running := v.phase == Running
	v.mu.Unlock()
	if running {
		if _, err := v.endSimulation(ctx, &EndSimulation{}); err != nil {
			return err
		}
	}
	if v.config.Simulator == nil {
		return nil
	}
	v.clear(ctx)
	return v.config.Simulator.TerminateSimulator(ctx)
}

// destination passes on set_ego_destination, once in a simulation.
func (v *Server) destination(ctx context.Context, r *SetEgoDestination) error {
	if v.config.Simulator != nil {
		if _, err := v.run.actors.find(r.GetActorId()); err != nil {
			return err
		}
	}
	if err := checkPoint("destination", r.GetDestination()); err != nil {
		return err
	}
	if at, before := v.run.actors.destinations[r.GetActorId()]; before {
		return fault.New(Code_INVALID, fault.At("set_ego_destination"), "a second destination of "+
			quoted(r.GetActorId()),
			fmt.Sprintf("one for each simulation; the first was given at %s", inMs(at)))
	}
	if err := v.config.SUT.SetEgoDestination(ctx, r); err != nil {
		return err
	}
	v.run.actors.destinations[r.GetActorId()] = v.run.now
	return nil
}

func cloneProperties(list []*Property) []*Property {
	clones := make([]*Property, len(list))
	for k, p := range list {
		clones[k] = proto.CloneOf(p)
	}
	return clones
}

const fixedStep = "init: capabilities.fixed_step_ms"

// StepRatio determines how many simulator steps there are in one step of the director. It refuses
// steps in a reply to init that do not fit the director's step, or each other.
func StepRatio(r *Init, reply *InitReply) (step timebase.Grid, ratio int64, err error) {
	own, fixed := reply.GetSimulationStepSizeMs(), reply.GetCapabilities().GetFixedStepMs()
	if step, ratio, err = ratioOf(r, "init", own); err != nil || fixed == 0 {
		return step, ratio, err
	}
	if _, _, err = ratioOf(r, fixedStep, fixed); err != nil {
		return step, 0, err
	}
	if math.Abs(fixed-own) > Ms(tolerance) {
		return step, 0, fault.New(Code_STEP_RATIO, fault.At(fixedStep),
			fmt.Sprintf("%s ms, while simulation_step_size_ms is %s", number(fixed), number(own)),
			"the same step in both")
	}
	return step, ratio, nil
}

// ratioOf divides the director's step by a step of the simulator.
func ratioOf(r *Init, place string, own float64) (step timebase.Grid, ratio int64, err error) {
	step, ok := SpacingOf(r.GetStepSizeMs())
	sim, known := SpacingOf(own)
	both := fmt.Sprintf("%s ms of the simulator in %s ms of the director", number(own),
		number(r.GetStepSizeMs()))
	e := fault.New(Code_STEP_RATIO, fault.At(place), both,
		"a whole number of simulator steps, at least one, in each step of the director")
	if !ok || !known {
		return step, 0, e
	}
	ratio = int64(math.Round(step.Seconds() / sim.Seconds()))
	if ratio < 1 || !near(sim.Point(0, ratio), step.Step()) {
		if sim.Seconds() > step.Seconds() {
			e.Hint = "the simulator may be faster than the director, never slower"
		}
		return step, 0, e
	}
	return step, ratio, nil
}
