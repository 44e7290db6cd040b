package storyboard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gosmp/scenario"
)

// trigger creates a trigger, or returns nil if there is none or if it is empty. Without a start
// trigger, an element starts immediately; without a stop trigger, it is never stopped.
func (b *builder) trigger(e *scenario.Element, owner *Element, stop bool) *trigger {
	if e == nil || len(e.All("ConditionGroup")) == 0 {
		return nil
	}
	t := &trigger{owner: owner}
	for _, group := range e.All("ConditionGroup") {
		var list []*Condition
		for _, c := range group.All("Condition") {
			if made := b.condition(c, owner, stop); made != nil {
				list = append(list, made)
			}
		}
		t.groups = append(t.groups, list)
	}
	return t
}

func (b *builder) condition(e *scenario.Element, owner *Element, stop bool) *Condition {
	c := &Condition{Name: e.Value("name"), Place: e.Place(), Edge: e.Value("conditionEdge"),
		Delay: number(e, "delay"), Owner: owner, Stop: stop}
	if c.Delay < 0 {
		b.fail(e, "delay", scenario.ErrDocument, e.Value("delay")+" s", "0 s or more")
	}
	b.owner = owner
	entity, value := e.Child("ByEntityCondition"), e.Child("ByValueCondition")
	switch {
	case entity != nil:
		c.probe = b.entityProbe(entity)
	case value != nil && len(value.Children) == 1:
		c.probe = b.valueProbe(value.Children[0])
	default:
		b.fail(e, "", scenario.ErrDocument, "a condition without content",
			"ByEntityCondition or ByValueCondition")
	}
	if c.probe == nil {
		return nil
	}
	b.conditions = append(b.conditions, c)
	return c
}

func (b *builder) entityProbe(e *scenario.Element) probe {
	condition := e.Child("EntityCondition")
	if condition == nil || len(condition.Children) != 1 {
		b.fail(e, "", scenario.ErrDocument, "no EntityCondition with one condition", "one")
		return nil
	}
	leaf := condition.Children[0]
	q, is := quantities[leaf.Type]
	if !is {
		b.fail(leaf, "", ErrUnsupported, leaf.Name, "a condition of OpenSCENARIO 1.0 to 1.3")
		return nil
	}
	p := &entityProbe{what: q.what, unit: q.unit, rule: q.rule, limit: 1}
	if q.limit != "" {
		p.limit = number(leaf, q.limit)
	}
	if text := leaf.Value("rule"); text != "" {
		p.rule = b.rule(leaf)
	}
	triggering := e.Child("TriggeringEntities")
	p.all = triggering.Value("triggeringEntitiesRule") == "all"
	for _, r := range triggering.All("EntityRef") {
		for _, x := range b.entity(r) {
			b.watch(p, leaf, x)
		}
	}
	return p
}

func (b *builder) watch(p *entityProbe, leaf *scenario.Element, x Entity) {
	m, err := b.world.Measure(leaf, x)
	if err != nil {
		b.failures = append(b.failures, err)
		return
	}
	w := watched{entity: x, name: b.names[x], measure: m}
	if is := lasts(leaf); is != nil {
		w.timer = &timer{measure: m, is: is}
		b.timers = append(b.timers, w.timer)
	}
	p.entities = append(p.entities, w)
}

func (b *builder) rule(e *scenario.Element) rule {
	r, is := rules[e.Value("rule")]
	if !is {
		b.fail(e, "rule", scenario.ErrDocument, e.Value("rule"),
			"equalTo, greaterThan, lessThan, greaterOrEqual, lessOrEqual or notEqualTo")
	}
	return r
}

func (b *builder) valueProbe(e *scenario.Element) probe {
	compared := func(what, name string, v *value) probe {
		return &valueProbe{what: what, name: name, read: v.read, rule: b.rule(e),
			limit: comparandOf(e.Value("value"))}
	}
	switch e.Type {
	case "SimulationTimeCondition":
		return &timeProbe{rule: b.rule(e), limit: number(e, "value")}
	case "StoryboardElementStateCondition":
		return b.stateProbe(e)
	case "ParameterCondition":
		if v := b.parameter(e); v != nil {
			return compared("parameter", e.Value("parameterRef"), v)
		}
	case "VariableCondition":
		if v := b.variable(e); v != nil {
			return compared("variable", e.Value("variableRef"), v)
		}
	case "UserDefinedValueCondition":
		return compared("user defined value", e.Value("name"), b.values.user(e.Value("name")))
	case "TrafficSignalCondition":
		return &valueProbe{what: "signal", name: e.Value("name"), rule: equalTo,
			read: b.signals.state(e.Value("name")).read, limit: comparand{text: e.Value("state")}}
	case "TrafficSignalControllerCondition":
		if c := b.controller(e); c != nil {
			b.phase(e, c)
			return &valueProbe{what: "phase of", name: c.name, rule: equalTo, read: c.phase.read,
				limit: comparand{text: e.Value("phase")}}
		}
	case "TimeOfDayCondition":
		at, err := seconds(e.Value("dateTime"))
		if err != nil {
			b.fail(e, "dateTime", scenario.ErrDocument, e.Value("dateTime"), "a date with a time")
		}
		return &dayProbe{rule: b.rule(e), limit: at}
	default:
		b.fail(e, "", ErrUnsupported, e.Name, "a condition of OpenSCENARIO 1.0 to 1.3")
	}
	return nil
}

