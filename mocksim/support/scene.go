package support

import (
	"fmt"

	"gosmp/mocksim"
	"gosmp/simapi"
	"gosmp/timebase"
)

// Scene is a world that others create and move, such as a scenario. Its actors are the simulator's
// own; the director takes one over by creating an actor with the same name.
type Scene interface {
	World() *mocksim.World
	// Step moves everything. It returns the events of the world, which are valid until the next
	// call.
	Step(span timebase.Time) ([]mocksim.Event, error)
	// Told returns the other events since the last call.
	Told() []Told
	// Yields reports whether an actor with that name exists and belongs to the scene.
	Yields(name string) bool
	// Give leaves the motion of an actor to the director until Retrieve.
	Give(name string) error
	Retrieve(name string) error
	Close()
}

// Told is an event of a scene.
type Told struct {
	Kind, Message string
	Actors        []string
	Time          timebase.Time
}

// Yields reports whether a director takes over an actor of the scene by creating an actor with its
// name.
func (s *Simulator) Yields(id string) bool {
	return s.scene != nil && s.scene.Yields(id) && !s.mine[id]
}

// receive gives an actor of the scene to the director. The scene keeps moving it until the director
// does. If the request states another place, the actor continues from there at once.
func (s *Simulator) receive(r *simapi.CreateActor) (*simapi.ActorDescription, error) {
	id := r.GetActorId()
	if r.GetState().GetPosition() != nil {
		at := start(r.GetState().GetPosition(), r.GetState().GetSpeed())
		if err := s.w.Move(id, at); err != nil {
			return nil, coded(err)
		}
		if err := s.scene.Give(id); err != nil {
			return nil, coded(err)
		}
	}
	s.adopt(id)
	v, err := s.w.Actor(id)
	if err != nil {
		return nil, coded(err)
	}
	return describe(v), nil
}

func describe(v mocksim.View) *simapi.ActorDescription {
	shape := v.Shape()
	return &simapi.ActorDescription{ActorType: v.Kind().String(), Length: shape.Length,
		Width: shape.Width, Height: shape.Height}
}

// moved hands an actor to the director that moved it.
func (s *Simulator) moved(id string, err error) error {
	if err == nil && s.scene != nil && s.scene.Yields(id) {
		err = s.scene.Give(id)
	}
	return coded(err)
}

// kept returns the last state of an actor that the scene removed but the director still has.
func (s *Simulator) kept(id string) *simapi.ActorState {
	if s.scene == nil {
		return nil
	}
	return s.last[id]
}

// keep stores the states of the director's actors before a step in which the scene may remove some
// of them.
func (s *Simulator) keep() {
	if s.last == nil {
		s.last = map[string]*simapi.ActorState{}
	}
	for _, id := range s.ids {
		if v, err := s.w.Actor(id); err == nil {
			s.last[id] = stateOf(v)
		}
	}
}

// told adds the events of the scene to the events of a step.
func (s *Simulator) told(list []*simapi.Event) []*simapi.Event {
	if s.scene == nil {
		return list
	}
	for _, t := range s.scene.Told() {
		list = append(list, &simapi.Event{Kind: t.Kind, ActorId: t.Actors, Message: t.Message,
			TimeMs: s.scale.Milliseconds(t.Time)})
	}
	return list
}

// advance moves the world.
func (s *Simulator) advance(span timebase.Time) ([]mocksim.Event, error) {
	if s.scene != nil {
		s.keep()
		return s.scene.Step(span)
	}
	return s.w.Step(span)
}

// destroy removes an actor; an actor of the scene is given back to the scene.
func (s *Simulator) destroy(id string) error {
	if s.scene == nil {
		return s.w.Destroy(id)
	}
	if s.scene.Yields(id) {
		return s.scene.Retrieve(id)
	}
	if err := s.w.Destroy(id); err == nil || s.last[id] == nil {
		return err
	}
	return nil // the scene already removed it
}

// isScene reports whether the director names the file of the scene instead of its map.
func (s *Simulator) isScene(path string) bool {
	return s.o.SceneFile != "" && sameMap(path, s.o.SceneFile, fileHash(s.o.SceneFile))
}

// open creates the scene for a launch.
func (s *Simulator) open() (err error) {
	if s.scene, err = s.o.Scene(s.seed, s.step); err != nil {
		return fmt.Errorf("%w: %w", simapi.Code_INVALID, err)
	}
	s.w = s.scene.World()
	return nil
}
