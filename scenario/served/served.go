// Package served lets a director run a scenario: it provides the world behind the simulator support
// API (mocksim/support), which the caller steps.
//
//	scene := served.Maker(resolve, served.Options{})
//	sim := support.New(support.Options{Map: roads, Scene: scene})
//	server := simapi.NewServer(simapi.Config{Name: "gosmp", Simulator: sim})
//
// Init is performed at launch, and the storyboard is evaluated after each step. The entities are
// actors of the simulator itself. A director that creates an actor with the name of an entity
// drives that entity. The storyboard moves it until the director's first move, and again after
// destroy_actor; ActivateControllerAction does not affect this. Other actors of the director are
// not entities. Transitions of the storyboard are events "scenario.event.start" and so on, notes
// are "scenario.note", and the end of the scenario is "scenario.over", after which the world
// continues.
//
// Index: [Maker] with [Options], [Scene].
package served

import (
	"context"
	"math"
	"slices"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/support"
	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/play"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// Options configure how a scenario is served.
type Options struct {
	Map                *opendrive.Map // nil: the file that the document names
	DisableControllers bool
}

// Scene is a scenario that a director steps. It implements [support.Scene].
type Scene struct {
	world  *entities.World
	player *play.Player
	news   *play.Reader
	told   []support.Told
}

// Maker returns a function that creates a scene of a resolved scenario at each launch.
func Maker(s *scenario.Scenario, o Options) func(seed uint64, step timebase.Grid) (support.Scene,
	error) {
	return func(seed uint64, step timebase.Grid) (support.Scene, error) {
		return New(s, seed, step, o)
	}
}

// New creates a scene, and performs Init. It fails when [entities.New] or [play.New] fails.
func New(s *scenario.Scenario, seed uint64, step timebase.Grid, o Options) (*Scene, error) {
	w, err := entities.New(s, entities.Options{Seed: seed, Map: o.Map,
		DisableControllers: o.DisableControllers})
	if err != nil {
		return nil, err
	}
	p, err := play.New(s, w, play.Options{Step: step,
		Duration: math.Inf(1)}) // the director decides when it ends
	if err != nil {
		w.Close()
		return nil, err
	}
	if _, err := p.Start(context.Background()); err != nil {
		w.Close()
		return nil, err
	}
	return &Scene{world: w, player: p, news: p.Reader()}, nil
}

// World returns the world with the entities.
func (s *Scene) World() *mocksim.World { return s.world.Simulation() }

// Player returns the player of the scenario.
func (s *Scene) Player() *play.Player { return s.player }

// Step moves everything by one step of the scene and evaluates the storyboard.
func (s *Scene) Step(timebase.Time) ([]mocksim.Event, error) {
	_, err := s.player.Step(context.Background())
	return s.world.Events(), err
}

// Told returns the storyboard's events since the last call.
func (s *Scene) Told() []support.Told {
	s.told = s.told[:0]
	for _, n := range s.news.Read() {
		t := support.Told{Kind: "scenario." + n.Kind, Message: n.Path,
			Time: timebase.Time(math.Round(n.Time * 1e9))}
		switch n.Kind {
		case "note":
			t.Message = n.Name
			for _, name := range [...]string{n.Entity, n.Other} {
				if name != "" {
					t.Actors = append(t.Actors, name)
				}
			}
		case "over":
			t.Message = n.Text
		}
		if n.Text != "" && n.Kind != "over" {
			t.Message += " (" + n.Text + ")"
		}
		s.told = append(s.told, t)
	}
	return s.told
}

// entity returns the number of the entity with that name, or -1 if no such entity exists.
func (s *Scene) entity(name string) storyboard.Entity {
	k := slices.Index(s.player.Names(), name)
	if k < 0 || s.world.PlaceOf(k) == nil {
		return storyboard.NoEntity
	}
	return storyboard.Entity(k)
}

// Yields reports whether an entity of that name exists.
func (s *Scene) Yields(name string) bool { return s.entity(name) != storyboard.NoEntity }

// Give hands the motion of an entity to the director.
func (s *Scene) Give(name string) error {
	if e := s.entity(name); e != storyboard.NoEntity {
		return s.world.Give(e)
	}
	return nil
}

// Retrieve lets the storyboard move an entity again.
func (s *Scene) Retrieve(name string) error {
	if e := s.entity(name); e != storyboard.NoEntity {
		return s.world.Retrieve(e)
	}
	return nil
}

// Close ends the simulation of the entities.
func (s *Scene) Close() { s.world.Close() }

var _ support.Scene = (*Scene)(nil)
