package mocksim

import (
	"fmt"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/internal/similar"
	"gosmp/mocksim/opendrive"
)

// Actor describes an actor to create, and where.
type Actor struct {
	Name       string // unique among the actors of a world
	Kind       Kind
	Shape      Shape // zeros are the defaults of the kind
	Start      Start
	Properties []Property // stored and returned unchanged
}

// Start is the place where an actor starts. Create it with [OnRoad] or [AtPosition].
type Start struct {
	Road     string // id of a road; empty: Position counts
	Lane     int    // id of a lane
	S        float64
	Offset   float64 // from the middle of the lane, positive to the left of s
	Position frames.Vector
	Given    Fields // of FieldZ, FieldYaw, FieldRoll, FieldPitch: other given parts of the pose
	Angles   frames.Orientation
	Speed    float64 // along the body's x axis, m/s
	RearAxle bool    // Position is that of the rear axle, not the middle
}

// OnRoad returns a start in the middle of a lane, in its direction of travel.
func OnRoad(road string, lane int, s float64) Start { return Start{Road: road, Lane: lane, S: s} }

// AtPosition returns a start on or off the roads. Without a yaw the actor faces along the lane
// there.
func AtPosition(x, y float64) Start { return Start{Position: frames.Vector{X: x, Y: y}} }

// Facing returns the start with a yaw.
func (s Start) Facing(yaw float64) Start {
	s.Angles.Yaw = yaw
	s.Given |= FieldYaw
	return s
}

// WithSpeed returns the start with a speed.
func (s Start) WithSpeed(v float64) Start {
	s.Speed = v
	return s
}

// mode is the kind of move in effect.
type mode uint8

const (
	standing mode = iota
	byTrajectory
	byControls
	byController
	byOwner // outside the world; see World.Take
	byGuide // outside the world; see World.Guide
	byOutside
)

// actor holds everything about one actor.
type actor struct {
	id         uint64
	name       string
	kind       Kind
	shape      Shape
	properties []Property
	named      map[string]int // the first of each name; nil before the first change

	state   State
	place   opendrive.Place
	side    float64 // t minus the t of the middle of the lane, m
	passing bool    // leaves the map at its edge, see [World.SetFlow]
	off     bool    // off the lanes, which has been reported

	// Data for the step: the direction of the body, and the pose before the step.
	cosine, sine float64
	before       pose
	acceleration float64 // for the current step; only for controlled actors

	assist  float64 // brake applied by an assistance function, 0 to 1
	mode    mode
	track   track
	samples samples
	driving driving
	driver  controlled
	owned   owned
	guide   *guide // nil: never guided
	abroad  abroad // requests to an outside simulator

	happened happened // in this step
}

// pose is the position and heading of a box, seen from above.
type pose struct{ x, y, z, yaw float64 }

func (a *actor) pose() pose {
	p := &a.state
	return pose{p.Position.X, p.Position.Y, p.Position.Z, p.Orientation.Yaw}
}

// Create adds an actor, which stands still or has a speed for its first move. Without a move before
// the next step, it stays still. Create fails with [ErrDuplicate] for a name in use, with
// [ErrValue] for numbers out of range, and with [ErrPlace] for a place that is not on the map.
func (w *World) Create(n Actor) error {
	const call = "create_actor"
	place := call + " " + n.Name
	switch {
	case n.Name == "":
		return invalid(call+".actor_id", `""`, "a name")
	case w.find(n.Name) != nil:
		return fault.New(ErrDuplicate, fault.At(call), fmt.Sprintf("%q", n.Name), "").
			WithHint("choose a different name, or destroy the first one")
	case n.Kind >= kinds:
		return invalid(place+".actor_type", n.Kind, "a kind of actor")
	}
	if err := n.Shape.check(place); err != nil {
		return err
	}
	a := &actor{id: w.nextID, name: n.Name, kind: n.Kind, shape: n.Shape.completed(n.Kind),
		properties: n.Properties}
	a.state.Gear = 1
	if err := w.putAt(a, &n.Start, place); err != nil {
		return err
	}
	if err := w.introduce(a); err != nil {
		return err
	}
	w.nextID++
	w.insert(a)
	return nil
}

