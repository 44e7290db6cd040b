package foreign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/mocksim/support"
	"gosmp/simapi"
	"gosmp/timebase"
)

// twoMoves ends a note about an actor that was given another kind of move.
const twoMoves = "(SA20)"

// waitMs is the longest time that a step may take, in ms. It is longer than the patience with a
// child, so that the error reported is the one that names the child.
const waitMs = 70_000

// mirror makes a third-party simulator a [mocksim.Outside].
type mirror struct {
	*Connection
	ctx     context.Context
	o       Options
	start   timebase.Time
	scale   timebase.Scale       // of its steps, from 0
	can     *simapi.Capabilities // nil: unknown
	lacks   map[simapi.Method]bool
	outcome mocksim.Outcome
	set     []*simapi.SetActorState
	told    []string // the notes that have been passed on
}

// Join lets the simulator at an address move the actors of a world that has no actors yet.
func Join(ctx context.Context, w *mocksim.World, address string, o Options) error {
	c, err := Open(ctx, address, o)
	if err != nil {
		return err
	}
	m := &mirror{Connection: c, ctx: ctx, o: o, start: w.Time(),
		scale: timebase.NewScale(timebase.Rational{}, o.Step), lacks: map[simapi.Method]bool{}}
	init := &simapi.Init{StepSizeMs: simapi.StepMs(o.Step), Seed: o.Seed, FreeStep: true,
		AnyStep: true, MapInfo: &simapi.MapInfo{Path: absolute(w.Map().Name)}}
	err = m.init(init)
	if err != nil {
		if c.address == "" {
			err = fmt.Errorf("%s: %w", address, err)
		}
		return errors.Join(c.from(err), c.Close())
	}
	w.Join(m)
	return nil
}

// init loads the map, and refuses steps of the simulator that do not fit the world's.
func (m *mirror) init(r *simapi.Init) error {
	reply, err := m.Init(m.ctx, r)
	if err != nil {
		return err
	}
	// a server of another implementation may not have checked its steps
	stated := proto.CloneOf(reply)
	defaultStep(r, stated)
	if _, _, err := simapi.StepRatio(r, stated); err != nil {
		return err
	}
	m.can = stated.GetCapabilities()
	return m.LaunchSimulator(m.ctx)
}

// absolute returns the absolute path of a file, for a program that runs in another folder; "" is
// kept.
func absolute(name string) string {
	if path, err := filepath.Abs(name); name != "" && err == nil {
		return path
	}
	return name
}

// note passes on the simulator's notes about a call, each of them once.
func (m *mirror) note() {
	for _, text := range m.Warnings() {
		if strings.HasSuffix(text, twoMoves) {
			continue // gosmp itself gave the actor to another owner
		}
		if m.o.Log != nil && !slices.Contains(m.told, text) {
			m.told = append(m.told, text)
			m.o.Log(text)
		}
	}
}

// Create creates an actor.
func (m *mirror) Create(v mocksim.View) error {
	shape := v.Shape()
	r := &simapi.CreateActor{ActorId: v.Name(), State: state(v),
		Description: &simapi.ActorDescription{ActorType: v.Kind().String(), Length: shape.Length,
			Width: shape.Width, Height: shape.Height}}
	for _, p := range v.Properties() {
		r.Description.AdditionalProperty = append(r.Description.AdditionalProperty,
			&simapi.Property{Name: p.Name, Value: p.Value})
	}
	_, err := m.CreateActor(m.ctx, r)
	m.note()
	if err != nil {
		return m.from(fmt.Errorf("%s: %w", v.Name(), err))
	}
	return nil
}

// Destroy removes an actor.
func (m *mirror) Destroy(name string) error {
	return m.from(m.DestroyActor(m.ctx, &simapi.DestroyActor{ActorId: name}))
}

// offers reports whether the simulator may support a method.
func (m *mirror) offers(method simapi.Method) bool {
	return !m.lacks[method] && (m.can == nil || slices.Contains(m.can.GetMethod(), method))
}

// asked interprets the result of requesting a move from the simulator.
func (m *mirror) asked(method simapi.Method, name string, err error) (bool, error) {
	m.note()
	switch simapi.CodeOf(err) {
	case simapi.Code_OK:
		return true, nil
	case simapi.Code_NOT_SUPPORTED:
		m.lacks[method] = true
		return false, nil
	case simapi.Code_INVALID: // for this actor
		if m.o.Log != nil {
			m.o.Log(fmt.Sprintf("gosmp moves %s, because the simulator does not: %v", name, err))
		}
		return false, nil
	}
	return false, m.from(err)
}

