package storyboard

import (
	"gosmp/scenario"
)

// run is one leaf of an action for one actor.
type run struct {
	action    Action
	leaf      *scenario.Element
	actor     Entity
	candidate bool // acts only if the actor has triggered the event
	active    bool
}

// reached reports whether an action has ended for all of its actors.
func (e *Element) reached() bool {
	all := true
	for _, r := range e.runs {
		if r.active && r.action.Ended() {
			r.active = false
		}
		all = all && !r.active
	}
	return all
}

func (r *run) halt() {
	if r.active {
		r.active = false
		r.action.Stop()
	}
}

// launchAction starts an action for its actors, including those that have triggered the event.
func (b *Board) launchAction(a *Element, triggering uint64) error {
	b.change(a, StartTransition, Running, "")
	for _, r := range a.runs {
		if r.candidate && triggering&(1<<r.actor) == 0 {
			continue
		}
		if err := b.launchRun(a, r); err != nil {
			return err
		}
		if a.status != Running { // ended by something it started itself
			return nil
		}
	}
	if a.reached() {
		b.finish(a)
	}
	return nil
}

func (b *Board) launchRun(a *Element, r *run) error {
	if r.actor != NoEntity && r.leaf.Type != "AddEntityAction" && b.world.State(r.actor) == nil {
		b.note(Note{Time: b.now, Entity: r.actor, Other: NoEntity, Kind: "no entity",
			Text: a.Name + " has no effect, because its actor does not exist"})
		return nil
	}
	b.contest(a, r)
	if r.leaf.Type == "DeleteEntityAction" {
		b.release(a, r.actor)
	}
	if err := r.action.Start(b.now, b.report); err != nil {
		return err
	}
	r.active = !r.action.Ended()
	return nil
}

// contest stops the actions whose domain a new action takes over.
func (b *Board) contest(a *Element, r *run) {
	domains := r.action.Domains()
	if domains == 0 || r.actor == NoEntity {
		return
	}
	for _, older := range b.actions {
		if older != a && b.runs(older) && older.competes(r.actor, domains) {
			b.stop(older, "conflict with "+a.Name)
		}
	}
}

// runs reports whether an action is running. An action that something else has ended in this
// evaluation, such as a controller that takes over the speed, ends here, so that it does not count
// as stopped by what follows.
func (b *Board) runs(a *Element) bool {
	if a.status != Running {
		return false
	}
	if !a.reached() {
		return true
	}
	b.finish(a)
	return false
}

// release stops what other actions do with an actor that is about to be deleted.
func (b *Board) release(a *Element, actor Entity) {
	for _, older := range b.actions {
		if older == a || !b.runs(older) {
			continue
		}
		stopped := false
		for _, r := range older.runs {
			if r.active && r.actor == actor {
				r.halt()
				stopped = true
			}
		}
		if stopped && older.reached() {
			b.stop(older, "its actor is deleted")
		}
	}
}

func (e *Element) competes(actor Entity, domains Domain) bool {
	for _, r := range e.runs {
		if r.active && r.actor == actor && r.action.Domains()&domains != 0 {
			return true
		}
	}
	return false
}