// putAt places an actor at its start.
func (w *World) putAt(a *actor, s *Start, place string) error {
	err := finite(place+".position", []string{"x", "y", "z", "roll", "pitch", "yaw", "speed", "s",
		"offset"},
		s.Position.X, s.Position.Y, s.Position.Z, s.Angles.Roll, s.Angles.Pitch, s.Angles.Yaw,
		s.Speed, s.S, s.Offset)
	if err != nil {
		return err
	}
	if math.Abs(s.Speed) > 200 {
		return invalid(place+".speed", s.Speed, "at most 200 m/s")
	}
	at, angles := s.Position, s.Angles
	given := s.Given
	if s.Road != "" {
		if at, angles.Yaw, err = w.onLane(s, place, given&FieldYaw != 0); err != nil {
			return err
		}
		given |= FieldYaw | FieldZ
		// where roads cross, this one applies
		a.place = opendrive.Place{Road: w.m.Road(s.Road), S: s.S}
	}
	a.state.Speed = s.Speed
	w.stand(a, at, angles, given)
	if s.RearAxle && a.shape.Wheelbase > 0 {
		moved := a.state.at(frames.Vector{X: a.shape.Wheelbase / 2}).position
		w.stand(a, moved, a.state.Orientation, FieldYaw|given&^FieldZ)
	}
	a.state.Velocity = frames.Vector{X: float64(s.Speed * a.cosine), Y: float64(s.Speed * a.sine)}
	if p := a.state.Orientation.Pitch; p != 0 {
		a.state.Velocity = a.state.Velocity.Scale(portable.Cos(p))
		a.state.Velocity.Z = -s.Speed * portable.Sin(p)
	}
	if s.Speed != 0 { // the pitch states the vertical velocity more exactly
		v := a.state.Velocity
		w.follow(a, s.Given)
		a.state.Velocity = v
	}
	return nil
}

// onLane returns a place in a lane and the direction of travel there.
func (w *World) onLane(s *Start, place string, turned bool) (at frames.Vector, yaw float64,
	err error) {
	road := w.m.Road(s.Road)
	if road == nil {
		ids := make([]string, len(w.m.Roads))
		for k, r := range w.m.Roads {
			ids[k] = r.ID
		}
		e := fault.New(ErrPlace, fault.At(place+".road"), fmt.Sprintf("%q", s.Road),
			"the id of a road of "+w.m.Name).WithHint(similar.Hint(s.Road, ids))
		return at, 0, e
	}
	st, err := road.Station(s.S)
	if err != nil {
		return at, 0, fault.New(ErrPlace, fault.At(place+".s"), fmt.Sprintf("%g m", s.S),
			fmt.Sprintf("0 to %g m on road %s", road.Length, road.ID))
	}
	lane := road.SectionAt(st.S).Lane(s.Lane)
	if lane == nil || s.Lane == 0 {
		return at, 0, fault.New(ErrPlace, fault.At(place+".lane"), fmt.Sprint(s.Lane),
			fmt.Sprintf("a lane of road %s at %g m: %s", road.ID, st.S,
				laneIDs(road.SectionAt(st.S))))
	}
	yaw = s.Angles.Yaw
	if !turned {
		yaw = lane.Yaw(&st)
	}
	return lane.Point(&st, lane.Center(st.S)+s.Offset), frames.WrapAngle(yaw), nil
}

func laneIDs(section *opendrive.Section) (text string) {
	for _, l := range section.Lanes {
		if l.ID != 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprint(l.ID)
		}
	}
	return text
}

// stand places an actor, and sets its angles and derivatives as if it stood still.
func (w *World) stand(a *actor, at frames.Vector, angles frames.Orientation, given Fields) {
	a.state.Orientation = angles
	a.place = w.locate(a, at, given&FieldZ != 0)
	if given&FieldYaw == 0 {
		a.state.Orientation.Yaw = laneYaw(&a.place)
	}
	a.state.Orientation.Yaw = frames.WrapAngle(a.state.Orientation.Yaw)
	a.sine, a.cosine = portable.Sincos(a.state.Orientation.Yaw)
	a.state.Estimated = (FieldZ | FieldYaw | FieldPitch | FieldRoll) &^ given
	w.ground(a, at, given)
	a.state.Rate, a.state.Turning = frames.Orientation{}, frames.Orientation{}
	a.state.Velocity, a.state.Acceleration = frames.Vector{}, frames.Vector{}
	a.before = a.pose()
}

