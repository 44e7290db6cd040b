package support

import (
	"context"
	"slices"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim"
	"gosmp/simapi"
)

// standing is the speed, in m/s, up to which an actor has no direction of motion.
const standing = 0.1

// CreateActor creates an actor at the requested place. Its speed is along its yaw. Without a yaw,
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
	s.adopt(a.Name)
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

// adopt records an actor of the director.
func (s *Simulator) adopt(id string) {
	s.ids = append(s.ids, id)
	s.mine[id] = true
}

// DestroyActor removes an actor.
func (s *Simulator) DestroyActor(_ context.Context, id string) error {
	if err := s.destroy(id); err != nil {
		return coded(err)
	}
	if k := slices.Index(s.ids, id); k >= 0 {
		s.ids = slices.Delete(s.ids, k, k+1)
	}
	delete(s.mine, id)
	return nil
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
