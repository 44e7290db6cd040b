package check

import (
	"fmt"

	"gosmp/scenario"
)

// values checks the values of an element.
func (c *checker) values(e *scenario.Element) {
	c.numbers(e)
	switch e.Type {
	case "Nurbs":
		c.nurbs(e)
	case "TransitionDynamics":
		c.dynamics(e)
	case "RelativeTargetSpeed":
		c.relativeSpeed(e)
	case "LongitudinalDistanceAction":
		c.distanceOrGap(e)
	case "Orientation":
		if !e.Has("type") && c.document.Version.Minor > 0 && len(e.Attributes) > 0 {
			c.add(idOrientation, e.Place(), "found no type, expected absolute or relative", "")
		}
	case "SpeedAction":
		c.targetSpeed(e)
	}
}

func (c *checker) nurbs(e *scenario.Element) {
	order, ok := e.Number("order")
	if points := len(e.All("ControlPoint")); ok && float64(points) < order {
		c.add(idNurbs, e.PlaceOf("order"), fmt.Sprintf(
			"found %d control points, expected at least %s, the order", points,
			e.Value("order")), "")
	}
}

// dynamics checks that a transition ends at some point.
func (c *checker) dynamics(e *scenario.Element) {
	value, ok := e.Number("value")
	dimension, step := e.Value("dynamicsDimension"), e.Value("dynamicsShape") == "step"
	switch {
	case !ok:
	case step && value != 0:
		c.add(idStep, e.PlaceOf("value"), "found the value "+e.Value("value")+
			" with the shape step, expected 0: it is ignored", "")
	case step:
	case dimension == "rate" && value == 0:
		c.add(idRateZero, e.PlaceOf("value"),
			"found the rate 0, expected another: the action never ends"+
				" unless the target is reached already", "")
	}
}

func (c *checker) relativeSpeed(e *scenario.Element) {
	if !e.True("continuous") || e.Parent == nil || e.Parent.Parent == nil {
		return
	}
	d := e.Parent.Parent.Child("SpeedActionDynamics")
	if dimension := d.Value("dynamicsDimension"); dimension == "time" || dimension == "distance" {
		if d.Value("dynamicsShape") == "step" {
			return // which has neither
		}
		c.add(idRelative, d.PlaceOf("dynamicsDimension"), "found "+dimension+
			" for a continuous relative speed, expected rate, because it has no end", "")
	}
}

func (c *checker) distanceOrGap(e *scenario.Element) {
	if e.Has("distance") == e.Has("timeGap") {
		c.add(idRelative, e.Place(), "found both or none of distance and timeGap, expected one", "")
	}
}

// targetSpeed compares an absolute target with the speeds that the actors can reach.
func (c *checker) targetSpeed(e *scenario.Element) {
	target := e.Path("SpeedActionTarget", "AbsoluteTargetSpeed")
	speed, ok := target.Number("value")
	if target == nil || !ok {
		return
	}
	for _, actor := range c.actorsOf(e) {
		limit, ok := performanceOf(c.entities[actor]).Number("maxSpeed")
		if ok && speed > limit {
			c.add(idTargetSpeed, target.PlaceOf("value"), fmt.Sprintf(
				"found the target speed %s m/s, expected at most %s m/s, the maxSpeed of %s",
				target.Value("value"), scenario.FormatNumber(limit), actor), "")
		}
	}
}

// performanceOf returns the Performance of an entity, which may come from a catalog.
func performanceOf(entity *scenario.Element) (found *scenario.Element) {
	entity.Walk(func(e *scenario.Element) bool {
		if e.Type == "Performance" && found == nil {
			found = e
		}
		return found == nil
	})
	return found
}

// actorsOf returns the entities that a private action affects, as far as the document names them.
func (c *checker) actorsOf(action *scenario.Element) (names []string) {
	for e := action; e != nil; e = e.Parent {
		switch e.Type {
		case "Private":
			return []string{e.Value("entityRef")}
		case "ManeuverGroup":
			for _, r := range e.Child("Actors").All("EntityRef") {
				names = append(names, r.Value("entityRef"))
			}
			return names
		}
	}
	return nil
}

// inits checks that every entity that is referenced has a position.
func (c *checker) inits() {
	placed := map[string]bool{}
	c.resolved.Root.Walk(func(e *scenario.Element) bool {
		switch e.Type {
		case "Private":
			placed[e.Value("entityRef")] = true
		case "AddEntityAction":
			placed[e.Parent.Value("entityRef")] = true
		}
		return true
	})
	reported := map[string]bool{}
	c.resolved.Root.Child("Storyboard").Walk(func(e *scenario.Element) bool {
		for _, attribute := range []string{"entityRef", "masterEntityRef"} {
			name := e.Value(attribute)
			entity := c.entities[name]
			if entity == nil || entity.Type != "ScenarioObject" || placed[name] || reported[name] ||
				inTrailer(entity) {
				continue
			}
			reported[name] = true
			c.add(idNoInit, e.PlaceOf(attribute), "found "+name+
				", which has no action in Init, expected a"+
				" TeleportAction that places it", "")
		}
		return true
	})
}

// teleports checks that Init places each entity once, because it has one position at a time.
func (c *checker) teleports() {
	first := map[string]*scenario.Element{}
	for _, p := range c.resolved.Root.Path("Storyboard", "Init", "Actions").All("Private") {
		name := p.Value("entityRef")
		for _, a := range p.All("PrivateAction") {
			t := a.Child("TeleportAction")
			switch before := first[name]; {
			case t == nil:
			case before == nil:
				first[name] = t
			default:
				c.add(idTeleports, t.Place(), fmt.Sprintf(
					"found a second place for %s after the one in line %d, expected one", name,
					before.Place().Line), "")
			}
		}
	}
}

func inTrailer(e *scenario.Element) bool { return e.Parent != nil && e.Parent.Type == "Trailer" }