// SetControls lets controls move an actor.
func (m *mirror) SetControls(name string, d *mocksim.Drive) (bool, error) {
	if !m.offers(simapi.Method_SET_DYNAMIC_MOVE) {
		return false, nil
	}
	r := &simapi.SetDynamicMove{ActorId: name, StartTimeMs: simapi.Ms(max(d.Start-m.start, 0)),
		StepMs: simapi.Ms(d.Step)}
	for k := range d.Controls {
		r.Controls = append(r.Controls, support.FormatControls(&d.Controls[k]))
	}
	return m.asked(simapi.Method_SET_DYNAMIC_MOVE, name, m.SetDynamicMove(m.ctx, r))
}

// SetController lets the simulator drive an actor.
func (m *mirror) SetController(name string, c *mocksim.Controller) (bool, error) {
	if !m.offers(simapi.Method_SET_EXTERNAL_CONTROLLER) {
		return false, nil
	}
	r := &simapi.SetExternalController{ActorId: name}
	if t := c.Target; t != nil {
		r.Target = simapi.XY(t.X, t.Y)
	}
	for _, p := range [...]struct {
		name  string
		value float64
	}{{"speed", c.Speed}, {"max_speed", c.MaxSpeed}, {"time_gap", c.TimeGap},
		{"min_gap", c.MinGap}, {"accel", c.Accel}, {"decel", c.Decel}} {
		if p.value != 0 {
			r.Parameters = append(r.Parameters, &simapi.Property{Name: p.name,
				Value: strconv.FormatFloat(p.value, 'g', -1, 64)})
		}
	}
	return m.asked(simapi.Method_SET_EXTERNAL_CONTROLLER, name,
		m.SetExternalController(m.ctx, r))
}

// Begin starts the simulation.
func (m *mirror) Begin() (*mocksim.Outcome, error) {
	if err := m.StartSimulation(m.ctx, &simapi.StartSimulation{}); err != nil {
		return nil, m.from(err)
	}
	if err := m.WaitStartSimulation(m.ctx,
		&simapi.WaitStartSimulation{MaxWaitMs: waitMs}); err != nil {
		return nil, m.from(err)
	}
	reply, err := m.GetActorsStates(m.ctx, &simapi.GetActorsStates{Own: true})
	if err != nil {
		return nil, m.from(err)
	}
	return m.outcomeOf(reply.GetState(), nil)
}

// ms returns a time of the world in the simulator's time, and whether it is a multiple of the step.
// Times of the world are rounded to nanoseconds; times of the simulator are multiples of its step.
func (m *mirror) ms(t timebase.Time) (at float64, whole bool) {
	t -= m.start
	for _, at := range [...]timebase.Time{t, t - 1, t + 1} {
		if _, is := m.scale.Index(at); is {
			return m.scale.Milliseconds(at), true
		}
	}
	return simapi.Ms(t), false
}

// Step performs a step.
func (m *mirror) Step(moved []mocksim.View, to timebase.Time) (*mocksim.Outcome, error) {
	m.set = m.set[:0]
	for _, v := range moved {
		m.set = append(m.set, &simapi.SetActorState{State: state(v)})
	}
	want, whole := m.ms(to)
	if !whole && m.can.GetFixedStepMs() != 0 {
		return nil, m.from(fault.New(simapi.Code_INVALID, fault.At("step"),
			fmt.Sprintf("a step to %g ms", want), fmt.Sprintf("a multiple of %g ms, because the "+
				"simulator has a fixed step", simapi.StepMs(m.o.Step))))
	}
	reply, err := m.Connection.Step(m.ctx, &simapi.Step{RequestedSimTimeMs: want, Set: m.set,
		States: true, MaxWaitMs: waitMs})
	m.note()
	if err != nil {
		return nil, m.from(err)
	}
	const near = 1e-3
	if found := reply.GetSimTimeMs(); found != 0 && !(math.Abs(found-want) <= near) {
		return nil, mocksim.Unusable(fmt.Errorf("found a step to %g ms, expected one to %g ms",
			found, want))
	}
	return m.outcomeOf(reply.GetState(), reply.GetEvents())
}

