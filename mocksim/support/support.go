// Package support serves the mock simulator through the simulator support API: package simapi runs
// it in one process or over TCP, like any vendor's simulator.
//
//	sim := support.New(support.Options{})
//	server := simapi.NewServer(simapi.Config{Name: "gosmp mocksim", Simulator: sim})
//
// Rules: init's map_info names the OpenDRIVE map, unless [Options.Map] is given; actors, moves,
// weather and time of day reach [mocksim.World] unchanged; sim_command supports only set_light
// (signal, colour). Keys of set_external_controller that mocksim does not know are reported in the
// next step by an "ignored" event. Errors of mocksim become codes of the API. With [Options.Scene]
// the world moves itself, as a scenario does, and the director drives some of its actors.
//
// Index: [Simulator] with [Options], [Scene].
package support

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"gosmp/frames"
	"gosmp/internal/portable"
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
	// Populated is called after the traffic has been created; the map may not have had room for all
	// of it. May be nil.
	Populated func(*mocksim.World)
	// Scene creates, at each launch, a world that moves itself, instead of an empty world; may be
	// nil. Map is then the map of the scene, and SceneFile is a file that a director may name
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
	own    []*simapi.ActorState // of the traffic
	makers [2]*truth.Maker      // for messages without and with the map, nil until needed
	period timebase.Grid        // the director's step
	scale  timebase.Scale       // the scale of the world's steps
	states []*simapi.ActorState
	events []*simapi.Event // of calls, for the reply of the next step
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

// loadMap loads the map that the director names. If the map is fixed, it compares the two.
func (s *Simulator) loadMap(want *simapi.MapInfo) (*simapi.MapInfo, error) {
	path := want.GetPath()
	if s.o.Map == nil {
		if path == "" {
			return nil,
				fmt.Errorf("%w: init.map_info.path: found nothing, expected an OpenDRIVE map",
					simapi.Code_INVALID)
		}
		m, err := opendrive.ReadFile(path)
		if err != nil {
			return nil, coded(err)
		}
		s.m = m
	}
	sum := fileHash(s.m.Name)
	if wanted := want.GetSha256(); wanted != "" && sum != "" {
		if !strings.EqualFold(wanted, sum) {
			return nil, fmt.Errorf("%w: init.map_info.sha256: found %s, expected %s, the one of %s",
				simapi.Code_INVALID, wanted, sum, s.m.Name)
		}
	} else if path != "" && !sameMap(path, s.m.Name, sum) && !s.isScene(path) {
		return nil,
			fmt.Errorf("%w: init.map_info.path: found %s, expected %s, the map that is simulated",
				simapi.Code_INVALID, path, s.m.Name)
	}
	return &simapi.MapInfo{Path: s.m.Name, Sha256: sum}, nil
}

