package mocksim

import (
	"errors"
	"slices"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Outside is a simulator that runs next to the world: it has the same actors as the world, may move
// some of them, and may have its own actors. The world mirrors it, so that messages, sensors and
// verdicts do not depend on which simulator is used. An error from its methods ends the call that
// led to it.
type Outside interface {
	// Create and Destroy follow the world's actors.
	Create(v View) error
	Destroy(name string) error
	// SetControls and SetController request a move. If taken is false, the simulator does not
	// support it, and the world moves the actor.
	SetControls(name string, d *Drive) (taken bool, err error)
	SetController(name string, c *Controller) (taken bool, err error)
	// Begin starts the simulation, at the time of the world.
	Begin() (*Outcome, error)
	// Step advances to a time. moved lists the actors that the world moves, in their state at that
	// time. The outcome is valid until the next call.
	Step(moved []View, to timebase.Time) (*Outcome, error)
	// Close ends the simulation.
	Close()
}

// Outcome is the result of a step of an outside simulator.
type Outcome struct {
	// Actors lists all existing actors; actors moved by the world are ignored.
	Actors []Outsider
	Events []Event
}

// Outsider is an actor as seen by an outside simulator.
type Outsider struct {
	Name   string
	Update Update // its position and motion; Time counts from the start of the world's simulation
	Kind   Kind   // the kind, if the simulator itself created the actor
	Shape  Shape
}

// abroad records the requests to an outside simulator about an actor.
type abroad struct {
	native     bool        // created by the simulator
	controller *Controller // of the last request; nil for controls
	drive      Drive
	moved      bool // to another place, which the simulator has not seen yet
	awaits     bool // the request is made after the next step, which shows the place
	braked     bool // taken over by an assistance function until it releases the brake
	seen       bool
}

// Join lets an outside simulator move the actors of a world that has no actors yet. The world
// closes the simulator.
func (w *World) Join(o Outside) { w.outside = o }

// Joined reports whether there is an outside simulator. Such a world cannot be saved.
func (w *World) Joined() bool { return w.outside != nil }

// Native reports whether the outside simulator itself created the actor.
func (v View) Native() bool { return v.a.abroad.native }

// Begin starts the outside simulator, if there is one. From then on, its own actors are in the
// world. If Begin was not called, the first step calls it.
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

// introduce creates a new actor in the outside simulator.
func (w *World) introduce(a *actor) error {
	if w.outside == nil || a.abroad.native {
		return nil
	}
	return w.outside.Create(View{a})
}

// lend gives an actor to an owner.
func (w *World) lend(a *actor, o owned, m mode) {
	w.stale = w.stale || a.railed()
	a.place, a.abroad.awaits = View{a}.Place(), false
	a.owned, a.mode = o, m
	a.samples.restart()
	a.base(w.now)
}

// handControls requests that the outside simulator move an actor by controls.
func (w *World) handControls(a *actor, d *Drive) (taken bool, err error) {
	if w.outside == nil {
		return false, nil
	}
	if a.abroad.moved {
		w.await(a, abroad{drive: Drive{d.Start, d.Step, slices.Clone(d.Controls)}})
		return true, nil
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

// await lets an actor that has been moved to another place go on at its speed for one step. Then
// the simulator has seen it there, and gets the request.
func (w *World) await(a *actor, request abroad) {
	w.lend(a, owned{}, byOwner)
	request.native, request.moved, request.awaits = a.abroad.native, true, true
	a.abroad = request
}

// handOver makes the request that had to wait.
func (w *World) handOver(a *actor) error {
	request := a.abroad
	if a.abroad.awaits = false; a.mode != byOwner {
		return nil // it has been given another move
	}
	if request.controller != nil {
		return w.SetController(a.name, *request.controller)
	}
	_, err := w.SetControls(a.name, request.drive)
	return err
}

// handController requests that the outside simulator drive an actor.
func (w *World) handController(a *actor, c *Controller) (taken bool, err error) {
	if w.outside == nil {
		return false, nil
	}
	if a.abroad.moved {
		asked := *c
		w.await(a, abroad{controller: &asked})
		return true, nil
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

// relieve takes over actors from the outside simulator while an assistance function brakes, and
// hands them back once the function releases the brake.
func (w *World) relieve() error {
	if w.outside == nil {
		return nil
	}
	for _, a := range w.actors {
		switch {
		case a.abroad.awaits && !a.abroad.moved:
			if err := w.handOver(a); err != nil {
				return err
			}
		case a.mode == byOutside && a.assist > 0 && !a.abroad.native && a.kind != Static:
			a.abroad.braked = true
			a.driving = driving{start: w.now, controls: []Controls{{Gear: 1}}, dynamic: w.o.Slip}
			a.mode = byControls
		case a.abroad.braked && a.mode != byControls:
			a.abroad.braked = false // the actor was given another move
		case a.abroad.braked && a.assist == 0:
			if err := w.handBack(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// handBack lets an actor continue as before an assistance function braked.
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

// stepOutside lets the outside simulator perform the step that the world just performed.
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
	for _, a := range w.actors {
		a.abroad.moved = false
	}
	w.events = append(w.events, o.Events...)
	return w.mirror(o, false)
}

// mirror copies the positions of the outside simulator's actors. It fails with [ErrOutside].
func (w *World) mirror(o *Outcome, first bool) error {
	if err := w.reflect(o, first); err != nil {
		return Unusable(err)
	}
	return nil
}

// Unusable returns the error for an answer of an outside simulator. Its cause is only a text,
// because a simulator's answers are not an input of the run.
func Unusable(cause error) error {
	return &Error{Place: fault.At("simulator"), Kind: ErrOutside,
		Cause: errors.New(cause.Error())}
}

func (w *World) reflect(o *Outcome, first bool) error {
	for k := range o.Actors {
		x := &o.Actors[k]
		a := w.find(x.Name)
		if a == nil {
			var err error
			if a, err = w.meetNative(x); err != nil {
				return err
			}
		}
		if a.abroad.seen {
			return &Error{Place: fault.At(a.name), Kind: ErrActor, Found: "two states",
				Expected: "one state of each actor"}
		}
		if a.abroad.seen = true; a.mode != byOutside || first && !a.abroad.native {
			continue
		}
		if err := x.Update.Check(x.Name); err != nil {
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
				Found:    "an actor that no longer exists in the external simulator",
				Expected: "its state until it is destroyed"}
		default:
			a.abroad.seen = false
		}
	}
	return nil
}

// meetNative creates an actor created by the outside simulator.
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
