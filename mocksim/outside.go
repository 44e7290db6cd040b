package mocksim

import (
	"slices"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Outside is a simulator that runs next to the world: it has the actors of the world as well, may
// move some of them, and may have others of its own. The world mirrors it, so that messages,
// sensors and verdicts are the same whoever simulates. Errors of its methods end the call that led
// to them.
type Outside interface {
	// Create and Destroy follow the actors of the world.
	Create(v View) error
	Destroy(name string) error
	// SetControls and SetController ask for a move. Without taken the simulator does not have it,
	// and the world moves the actor.
	SetControls(name string, d *Drive) (taken bool, err error)
	SetController(name string, c *Controller) (taken bool, err error)
	// Begin starts the simulation, at the time of the world.
	Begin() (*Outcome, error)
	// Step makes a step to a time; moved are the actors that the world moves, as they are at that
	// time. What it returns is valid until the next call.
	Step(moved []View, to timebase.Time) (*Outcome, error)
	// Close ends the simulation.
	Close()
}

// Outcome is the result of a step of an outside simulator.
type Outcome struct {
	// Actors are all actors that exist; the ones that the world moves are ignored.
	Actors []Outsider
	Events []Event
}

// Outsider is an actor as an outside simulator has it.
type Outsider struct {
	Name   string
	Update Update // where it is; Time counts from the start of the simulation of the world
	Kind   Kind   // of an actor that the simulator has made itself
	Shape  Shape
}

// abroad is what an outside simulator has been asked to do with an actor.
type abroad struct {
	native     bool        // the simulator has made it
	controller *Controller // of the last request, nil for controls
	drive      Drive
	braked     bool // an assistance function has taken it over, until it lets go
	seen       bool
}

// Join lets an outside simulator move actors of a world that has none yet. The world closes it.
func (w *World) Join(o Outside) { w.outside = o }

// Joined reports whether there is an outside simulator. Such a world cannot be saved.
func (w *World) Joined() bool { return w.outside != nil }

// Native reports whether an outside simulator has made the actor itself.
func (v View) Native() bool { return v.a.abroad.native }

// Begin starts the simulator outside, if there is one: from then on its own actors are in the
// world. The first step does it if nobody has.
func (w *World) Begin() error {
	if w.outside == nil || w.begun {
		return nil
	}
	w.begun = true
	o, err := w.outside.Begin()
	if err != nil {
		return err
	}
	return w.mirror(o, true)
}

// introduce tells the simulator outside of a new actor.
func (w *World) introduce(a *actor) error {
	if w.outside == nil || a.abroad.native {
		return nil
	}
	return w.outside.Create(View{a})
}

// lend gives an actor to an owner.
func (w *World) lend(a *actor, o owned, m mode) {
	w.stale = w.stale || a.railed()
	a.place = View{a}.Place()
	a.owned, a.mode = o, m
	a.samples.restart()
	a.base(w.now)
}

// handControls asks the simulator outside to move an actor by controls.
func (w *World) handControls(a *actor, d *Drive) (taken bool, err error) {
	if w.outside == nil {
		return false, nil
	}
	if taken, err = w.outside.SetControls(a.name, d); !taken || err != nil {
		return taken, err
	}
	if a.mode != byOutside {
		w.lend(a, owned{}, byOutside)
	}
	a.abroad = abroad{native: a.abroad.native, drive: Drive{d.Start, d.Step,
		slices.Clone(d.Controls)}}
	return true, nil
}

// handController asks the simulator outside to drive an actor.
func (w *World) handController(a *actor, c *Controller) (taken bool, err error) {
	if w.outside == nil {
		return false, nil
	}
	if taken, err = w.outside.SetController(a.name, c); !taken || err != nil {
		return taken, err
	}
	if a.mode != byOutside {
		w.lend(a, owned{}, byOutside)
	}
	asked := *c
	a.abroad = abroad{native: a.abroad.native, controller: &asked}
	return true, nil
}

// relieve takes over actors of the simulator outside in which an assistance function brakes, and
// hands them back when it has let go.
func (w *World) relieve() error {
	if w.outside == nil {
		return nil
	}
	for _, a := range w.actors {
		switch {
		case a.mode == byOutside && a.assist > 0 && !a.abroad.native && a.kind != Static:
			a.abroad.braked = true
			a.driving = driving{start: w.now, controls: []Controls{{Gear: 1}}, dynamic: w.o.Slip}
			a.mode = byControls
		case a.abroad.braked && a.mode != byControls:
			a.abroad.braked = false // another move has come
		case a.abroad.braked && a.assist == 0:
			if err := w.handBack(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// handBack lets an actor go on as it did before an assistance function braked.
func (w *World) handBack(a *actor) (err error) {
	a.abroad.braked = false
	if c := a.abroad.controller; c != nil {
		_, err = w.handController(a, c)
		return err
	}
	d := a.abroad.drive
	_, err = w.handControls(a, &d)
	return err
}

// stepOutside lets the outside simulator make the step that the world has just made.
func (w *World) stepOutside() error {
	if w.outside == nil {
		return nil
	}
	var moved []View
	for _, a := range w.actors {
		if a.mode != byOutside && !a.abroad.native {
			moved = append(moved, View{a})
		}
	}
	o, err := w.outside.Step(moved, w.now)
	if err != nil {
		return err
	}
	w.events = append(w.events, o.Events...)
	return w.mirror(o, false)
}

// mirror takes over where the actors of the simulator outside are.
func (w *World) mirror(o *Outcome, first bool) error {
	for k := range o.Actors {
		x := &o.Actors[k]
		a := w.find(x.Name)
		if a == nil {
			var err error
			if a, err = w.meetNative(x); err != nil {
				return err
			}
		}
		if a.abroad.seen = true; a.mode != byOutside || first && !a.abroad.native {
			continue
		}
		if err := x.Update.check(x.Name); err != nil {
			return err
		}
		a.owned.next, a.owned.due = x.Update, false
		a.owned.next.Time = w.now
		w.accept(a)
	}
	for k := len(w.actors) - 1; k >= 0; k-- {
		switch a := w.actors[k]; {
		case a.abroad.native && !a.abroad.seen:
			w.remove(a)
			w.destroyed = append(w.destroyed, a.name)
		case a.mode == byOutside && !a.abroad.seen:
			return &Error{Place: fault.At(a.name), Kind: ErrActor,
				Found:    "an actor that the simulator outside no longer has",
				Expected: "its state until it is destroyed"}
		default:
			a.abroad.seen = false
		}
	}
	return nil
}

// meetNative creates an actor that the simulator outside has made.
func (w *World) meetNative(x *Outsider) (*actor, error) {
	u := &x.Update
	start := AtPosition(u.Position.X, u.Position.Y)
	start.Position.Z, start.Angles, start.Given = u.Position.Z, u.Orientation, u.fields()
	a := &actor{id: w.nextID, name: x.Name, kind: x.Kind, shape: x.Shape.completed(x.Kind)}
	a.state.Gear, a.abroad.native = 1, true
	if err := x.Shape.check(x.Name); err != nil {
		return nil, err
	}
	if err := w.putAt(a, &start, x.Name); err != nil {
		return nil, err
	}
	w.nextID++
	w.lend(a, owned{}, byOutside)
	w.insert(a)
	return a, nil
}