// sameMap compares the map that a director names with the simulated one: by content if both files
// exist, else by name, because the director may run on another machine.
func sameMap(path, simulated, sum string) bool {
	if other := fileHash(path); other != "" && sum != "" {
		return other == sum
	}
	base := func(name string) string { return name[strings.LastIndexAny(name, `/\\`)+1:] }
	return base(path) == base(simulated)
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

func fileHash(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// LaunchSimulator creates a world.
func (s *Simulator) LaunchSimulator(context.Context) error { return s.launch() }

func (s *Simulator) launch() error {
	s.close()
	s.ids, s.events, s.makers, s.last = nil, nil, [2]*truth.Maker{}, nil
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

// EndSimulation starts again at time 0, with a world without actors of the director.
func (s *Simulator) EndSimulation(context.Context, *simapi.EndSimulation) ([]*simapi.Property,
	error) {
	return nil, s.launch()
}

// standing is the speed, in m/s, up to which an actor has no direction of motion.
const standing = 0.1

// CreateActor creates an actor where the request says. Its speed is along its yaw. Without a yaw,
// the actor faces the direction of its speed or, at a standstill, the direction of its lane.
func (s *Simulator) CreateActor(_ context.Context, r *simapi.CreateActor) (*simapi.ActorDescription,
	error) {
	if s.Yields(r.GetActorId()) {
		return s.receive(r)
	}
	d := r.GetDescription()
	kind, err := mocksim.ParseKind(d.GetActorType())
	if err != nil {
		return nil, coded(err)
	}
	a := mocksim.Actor{Name: r.GetActorId(), Kind: kind, Shape: mocksim.Shape{Length: d.GetLength(),
		Width: d.GetWidth(), Height: d.GetHeight()}}
	for _, p := range d.GetAdditionalProperty() {
		a.Properties = append(a.Properties, mocksim.Property{Name: p.GetName(),
			Value: p.GetValue()})
	}
	a.Start = start(r.GetState().GetPosition(), r.GetState().GetSpeed())
	if err := s.w.Create(a); err != nil {
		return nil, coded(err)
	}
	s.ids = append(s.ids, a.Name)
	v, err := s.w.Actor(a.Name)
	if err != nil {
		return nil, coded(err)
	}
	shape := v.Shape()
	return &simapi.ActorDescription{ActorType: d.GetActorType(), Length: shape.Length,
		Width: shape.Width, Height: shape.Height,
		AdditionalProperty: d.GetAdditionalProperty()}, nil
}

func start(position, speed *simapi.Coord6Dof) mocksim.Start {
	p := mocksim.AtPosition(position.GetX(), position.GetY())
	p.Position.Z = position.GetZ()
	p.Angles = frames.Orientation{Roll: position.GetRoll(), Pitch: position.GetPitch(),
		Yaw: position.GetYaw()}
	p.Given = given(position)
	velocity := frames.Vector{X: speed.GetX(), Y: speed.GetY()}
	p.Speed = velocity.Length()
	switch {
	case p.Given&mocksim.FieldYaw != 0:
		if frames.RotateZ(velocity, -p.Angles.Yaw).X < 0 {
			p.Speed = -p.Speed
		}
	case p.Speed > standing:
		p.Angles.Yaw, p.Given = portable.Atan2(velocity.Y, velocity.X), p.Given|mocksim.FieldYaw
	}
	return p
}

func given(c *simapi.Coord6Dof) (f mocksim.Fields) {
	if c == nil {
		return 0
	}
	for _, part := range [...]struct {
		is    *float64
		field mocksim.Fields
	}{{c.Z, mocksim.FieldZ}, {c.Roll, mocksim.FieldRoll}, {c.Pitch, mocksim.FieldPitch},
		{c.Yaw, mocksim.FieldYaw}} {
		if part.is != nil {
			f |= part.field
		}
	}
	return f
}

// SetActorParams changes properties.
func (s *Simulator) SetActorParams(_ context.Context, r *simapi.SetActorParams) error {
	return coded(s.w.SetProperties(r.GetActorId(), properties(r.GetParameters())...))
}

func properties(list []*simapi.Property) (out []mocksim.Property) {
	for _, p := range list {
		out = append(out, mocksim.Property{Name: p.GetName(), Value: p.GetValue()})
	}
	return out
}

// DestroyActor removes an actor.
func (s *Simulator) DestroyActor(_ context.Context, id string) error {
	if err := s.destroy(id); err != nil {
		return coded(err)
	}
	for k, name := range s.ids {
		if name == id {
			s.ids = append(s.ids[:k], s.ids[k+1:]...)
			break
		}
	}
	return nil
}

// SetWeather changes the fields that the request gives.
func (s *Simulator) SetWeather(_ context.Context, r *simapi.SetWeather) error {
	v := s.w.Weather()
	set := func(to *float64, from *float64, factor float64) {
		if from != nil {
			*to = *from * factor
		}
	}
	set(&v.Temperature, r.Temperature, 1)
	set(&v.Pressure, r.AtmosphericPressure, 1)
	set(&v.Humidity, r.RelativeHumidity, 100)
	set(&v.Cloudiness, r.CloudCover, 1)
	set(&v.Precipitation, r.Rain, 1)
	set(&v.Visibility, r.Visibility, 1)
	set(&v.Snow, r.Snow, 1)
	set(&v.WindSpeed, r.WindSpeed, 1)
	set(&v.WindYaw, r.WindYaw, 1)
	if p := r.GetAdditionalProperty(); len(p) > 0 {
		return fmt.Errorf("%w: additional_property: found %q, expected none: the messages of this "+
			"simulator have no place for it", simapi.Code_NOT_SUPPORTED, p[0].GetName())
	}
	return coded(s.w.SetWeather(v))
}

// SetTimeOfDay sets the time of day, and the date if one is given.
func (s *Simulator) SetTimeOfDay(_ context.Context, r *simapi.SetTimeOfDay) error {
	t, err := timebase.FromSeconds(r.GetSecondsSinceMidnight())
	if err != nil {
		return fmt.Errorf("%w: seconds_since_midnight: %w", simapi.Code_INVALID, err)
	}
	if err := coded(s.w.SetTimeOfDay(t)); err != nil || r.GetDate() == "" {
		return err
	}
	day, err := time.Parse(time.DateOnly, r.GetDate())
	if err != nil {
		return fmt.Errorf("%w: date: found %q, expected one such as 2026-05-17",
			simapi.Code_INVALID, r.GetDate())
	}
	return coded(s.w.SetDate(day.Unix() / 86400))
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

// ActorsStates returns the states of the director's actors in the order of their creation.
func (s *Simulator) ActorsStates(context.Context) ([]*simapi.ActorState, error) {
	s.states = s.states[:0]
	for _, id := range s.ids {
		v, err := s.w.Actor(id)
		if last := s.kept(id); err != nil && last != nil {
			s.states = append(s.states, last)
			continue
		}
		if err != nil {
			return nil, coded(err)
		}
		s.states = append(s.states, stateOf(v))
	}
	return s.states, nil
}

func coords(v frames.Vector, o frames.Orientation) *simapi.Coord6Dof {
	return &simapi.Coord6Dof{X: &v.X, Y: &v.Y, Z: &v.Z, Roll: &o.Roll, Pitch: &o.Pitch, Yaw: &o.Yaw}
}

// estimated returns the names of the fields that the caller did not set.
func estimated(f mocksim.Fields) (names []string) {
	for _, part := range [...]struct {
		field mocksim.Fields
		name  string
	}{{mocksim.FieldZ, "position.z"}, {mocksim.FieldRoll, "position.roll"}, {mocksim.FieldPitch,
		"position.pitch"},
		{mocksim.FieldYaw, "position.yaw"}, {mocksim.FieldVelocity, "speed"},
		{mocksim.FieldAcceleration, "acceleration"}} {
		if f&part.field != 0 {
			names = append(names, part.name)
		}
	}
	return names
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
