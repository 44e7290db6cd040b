package storyboard

import (
	"slices"
	"strconv"

	"gosmp/scenario"
)

// leaves returns the elements below Action, PrivateAction or GlobalAction that name what an action
// does. It skips the wrapper elements of OpenSCENARIO.
func leaves(e *scenario.Element) (list []*scenario.Element) {
	for _, c := range e.Children {
		if wrappers[c.Type] {
			list = append(list, leaves(c)...)
		} else {
			list = append(list, c)
		}
	}
	return list
}

var wrappers = map[string]bool{"PrivateAction": true, "GlobalAction": true,
	"UserDefinedAction": true, "LongitudinalAction": true, "LateralAction": true,
	"ControllerAction": true, "RoutingAction": true, "AppearanceAction": true,
	"TrailerAction": true, "EntityAction": true, "InfrastructureAction": true,
	"TrafficSignalAction": true, "TrafficAction": true}

// action binds an Action of an event to its actors. Before version 1.3, an Action may be empty, in
// which case it ends at once.
func (b *builder) action(e *scenario.Element, n *Element) {
	b.actions = append(b.actions, n)
	for _, leaf := range leaves(e) {
		if !isPrivate(leaf) {
			b.bind(n, leaf, b.actorOf(leaf), false)
			continue
		}
		b.private(e, n, leaf)
	}
}

// private binds an action to the actors of its maneuver group, and to the triggering entities of
// its event if they are selected.
func (b *builder) private(e *scenario.Element, n *Element, leaf *scenario.Element) {
	group := e.Parent
	for group != nil && group.Type != "ManeuverGroup" {
		group = group.Parent
	}
	var actors []Entity
	for _, r := range group.Child("Actors").All("EntityRef") {
		list, _ := b.members(r.Value("entityRef"), 0) // the group reports unknown ones
		for _, x := range list {
			if !slices.Contains(actors, x) {
				actors = append(actors, x)
				b.bind(n, leaf, x, false)
			}
		}
	}
	if group.Child("Actors").True("selectTriggeringEntities") {
		b.triggeringActors(n, leaf, actors)
	}
}

// triggeringActors binds an action to the entities in the conditions that can start its event.
func (b *builder) triggeringActors(n *Element, leaf *scenario.Element, actors []Entity) {
	if n.parent.start == nil {
		return
	}
	for _, group := range n.parent.start.groups {
		for _, c := range group {
			p, is := c.probe.(*entityProbe)
			if !is {
				continue
			}
			for k := range p.entities {
				x := p.entities[k].entity
				if slices.Contains(actors, x) {
					continue
				}
				if x >= maxTriggering {
					b.fail(leaf, "", ErrUnsupported, "a triggering entity after the "+
						strconv.Itoa(maxTriggering)+"th in Entities", "an EntityRef in Actors")
					return
				}
				actors = append(actors, x)
				b.bind(n, leaf, x, true)
			}
		}
	}
}

// isPrivate reports whether an action has actors.
func isPrivate(leaf *scenario.Element) bool {
	for e := leaf.Parent; e != nil; e = e.Parent {
		switch e.Type {
		case "PrivateAction":
			return true
		case "GlobalAction", "UserDefinedAction":
			return false
		}
	}
	return false
}

// actorOf returns the entity of a global action; only an EntityAction has one.
func (b *builder) actorOf(leaf *scenario.Element) Entity {
	if leaf.Parent.Type == "EntityAction" {
		if list := b.entity(leaf.Parent); len(list) == 1 {
			return list[0]
		}
	}
	return NoEntity
}

// bind prepares a leaf for one actor.
func (b *builder) bind(n *Element, leaf *scenario.Element, actor Entity, candidate bool) {
	a, own := b.own(leaf)
	if !own {
		var err error
		if a, err = b.world.Bind(leaf, actor); err != nil {
			b.failures = append(b.failures, err)
			return
		}
		if leaf.Type == "EnvironmentAction" {
			a = b.timeOfDay(leaf, a)
		}
	}
	if a == nil {
		return // the error has been recorded
	}
	n.runs = append(n.runs, &run{action: a, leaf: leaf, actor: actor, candidate: candidate})
}

// own creates the actions that the storyboard itself performs.
func (b *builder) own(leaf *scenario.Element) (Action, bool) {
	switch leaf.Type {
	case "ParameterAction":
		return b.assignment(leaf, b.parameter(leaf))
	case "VariableAction":
		return b.assignment(leaf, b.variable(leaf))
	case "SetMonitorAction":
		v := b.declared(leaf, "monitorRef", b.values.monitors)
		if v == nil {
			return nil, true
		}
		set := comparandOf(leaf.Value("value"))
		return &assignment{place: leaf.Place(), target: v, set: set}, true
	case "CustomCommandAction":
		return &command{board: b.Board, kind: leaf.Value("type"), text: leaf.Text}, true
	case "TrafficSignalStateAction":
		b.signals.state(leaf.Value("name"))
		return &setState{board: b.Board, id: leaf.Value("name"), state: leaf.Value("state")}, true
	case "TrafficSignalControllerAction":
		c := b.controller(leaf)
		if c == nil {
			return nil, true
		}
		return &setPhase{board: b.Board, controller: c, index: b.phase(leaf, c)}, true
	default:
		return nil, false
	}
}

func (b *builder) assignment(leaf *scenario.Element, v *value) (Action, bool) {
	if v == nil {
		return nil, true
	}
	a := &assignment{place: leaf.Place(), target: v, factor: 1}
	if set := leaf.Child("SetAction"); set != nil {
		a.set = comparandOf(set.Value("value"))
		if found, expected := v.unfit(a.set); expected != "" {
			b.fail(set, "value", scenario.ErrParameter, found, expected)
		}
		return a, true
	}
	a.modify = true
	modify := leaf.Path("ModifyAction", "Rule")
	add, multiply := modify.Child("AddValue"), modify.Child("MultiplyByValue")
	switch {
	case !v.current.is:
		b.fail(leaf, "", scenario.ErrParameter, "a change of a value that is not a number",
			"a parameter or variable with a number")
	case add != nil:
		a.add = number(add, "value")
	case multiply != nil:
		a.factor = number(multiply, "value")
	default:
		b.fail(leaf, "", scenario.ErrDocument, "neither SetAction nor ModifyAction with a rule",
			"one of them")
	}
	return a, true
}

// timeOfDay makes an EnvironmentAction that states a time of day also set the clock.
func (b *builder) timeOfDay(leaf *scenario.Element, a Action) Action {
	environment := leaf.Child("Environment")
	if r := leaf.Child("CatalogReference"); r != nil {
		environment = r.Entry
	}
	e := environment.Child("TimeOfDay")
	if e == nil {
		return a
	}
	base, err := seconds(e.Value("dateTime"))
	if err != nil {
		b.fail(e, "dateTime", scenario.ErrDocument, e.Value("dateTime"), "a date with a time")
	}
	return &setTimeOfDay{Action: a, board: b.Board, base: base,
		animate: e.True("animation")}
}
