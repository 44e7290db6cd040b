// Package support serves the mock simulator through the simulator support API: package simapi runs
// it in one process or over TCP, like any vendor's simulator.
//
//	sim := support.New(support.Options{})
//	server := simapi.NewServer(simapi.Config{Name: "gosmp mocksim", Simulator: sim})
//
// Rules: init's map_info names the OpenDRIVE map, unless [Options.Map] is given; actors, moves,
// weather and time of day reach [mocksim.World] unchanged; sim_command supports only set_light
// (signal, colour). Keys of set_external_controller that mocksim does not know are reported in the
// next step by an "ignored" event. Errors of mocksim become API error codes. With [Options.Scene]
// the world moves itself, as a scenario does, and the director drives some of its actors.
//
// Index: [Simulator] with [Options], [Scene].
package support

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
	"gosmp/simapi"
	"gosmp/timebase"
)

// longestStep is the longest step of the simulation if the request states none. A step of the
// director is divided into as many steps as necessary.
const longestStep = 0.01 // s

// Options configure the simulation.
type Options struct {
	Map     *opendrive.Map // nil: the map named by init
	Workers int
	// Traffic is created at each launch, in addition to the director's actors. The director does
	// not see its states.
	Traffic mocksim.Traffic
	// Populated is called after the traffic was created, which may be incomplete if the map lacks
	// room; may be nil.
	Populated func(*mocksim.World)
	// Scene creates, at each launch, a world that moves itself, instead of an empty world; may be
	// nil. Map is then the map of the scene, and SceneFile is a file that the director may name
	// instead of the map.
	Scene     func(seed uint64, step timebase.Grid) (Scene, error)
	SceneFile string
	// Stepped is called after each step, for recorders and pictures; may be nil.
	Stepped func(*mocksim.World)
}

// Simulator is the mock simulator as a [simapi.Simulator].
type Simulator struct {
	simapi.Base
	o      Options
	m      *opendrive.Map
	w      *mocksim.World
	scene  Scene // nil unless the world moves itself
	last   map[string]*simapi.ActorState
	seed   uint64
	step   timebase.Grid
	ids    []string             // in the order of creation
	mine   map[string]bool      // the same
	own    []*simapi.ActorState // of the traffic
	makers [2]*truth.Maker      // for messages without and with the map, nil until needed
	period timebase.Grid        // the director's step
	scale  timebase.Scale       // the scale of the world's steps
	states []*simapi.ActorState
	events []*simapi.Event // of calls, for the reply to the next step
}

// New creates a simulator.
func New(o Options) *Simulator { return &Simulator{o: o, m: o.Map} }

// codes maps the errors of mocksim to the codes of the API.
var codes = []struct {
	err  error
	code simapi.Code
}{{mocksim.ErrActor, simapi.Code_UNKNOWN_ACTOR}, {mocksim.ErrDuplicate, simapi.Code_DUPLICATE},
	{mocksim.ErrValue, simapi.Code_INVALID},
	{mocksim.ErrPlace, simapi.Code_INVALID}, {mocksim.ErrTime, simapi.Code_INVALID},
	{opendrive.ErrNoRoute, simapi.Code_INVALID},
	{opendrive.ErrMap, simapi.Code_INVALID}, {os.ErrNotExist, simapi.Code_INVALID}}

// coded adds the code to an error.
func coded(err error) error {
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return fmt.Errorf("%w: %w", c.code, err)
		}
	}
	return err
}

// Init loads the map.
func (s *Simulator) Init(_ context.Context, r *simapi.Init) (*simapi.InitReply, error) {
	s.seed = r.GetSeed()
	s.period, _ = simapi.SpacingOf(r.GetStepSizeMs())
	s.step = s.period.Part(int64(math.Ceil(s.period.Seconds()/longestStep - 1e-9)))
	if ms := r.GetSimulationStepSizeMs(); ms > 0 {
		own, ok := simapi.SpacingOf(ms)
		if !ok {
			return nil, badTime("simulation_step_size_ms", ms)
		}
		s.step = s.period.Part(int64(math.Round(s.period.Seconds() / own.Seconds())))
	}
	info, err := s.loadMap(r.GetMapInfo())
	if err != nil {
		return nil, err
	}
	return &simapi.InitReply{SimulationStepSizeMs: simapi.StepMs(s.step), MapInfo: info,
		Capabilities: capabilities()}, nil
}

