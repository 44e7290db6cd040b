package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gosmp/scenario"
)

// node is an element of the storyboard with a name.
type node struct {
	element *scenario.Element
	kind    string   // act, action, event, maneuver, maneuverGroup, story
	path    []string // the names starting with the story
	around  *node
}

// storyKinds maps the types of elements that can be referenced to the names of their kinds.
var storyKinds = map[string]string{"Story": "story", "Act": "act", "ManeuverGroup": "maneuverGroup",
	"Maneuver": "maneuver", "Event": "event", "Action": "action"}

// storyboard checks the structure, the triggers and the references between elements.
func (c *checker) storyboard() {
	board := c.resolved.Root.Child("Storyboard")
	c.collect(board, nil)
	c.hasDay = contains(board, "TimeOfDay")
	if board.Child("StopTrigger") == nil || len(board.Child("StopTrigger").Children) == 0 {
		c.add(idNoStop, board.Place(), "found no StopTrigger with a condition, expected one", "")
	}
	for _, n := range c.storyline {
		switch n.kind {
		case "maneuverGroup":
			c.actors(n.element)
		case "maneuver":
			c.priorities(n.element)
		}
		c.trigger(n.element.Child("StartTrigger"), n)
		c.trigger(n.element.Child("StopTrigger"), n)
	}
	c.trigger(board.Child("StopTrigger"), nil)
}

// collect finds the named elements, including the elements of maneuvers from catalogs.
func (c *checker) collect(e *scenario.Element, around *node) {
	if kind := storyKinds[e.Type]; kind != "" {
		n := &node{element: e, kind: kind, around: around}
		if around != nil {
			n.path = slices.Clone(around.path)
		}
		n.path = append(n.path, e.Value("name"))
		c.storyline = append(c.storyline, n)
		around = n
	}
	for _, child := range e.Children {
		c.collect(child, around)
	}
	if e.Entry != nil {
		c.collect(e.Entry, around)
	}
}

// actors checks that a group with private actions has actors.
func (c *checker) actors(group *scenario.Element) {
	actors := group.Child("Actors")
	if actors == nil || len(actors.All("EntityRef")) > 0 { // the schema demands Actors
		return
	}
	triggering := actors.True("selectTriggeringEntities")
	group.Walk(func(e *scenario.Element) bool {
		if e.Type != "Event" {
			return true
		}
		selected := triggering && hasType(e.Child("StartTrigger"), "ByEntityCondition")
		if hasType(e, "PrivateAction") && !selected {
			c.add(idActors, actors.Place(), "found private actions in the event "+e.Value("name")+
				" and no actor, expected an EntityRef, or triggering entities that the "+
				"event's condition"+
				" selects", "")
		}
		return false
	})
}

func hasType(e *scenario.Element, kind string) (found bool) {
	e.Walk(func(e *scenario.Element) bool {
		found = found || e.Type == kind
		return !found
	})
	return found
}

func (c *checker) priorities(maneuver *scenario.Element) {
	events := maneuver.All("Event")
	for _, e := range events {
		if p := e.Value("priority"); p == "skip" && len(events) == 1 {
			c.add(idSkipNever, e.PlaceOf("priority"),
				"found the priority skip for the only event of a"+
					" maneuver, expected other events that it waits for", "")
		}
	}
}

// trigger checks the conditions of an element's trigger; n is nil for the storyboard's trigger.
func (c *checker) trigger(trigger *scenario.Element, n *node) {
	if trigger == nil {
		return
	}
	if len(trigger.Children) == 0 && trigger.Name == "StartTrigger" {
		c.add(idEmpty, trigger.Place(), "found no condition: the trigger fires immediately,"+
			" although it never fires according to the class Trigger",
			"write a condition, such as a simulation time of at least 0 s")
	}
	for _, group := range trigger.All("ConditionGroup") {
		edges := 0
		for _, condition := range group.All("Condition") {
			if edge := condition.Value("conditionEdge"); edge != "none" && edge != "" {
				edges++
			}
			c.condition(condition, trigger, n)
		}
		if edges > 1 {
			c.add(idTwoEdges, group.Place(),
				fmt.Sprintf("found %d conditions with an edge in one group,"+
					" expected one: they are true in the same evaluation only if "+
					"they rise together",
					edges), "")
		}
	}
}