// Close ends the simulation, and the simulator if it is a child.
func (m *mirror) Close() { _ = m.Connection.Close() } // closing the connection ends the simulation

// passedOn maps simulator events that a world does not detect itself to world events.
var passedOn = map[string]mocksim.EventKind{simapi.EventExhausted: mocksim.Exhausted,
	simapi.EventArrived: mocksim.Arrived, simapi.EventNoRoute: mocksim.NoRoute}

// outcomeOf converts states and events to an outcome.
func (m *mirror) outcomeOf(states []*simapi.ActorState, events []*simapi.Event) (
	*mocksim.Outcome, error) {
	o := &m.outcome
	o.Actors, o.Events = o.Actors[:0], o.Events[:0]
	for _, s := range states {
		x := mocksim.Outsider{Name: s.GetActorId(), Update: update(s)}
		if d := s.GetDescription(); d != nil {
			kind, err := mocksim.ParseKind(d.GetActorType())
			if err != nil {
				return nil, mocksim.Unusable(fmt.Errorf("%s: %w", s.GetActorId(), err))
			}
			x.Kind, x.Shape = kind, mocksim.Shape{Length: d.GetLength(), Width: d.GetWidth(),
				Height: d.GetHeight()}
		}
		o.Actors = append(o.Actors, x)
	}
	for _, e := range events {
		kind, known := passedOn[e.GetKind()]
		at, ok := simapi.FromMs(e.GetTimeMs())
		if known && ok && len(e.GetActorId()) > 0 {
			o.Events = append(o.Events, mocksim.Event{Time: m.start + at, Kind: kind,
				Actor: e.GetActorId()[0]})
		}
	}
	return o, nil
}

// state returns the state of an actor in the world.
func state(v mocksim.View) *simapi.ActorState {
	s := v.State()
	return &simapi.ActorState{ActorId: v.Name(), Position: coords(s.Position, s.Orientation),
		Speed: coords(s.Velocity, s.Rate), Acceleration: coords(s.Acceleration, s.Turning),
		Controls: support.ControlsOf(&s)}
}

func coords(v frames.Vector, o frames.Orientation) *simapi.Coord6Dof {
	return &simapi.Coord6Dof{X: &v.X, Y: &v.Y, Z: &v.Z, Roll: &o.Roll, Pitch: &o.Pitch,
		Yaw: &o.Yaw}
}

// update converts a simulator's state of an actor to an update. It leaves estimated values other
// than the yaw to the world, which knows the road.
func update(s *simapi.ActorState) mocksim.Update {
	u := mocksim.Update{Ground: true}
	fill := func(group string, c *simapi.Coord6Dof, first mocksim.Parts, v *frames.Vector,
		angles mocksim.Parts, o *frames.Orientation) {
		if c == nil || slices.Contains(s.GetEstimated(), group) {
			return
		}
		for k, f := range [...]struct {
			name string
			from *float64
			to   *float64
			part mocksim.Parts
		}{{"x", c.X, &v.X, first}, {"y", c.Y, &v.Y, first << 1}, {"z", c.Z, &v.Z, first << 2},
			{"roll", c.Roll, &o.Roll, angles}, {"pitch", c.Pitch, &o.Pitch, angles << 1},
			{"yaw", c.Yaw, &o.Yaw, angles << 2}} {
			name := group + "." + f.name
			if f.from == nil || k > 2 && angles == 0 ||
				name != "position.yaw" && slices.Contains(s.GetEstimated(), name) {
				continue
			}
			*f.to = *f.from
			u.Given |= f.part
		}
	}
	var unused frames.Orientation
	fill("position", s.GetPosition(), mocksim.PartX, &u.Position, mocksim.PartRoll, &u.Orientation)
	fill("speed", s.GetSpeed(), mocksim.PartVelocityX, &u.Velocity, mocksim.PartRollRate, &u.Rate)
	fill("acceleration", s.GetAcceleration(), mocksim.PartAccelerationX, &u.Acceleration, 0,
		&unused)
	if c := s.GetControls(); c != nil {
		u.Steering, u.Controls = c.GetSteeringWheelAngle()/support.SteeringRatio,
			support.ParseControls(c)
		u.Given |= mocksim.PartSteering | mocksim.PartControls
	}
	return u
}

var _ mocksim.Outside = (*mirror)(nil)
