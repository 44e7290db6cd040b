package entities

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
	"gosmp/scenario"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// Options configure a world.
type Options struct {
	Seed uint64 // seed for everything random
	// DisableControllers makes ActivateControllerAction and AssignControllerAction have no effect.
	DisableControllers bool
	// Join lets an external simulator follow the entities that the scenario moves; may be nil.
	Join func(w *mocksim.World) error
	// Map is the map if it has already been read, or nil to read the file that the document names.
	Map *opendrive.Map
}

// World holds the entities of a scenario. It implements storyboard.World.
type World struct {
	options Options
	network *position.Network
	reader  position.Reader
	sim     *mocksim.World
	bodies  []*body
	now     float64
	clock   timebase.Time
	length  float64 // of the current step, s
	last    bool    // the simulation makes the last part of the step
	report  func(storyboard.Note)
	looks   map[string]*truth.Look
	state   storyboard.State
	late    []*body // entities whose speed depends on others
	told    []storyboard.Note
	unlit   []string // signals that are not lights on the map
	// The names of all controllers in the scenario; empty if it has none.
	controllers []string
	events      []mocksim.Event            // of the last step
	inner       []contact                  // began between parts of one train
	initial     map[*scenario.Element]bool // the SpeedActions of Init
	awaited     []awaited                  // must exist before the first step
}

// awaited is an entity that did not exist yet when an action of Init referred to it.
type awaited struct {
	*body
	at fault.Place // of the reference
}

// arrived returns an error for an entity that Init refers to and that does not exist before the
// first step, when the first evaluation may also have added it.
func (w *World) arrived() error {
	for _, b := range w.awaited {
		if err := b.present(b.at); err != nil && !b.left {
			return err
		}
	}
	w.awaited = w.awaited[:0]
	return nil
}