func (c *checker) condition(condition, trigger *scenario.Element, n *node) {
	condition.Walk(func(e *scenario.Element) bool {
		switch e.Type {
		case "SimulationTimeCondition":
			limit, ok := e.Number("value")
			rule := e.Value("rule")
			if ok && condition.Value("conditionEdge") == "rising" && n != nil && n.kind == "act" &&
				(rule == "greaterThan" && limit < 0 || rule == "greaterOrEqual" && limit <= 0 ||
					rule == "equalTo" && limit == 0) {
				c.add(idNeverRises, condition.PlaceOf("conditionEdge"),
					"found a condition that is true from the start, expected one that becomes true",
					"")
			}
		case "StoryboardElementStateCondition":
			c.elementState(e, trigger, n)
		default:
			c.neverTrue(e)
		}
		return true
	})
}

// measured lists the conditions whose value is never negative, with the attribute for that value.
var measured = map[string]string{"TimeHeadwayCondition": "value",
	"TimeToCollisionCondition": "value", "DistanceCondition": "value",
	"RelativeDistanceCondition": "value", "SpeedCondition": "", "TraveledDistanceCondition": ""}

func (c *checker) neverTrue(e *scenario.Element) {
	if found, expected := c.inVain(e); found != "" {
		c.add(idNeverTrue, e.Place(), "found "+found+", expected "+expected, "")
		return
	}
	attribute := measured[e.Type]
	limit, ok := e.Number(attribute)
	rule := e.Value("rule")
	if attribute == "" || !ok {
		return
	}
	if limit < 0 && (rule == "lessThan" || rule == "lessOrEqual" || rule == "equalTo") ||
		limit == 0 && rule == "lessThan" {
		c.add(idNeverTrue, e.PlaceOf(attribute),
			fmt.Sprintf("found %s %s, expected a value that a distance or"+
				" time can have: it is never negative", rule, e.Value(attribute)), "")
	}
}

// inVain returns what a condition needs and never has, and what would be needed: a map, a time of
// day, or another entity than the only one that triggers it.
func (c *checker) inVain(e *scenario.Element) (found, expected string) {
	system := alongRoads(e)
	ofRoads := e.Type == "OffroadCondition" || e.Type == "EndOfRoadCondition"
	switch {
	case (ofRoads || system != "") && c.resolved.MapFile() != "":
	case ofRoads:
		return "it without a map", "a LogicFile"
	case system != "":
		return "distances along a " + system + " without a map", "entity, or a LogicFile"
	case e.Type == "TimeOfDayCondition" && !c.hasDay:
		return "it without a time of day", "an EnvironmentAction that sets one"
	}
	return c.alone(e)
}

// alongRoads returns the coordinate system of a condition that measures along roads or across them,
// and nothing for any other condition. alongRoute and the attributes that replace it have the same
// defaults as in a run.
func alongRoads(e *scenario.Element) (system string) {
	if measured[e.Type] == "" {
		return ""
	}
	system, kind := e.Value("coordinateSystem"), e.Value("relativeDistanceType")
	if e.True("alongRoute") {
		system, kind = cmp.Or(system, "road"), cmp.Or(kind, "longitudinal")
	}
	if system != "road" && system != "lane" || kind != "longitudinal" && kind != "lateral" {
		return ""
	}
	return system
}

// alone reports that a condition compares the only entity that triggers it with itself. The members
// of a selection can be compared with each other.
func (c *checker) alone(e *scenario.Element) (found, expected string) {
	other := ""
	switch e.Type {
	case "TimeHeadwayCondition":
		other = e.Value("entityRef")
	case "CollisionCondition":
		other = e.Path("EntityRef").Value("entityRef")
	case "TimeToCollisionCondition":
		other = e.Path("TimeToCollisionConditionTarget", "EntityRef").Value("entityRef")
	}
	if other == "" || e.Parent == nil || e.Parent.Parent == nil {
		return "", ""
	}
	by := e.Parent.Parent.Path("TriggeringEntities").All("EntityRef")
	if len(by) != 1 || by[0].Value("entityRef") != other ||
		c.entities[other] != nil && c.entities[other].Type == "EntitySelection" {
		return "", ""
	}
	return other + " itself", "another entity"
}