// laneYaw returns the direction of travel at a place, 0 off the roads.
func laneYaw(p *opendrive.Place) float64 {
	if p.Lane == nil {
		return 0
	}
	st, err := p.Road.Station(p.S)
	if err != nil {
		return 0
	}
	return p.Lane.Yaw(&st)
}

// locate finds a position on the map. Without a height it finds the road nearest to the actor's
// last height.
func (w *World) locate(a *actor, at frames.Vector, height bool) opendrive.Place {
	if !height {
		at.Z = a.state.Position.Z
	}
	if a.place.Road == nil {
		return w.m.Locate(at)
	}
	return w.m.Follow(at, a.place)
}

// ground sets the position, height and attitude of an actor at its located place. Values that are
// not given come from the road or, off the roads, from the previous state.
func (w *World) ground(a *actor, at frames.Vector, given Fields) {
	s := &a.state
	s.Position.X, s.Position.Y = at.X, at.Y
	if given&FieldZ != 0 {
		s.Position.Z = at.Z
	}
	a.side = 0
	if a.place.Lane == nil {
		if given&FieldPitch == 0 {
			s.Orientation.Pitch = 0
		}
		if given&FieldRoll == 0 {
			s.Orientation.Roll = 0
		}
		return
	}
	st, err := a.place.Road.Station(a.place.S)
	if err != nil {
		return
	}
	a.side = a.place.T - a.place.Lane.Center(a.place.S)
	if given&FieldZ == 0 {
		s.Position.Z = a.place.Lane.Point(&st, a.place.T).Z
		a.place.H = 0
	}
	o := st.Attitude(s.Orientation.Yaw)
	if given&FieldPitch == 0 {
		s.Orientation.Pitch = o.Pitch
	}
	if given&FieldRoll == 0 {
		s.Orientation.Roll = o.Roll
	}
}

// Destroy removes an actor.
func (w *World) Destroy(name string) error {
	a := w.find(name)
	if a == nil {
		return w.unknown("destroy_actor", name)
	}
	if w.outside != nil && !a.abroad.native {
		if err := w.outside.Destroy(name); err != nil {
			return err
		}
	}
	w.remove(a)
	w.destroyed = append(w.destroyed, name)
	return nil
}

// SetProperties changes or adds properties of an actor by name.
func (w *World) SetProperties(name string, list ...Property) error {
	a := w.find(name)
	if a == nil {
		return w.unknown("set_actor_params", name)
	}
	if a.named == nil {
		a.named = make(map[string]int, len(a.properties)+len(list))
		for k, p := range slices.Backward(a.properties) {
			a.named[p.Name] = k
		}
	}
	for _, p := range list {
		if k, has := a.named[p.Name]; has {
			a.properties[k].Value = p.Value
			continue
		}
		a.named[p.Name] = len(a.properties)
		a.properties = append(a.properties, p)
	}
	return nil
}

// Assist presses the brake of an actor in addition to its driver, like an assistance function: 0
// means no braking, and 1 means full braking. It applies until the next call, to actors under
// [World.SetControls] and [World.SetController].
func (w *World) Assist(name string, brake float64) error {
	a := w.find(name)
	if a == nil {
		return w.unknown("assist", name)
	}
	if !(brake >= 0 && brake <= 1) {
		return invalid("assist "+name+".brake", brake, "0 to 1")
	}
	a.assist = brake
	return nil
}

// Move moves an actor to another place, where it stands still.
func (w *World) Move(name string, to Start) error {
	a := w.find(name)
	if a == nil {
		return w.unknown("set_actor_params", name)
	}
	saved := *a
	a.place = opendrive.Place{}
	if err := w.putAt(a, &to, "set_actor_params "+name); err != nil {
		*a = saved
		return err
	}
	a.mode = standing
	a.abroad.moved = w.outside != nil
	w.outdated = true
	return nil
}