// New creates the world of a resolved scenario. It fails if the map cannot be read, and for
// entities without a body, with a [scenario.Error].
func New(s *scenario.Scenario, o Options) (*World, error) {
	m := o.Map
	if file := s.MapFile(); m == nil && file != "" {
		err := s.HasMap()
		if err != nil {
			return nil, err
		}
		if m, err = opendrive.ReadFile(file); err != nil {
			return nil, err
		}
	}
	if m == nil {
		m = opendrive.Plane()
	}
	sim, err := mocksim.New(m, mocksim.Options{Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	if o.Join != nil {
		if err := o.Join(sim); err != nil {
			return nil, err
		}
	}
	w := &World{options: o, network: position.NewNetwork(m), sim: sim, initial: initial(s),
		looks: map[string]*truth.Look{}}
	sim.After(w.pullDriven)
	w.reader = position.Reader{Network: w.network, Version: s.Version}
	for _, f := range s.Deviations {
		w.Tell(storyboard.NoEntity, "deviation", f.Place.String()+": "+f.Message)
	}
	w.controllers = controllerNames(s.Root)
	objects := s.Root.Child("Entities").All("ScenarioObject")
	for _, e := range objects {
		b, err := w.newBody(e, e.Value("name"))
		if err != nil {
			return nil, err
		}
		w.add(b)
	}
	if err := w.readCouplings(objects); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *World) add(b *body) {
	w.bodies = append(w.bodies, b)
	w.reader.Entities = append(w.reader.Entities, b.name)
}

// Simulation returns the simulation in which the entities appear, for messages, pictures and
// sensors. While an entity exists, it is an actor with the same name.
func (w *World) Simulation() *mocksim.World { return w.sim }

// Looks returns, by name, the content of messages about the entities other than their motion.
func (w *World) Looks() map[string]*truth.Look { return w.looks }

// Events returns the events of the simulation in the last step. They are valid until the next step.
func (w *World) Events() []mocksim.Event { return w.events }

// KindOf returns the kind of an entity in the simulation.
func (w *World) KindOf(entity storyboard.Entity) mocksim.Kind { return w.bodies[entity].kind }

// Close ends the simulation.
func (w *World) Close() { w.sim.Close() }

// PlaceOf returns the place of an entity's reference point, or nil while it does not exist.
func (w *World) PlaceOf(entity int) *position.Place {
	if b := w.bodies[entity]; b.exists {
		return &b.at
	}
	return nil
}

// RouteOf returns the route of an entity, or nil if it has none.
func (w *World) RouteOf(entity int) *position.Route { return w.bodies[entity].route }

// Enter creates an entity.
func (w *World) Enter(entity storyboard.Entity) {
	b := w.bodies[entity]
	if b.exists {
		return
	}
	err := w.sim.Create(mocksim.Actor{Name: b.name, Kind: b.kind, Shape: b.shape,
		Start: mocksim.AtPosition(0, 0).Facing(0)})
	if err != nil {
		panic(fmt.Sprintf("entities: %v", err)) // names are unique, and shapes have been checked
	}
	b.view, _ = w.sim.Actor(b.name) // just created
	b.exists = true
	b.at = position.Place{}
	w.network.Locate(&b.at, nil, position.Given{})
	w.put(b, &b.at)
	if t := b.first; t != nil && t.towed == nil {
		w.Enter(t.number)
		w.couple(b, t)
	}
}

// leave removes an entity.
func (w *World) leave(b *body) {
	if b.exists {
		b.exists, b.left, b.driven, b.has = false, true, false, 0
		w.uncouple(b)
		if b.towed != nil {
			w.uncouple(b.towed)
		}
		_ = w.sim.Destroy(b.name) // it exists
	}
}

// State returns where an entity is.
func (w *World) State(entity storyboard.Entity) *storyboard.State {
	b := w.bodies[entity]
	if !b.exists {
		return nil
	}
	p, d := &b.at.Position, &b.at.Direction
	h := d.Yaw
	if h < 0 {
		h += 2 * math.Pi
	}
	if h >= 2*math.Pi { // below 0 due to rounding
		h = 0
	}
	// A processor that copies a structure whose fields were just written has to wait for those
	// writes, so they are written where they belong.
	s := &w.state
	s.X, s.Y, s.Z, s.H, s.P, s.R = p.X, p.Y, p.Z, h, d.Pitch, d.Roll
	s.Speed, s.Acceleration, s.Traveled = b.speed, b.acceleration, b.traveled
	s.S, s.T, s.Offset, s.Turn = b.at.S, b.at.T, b.at.Offset, b.at.Turn
	s.Box, s.Road, s.Lane, s.Limit = storyboard.Box(b.box), "", 0, 0
	if b.at.Road != nil {
		s.Road = b.at.Road.ID
	}
	if b.at.Lane != nil {
		s.Lane = b.at.Lane.ID
		s.Limit, _ = b.at.Lane.SpeedLimit(b.at.S)
	}
	return s
}

// Advance moves everything.
func (w *World) Advance(from, to float64, report func(storyboard.Note)) error {
	h := to - from
	w.report = report
	clock := timebase.Time(math.Round(to * 1e9))
	span := clock - w.clock
	if !(h > 0) || span <= 0 {
		return fault.New(mocksim.ErrTime, fault.At("step"), fmt.Sprintf("%g s", h), "above 0")
	}
	if err := w.arrived(); err != nil {
		return err
	}
	w.now, w.events = from, w.events[:0]
	for k := range w.told {
		report(w.told[k])
	}
	w.told = w.told[:0]
	w.late = w.late[:0]
	for _, b := range w.bodies {
		if !b.exists {
			continue
		}
		b.begin()
		if b.driven {
			b.way = b.speed * h
			continue
		}
		if b.long != nil && b.long.depends() {
			w.late = append(w.late, b)
			continue
		}
		w.pace(b, h)
	}
	for _, b := range w.late {
		w.pace(b, h)
	}
	for _, b := range w.bodies {
		if b.exists && !b.driven && b.towed == nil {
			w.move(b, h)
		}
	}
	w.now, w.clock, w.length = to, clock, h
	w.pullAll()
	for _, b := range w.bodies {
		if b.exists && !b.driven && !b.drawn() {
			w.show(b, h)
			w.leaves(b)
		}
	}
	if err := w.step(span, to); err != nil {
		return err
	}
	for _, b := range w.bodies {
		if b.exists && (b.driven || b.drawn()) {
			w.leaves(b)
		}
	}
	return nil
}

// step lets the simulation follow the entities, and reports its events.
func (w *World) step(span timebase.Time, now float64) error {
	for span > 0 {
		part := min(span, timebase.Second)
		w.last = part == span
		events, err := w.sim.Step(part)
		if err != nil {
			return err
		}
		w.events = append(w.events, events...)
		span -= part
	}
	for _, b := range w.bodies {
		if b.exists && b.driven && b.tows == nil { // the others have been read
			w.read(b)
		}
	}
	for _, b := range w.bodies {
		if w.watch(b); b.driven || b.loose {
			w.hold(b)
		}
	}
	w.events = slices.DeleteFunc(w.events, func(e mocksim.Event) bool { return w.within(&e) })
	w.release()
	for k := range w.events {
		w.happened(&w.events[k], now)
	}
	return nil
}

// happened adds a note about an event of the simulation: a collision, or a fault in the messages of
// a driver.
func (w *World) happened(e *mocksim.Event, now float64) {
	n := storyboard.Note{Time: now, Entity: w.find(e.Actor), Other: w.find(e.Other),
		Kind: strings.ReplaceAll(e.Kind.String(), "_", " "), Text: e.Text}
	switch e.Kind {
	case mocksim.Collision:
		n.Text = fmt.Sprintf("%s side, closing at %.3f m/s", e.Axis, e.Value)
	case mocksim.Dismissed, mocksim.NotPending:
		n.Text = strings.TrimSuffix(fmt.Sprintf("action %.0f: %s", e.Value, e.Text), ": ")
	case mocksim.Silent: // the entity was handed back, which has its own note
		if n.Entity < 0 || !w.bodies[n.Entity].driven {
			return
		}
		n.Text = "its planner is silent; it rolls to a stop"
	case mocksim.Jump: // of others, only in a trajectory of the scenario
		if n.Entity < 0 || !w.bodies[n.Entity].driven {
			return
		}
		n.Text = fmt.Sprintf("by %.2f m", e.Value)
	case mocksim.BodyVelocity, mocksim.NotOwner, mocksim.UnknownActor:
	default:
		return
	}
	w.report(n)
}

// leaves adds a note when an entity leaves the lanes of its road.
func (w *World) leaves(b *body) {
	if off := b.at.Road != nil && !b.at.OnLane; off != b.off {
		if b.off = off; off {
			w.tell(b, "off road", fmt.Sprintf("road %s at %.3f m, t %.3f m", b.at.Road.ID, b.at.S,
				b.at.T))
		}
	}
}

func (w *World) find(name string) storyboard.Entity {
	return storyboard.Entity(slices.Index(w.reader.Entities, name))
}

// tell adds a note about an entity.
func (w *World) tell(b *body, kind, text string) {
	w.report(storyboard.Note{Time: w.now, Entity: b.number, Other: storyboard.NoEntity, Kind: kind,
		Text: text})
}

// unsupported turns errors about positions that cannot be computed into errors of a World.
func unsupported(err error) error {
	if e := (*scenario.Error)(nil); errors.As(err, &e) && errors.Is(err, position.ErrUnsupported) {
		copied := *e
		copied.Kind = storyboard.ErrUnsupported
		return &copied
	}
	return err
}

// heading returns the unit vector of a yaw.
func heading(yaw float64) frames.Vector {
	sin, cos := portable.Sincos(yaw)
	return frames.Vector{X: cos, Y: sin}
}