// contains reports whether an element or a catalog entry in it has an element of a type.
func contains(e *scenario.Element, kind string) (found bool) {
	e.Walk(func(e *scenario.Element) bool {
		found = found || e.Type == kind
		return !found
	})
	return found
}

// elementState checks a reference to an element of the storyboard.
func (c *checker) elementState(e, trigger *scenario.Element, n *node) {
	kind, name := e.Value("storyboardElementType"), e.Value("storyboardElementRef")
	found, other := c.denoted(kind, name)
	switch {
	case len(found) == 0 && other != nil:
		c.add(idElement, e.PlaceOf("storyboardElementRef"), fmt.Sprintf(
			"found %s %q, which is of type %s, expected one of type %s", e.Name, name,
			other.kind, kind), "")
	case len(found) == 0:
		c.add(idElement, e.PlaceOf("storyboardElementRef"), fmt.Sprintf(
			"found storyboardElementRef %q, expected the name of an element of type %s", name,
			kind), "")
	case len(found) > 1:
		c.add(idAmbiguous, e.PlaceOf("storyboardElementRef"), fmt.Sprintf(
			"found storyboardElementRef %q, which fits %d elements, expected one", name,
			len(found)), "")
	case trigger.Name == "StartTrigger" && n != nil && n.waitsInVain(found[0], trigger,
		e.Value("state")):
		c.add(idSelfWait, e.Place(), fmt.Sprintf("found %s %s, which waits for the %s of %s %s,"+
			" expected a state that is possible before it starts", n.kind, n.path[len(n.path)-1],
			e.Value("state"), kind, name), "")
	}
}

// reading is a type and a name as conditions state them.
type reading struct{ kind, name string }

// denoted returns the elements of a type that a name may denote, in the order of the file, and the
// first one of any type. Conditions may be as many as elements, which may all have the same name.
func (c *checker) denoted(kind, name string) (found []*node, first *node) {
	if c.byName == nil {
		c.byName, c.first = map[reading][]*node{}, map[string]*node{}
		for _, n := range c.storyline {
			for _, name := range n.names() {
				r := reading{n.kind, name}
				if c.byName[r] = append(c.byName[r], n); c.first[name] == nil {
					c.first[name] = n
				}
			}
		}
	}
	return c.byName[reading{kind, name}], c.first[name]
}

// waitsInVain reports whether a state of an element cannot occur before the element n starts, which
// waits for it: n is that element, contains it, or lies within it. With other conditions that start
// n first, only the complete state remains impossible.
func (n *node) waitsInVain(m *node, trigger *scenario.Element, state string) bool {
	before := state == "startTransition" || state == "runningState" // of what contains n
	switch within, around := n.isWithin(m), m.isWithin(n); {
	case within && state == "completeState":
		return true
	case hasGroups(trigger):
		return false
	case within && around:
		return state != "standbyState"
	default:
		return around || within && !before
	}
}

// hasGroups reports whether a trigger has more than one group of conditions. Each condition asks:
// a list of all groups would take a time that grows with the square of their number.
func hasGroups(trigger *scenario.Element) bool {
	groups := 0
	for _, c := range trigger.Children {
		if c.Name == "ConditionGroup" {
			if groups++; groups > 1 {
				return true
			}
		}
	}
	return false
}

// names returns what a reference to the element may state: its name, or the end of its path.
func (n *node) names() []string {
	last := len(n.path) - 1
	list := []string{n.path[last]}
	for k := last; k >= 0 && !strings.Contains(n.path[k], "::"); k-- {
		if k < last {
			list = append(list, strings.Join(n.path[k:], "::"))
		}
	}
	return list
}

// isWithin reports whether the element is the other element or lies within it.
func (n *node) isWithin(other *node) bool {
	for ; n != nil; n = n.around {
		if n == other {
			return true
		}
	}
	return false
}