// fromMs converts a time in a request.
func fromMs(field string, ms float64) (timebase.Time, error) {
	t, ok := simapi.FromMs(ms)
	if !ok {
		return 0, badTime(field, ms)
	}
	return t, nil
}

func badTime(field string, ms float64) error {
	return fmt.Errorf("%w: %s: found %g, expected a time in the range of simulation time",
		simapi.Code_INVALID, field, ms)
}

// LaunchSimulator creates a world.
func (s *Simulator) LaunchSimulator(context.Context) error { return s.launch() }

func (s *Simulator) launch() error {
	s.close()
	s.ids, s.events, s.makers, s.last = nil, nil, [2]*truth.Maker{}, nil
	s.mine = map[string]bool{}
	s.scale = timebase.NewScale(timebase.Rational{}, s.step)
	if s.o.Scene != nil {
		return s.open()
	}
	w, err := mocksim.New(s.m, mocksim.Options{Seed: s.seed, Step: s.step.Step(), Grid: s.step,
		Workers: s.o.Workers})
	if err != nil {
		return coded(err)
	}
	s.w = w
	if s.o.Traffic.Count > 0 || s.o.Traffic.Host != "" {
		if err := w.Populate(s.o.Traffic); err != nil {
			return coded(err)
		}
		if s.o.Populated != nil {
			s.o.Populated(w)
		}
	}
	return nil
}

func (s *Simulator) close() {
	switch {
	case s.scene != nil:
		s.scene.Close()
	case s.w != nil:
		s.w.Close()
	}
	s.w, s.scene = nil, nil
}

// TerminateSimulator ends the world.
func (s *Simulator) TerminateSimulator(context.Context) error {
	s.close()
	return nil
}

// EndSimulation restarts at time 0 with a world without the director's actors.
func (s *Simulator) EndSimulation(context.Context, *simapi.EndSimulation) ([]*simapi.Property,
	error) {
	return nil, s.launch()
}

// SimCommand executes set_light, the only command.
func (s *Simulator) SimCommand(_ context.Context, r *simapi.SimCommand) ([]*simapi.Property,
	error) {
	if r.GetCommand() != "set_light" {
		return nil, fmt.Errorf("%w: sim_command: found %q, expected set_light",
			simapi.Code_NOT_SUPPORTED, r.GetCommand())
	}
	colours := map[string]mocksim.Light{"off": mocksim.LightOff, "green": mocksim.LightGreen,
		"yellow": mocksim.LightYellow, "red": mocksim.LightRed}
	signal, colour := "", mocksim.Light(255)
	for _, p := range r.GetParameters() {
		switch p.GetName() {
		case "signal":
			signal = p.GetValue()
		case "colour", "color":
			if c, ok := colours[p.GetValue()]; ok {
				colour = c
			}
		}
	}
	return nil, coded(s.w.SetLight(signal, colour))
}

// Step performs one step.
func (s *Simulator) Step(_ context.Context, span timebase.Span) (list []*simapi.Event, err error) {
	events, err := s.advance(span.End - span.Start)
	if err != nil {
		return nil, coded(err)
	}
	list, s.events = s.events, nil
	for k := range events {
		e := &events[k]
		event := &simapi.Event{Kind: e.Kind.String(), ActorId: []string{e.Actor},
			TimeMs: s.scale.Milliseconds(e.Time), Message: e.String()}
		if e.Other != "" {
			event.ActorId = append(event.ActorId, e.Other)
		}
		list = append(list, event)
	}
	list = s.told(list)
	if s.o.Stepped != nil {
		s.o.Stepped(s.w)
	}
	return list, nil
}

var (
	_ simapi.Simulator = (*Simulator)(nil)
	_ simapi.Ground    = (*Simulator)(nil)
	_ simapi.Populated = (*Simulator)(nil)
	_ simapi.Placer    = (*Simulator)(nil)
	_ simapi.Yielder   = (*Simulator)(nil)
	_ simapi.Witness   = (*Simulator)(nil)
)