func (b *builder) parameter(e *scenario.Element) *value {
	return b.declared(e, "parameterRef", b.values.parameters)
}

// variable returns the variable that an element names, or else the parameter of that name, which
// then changes as by a ParameterAction.
func (b *builder) variable(e *scenario.Element) *value {
	name := e.Value("variableRef")
	if p := b.values.parameters[name]; p != nil && b.values.variables[name] == nil {
		return p
	}
	return b.declared(e, "variableRef", b.values.variables)
}

// declared returns the parameter, variable or monitor that ref names.
func (b *builder) declared(e *scenario.Element, ref string, all map[string]*value) *value {
	v := all[e.Value(ref)]
	if v == nil {
		b.unknown(e, ref, "the name of a "+strings.TrimSuffix(ref, "Ref"),
			func() []string { return slices.Sorted(maps.Keys(all)) })
	}
	return v
}

func (b *builder) controller(e *scenario.Element) *controller {
	name := e.Value("trafficSignalControllerRef")
	c := b.signals.controller(name)
	if c == nil || name == "" { // an empty name is none, and several controllers may have it
		c = nil
		b.unknown(e, "trafficSignalControllerRef",
			"the name of a TrafficSignalController in RoadNetwork", func() (names []string) {
				for _, c := range b.signals.controllers {
					names = append(names, c.name)
				}
				return names
			})
	}
	return c
}

// phase returns the index of the phase that an element names.
func (b *builder) phase(e *scenario.Element, c *controller) int {
	names := make([]string, len(c.phases))
	for k, p := range c.phases {
		names[k] = p.name
	}
	k := slices.Index(names, e.Value("phase"))
	if k < 0 {
		b.unknown(e, "phase", "a phase of the controller "+c.name,
			func() []string { return names })
	}
	return k
}

// stateProbe creates a probe that looks up its element later, because the element may come after
// the condition.
func (b *builder) stateProbe(e *scenario.Element) probe {
	p := &stateProbe{}
	state := e.Value("state")
	if k := slices.Index(transitionNames[:], state); k > 0 {
		p.transition = Transition(k)
	} else if k := slices.Index(statusNames[:], state); k > 0 {
		p.status = Status(k)
	} else {
		b.fail(e, "state", scenario.ErrDocument, strconv.Quote(state), "a StoryboardElementState")
	}
	owner := b.owner
	b.waiting = append(b.waiting, func() { p.element = b.reference(e, owner) })
	return p
}

// reference returns the element to which a condition of owner refers. It records an error unless
// exactly one element matches.
func (b *builder) reference(e *scenario.Element, owner *Element) *Element {
	kind, name := e.Value("storyboardElementType"), e.Value("storyboardElementRef")
	found := b.named(kind, name)
	switch len(found) {
	case 0:
		b.unknown(e, "storyboardElementRef", "the name of an element of type "+kind,
			func() (names []string) {
				for _, n := range b.elements[1:] {
					if n.Kind.String() == kind {
						names = append(names, n.Name)
					}
				}
				return names
			})
	case 1:
		return found[0]
	default:
		if nearest := nearest(found, owner); nearest != nil {
			return nearest
		}
		b.fail(e, "storyboardElementRef", scenario.ErrDocument,
			fmt.Sprintf("%q, which fits %s and %d others", name, found[0].Path, len(found)-1),
			"the path of one element, such as "+found[0].Path)
	}
	return nil
}

// reading is a type and a name as conditions state them.
type reading struct{ kind, name string }

// named returns the elements of a type that a name may denote, in the order of the file. Conditions
// may be as many as elements, which may all have the same name.
func (b *builder) named(kind, name string) []*Element {
	if b.byName == nil {
		b.byName = map[reading][]*Element{}
		for _, n := range b.elements[1:] {
			for _, name := range n.names() {
				r := reading{n.Kind.String(), name}
				b.byName[r] = append(b.byName[r], n)
			}
		}
	}
	return b.byName[reading{kind, name}]
}

// nearest returns the only one of several elements in the innermost element around owner that has
// any of them; nil if it has more. A maneuver of a catalog, which several groups may use, can refer
// to its own elements only in this way.
func nearest(found []*Element, owner *Element) *Element {
	for scope := owner; scope != nil; scope = scope.parent {
		// what lies within scope follows it in the order of the file
		k, _ := slices.BinarySearchFunc(found, scope, func(a, b *Element) int {
			return cmp.Compare(a.index, b.index)
		})
		switch inside := found[k:]; {
		case len(inside) == 0 || !inside[0].isWithin(scope):
		case inside[0] == owner: // it would wait for itself
			return nil
		case len(inside) > 1 && inside[1].isWithin(scope):
			return nil
		default:
			return inside[0]
		}
	}
	return nil
}
