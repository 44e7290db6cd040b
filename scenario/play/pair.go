package play

import (
	"math"

	"gosmp/scenario"
	"gosmp/scenario/storyboard"
)

// astray is the angle between an entity and its lane from which on it counts as leaving its road,
// in rad.
const astray = 20 * math.Pi / 180

// pairing measures a quantity of an entity and another one.
type pairing struct {
	entity storyboard.Entity
	// Along the axis of the entity, and along its road.
	value, gap             storyboard.Measure
	valueOnRoad, gapOnRoad storyboard.Measure
}

// pair returns a function that reads a quantity of an entity and one of the others.
func (p *Player) pair(quantity string, entity int, others []int) (
	func(*Player, int) (float64, bool), error) {
	list := make([]pairing, len(others))
	for k, other := range others {
		list[k].entity = storyboard.Entity(entity)
		if err := p.pairUp(&list[k], quantity, p.names[other]); err != nil {
			return nil, err
		}
	}
	return func(p *Player, k int) (float64, bool) {
		x := &list[k]
		if x.gap == nil {
			return x.value.Value()
		}
		value, gap := x.value, x.gap
		if x.follows(p) {
			if _, ok := x.gapOnRoad.Value(); ok {
				value, gap = x.valueOnRoad, x.gapOnRoad
			}
		}
		if d, ok := gap.Value(); !ok || d > 0 {
			return 0, false
		}
		return value.Value()
	}, nil
}

// follows reports whether the entity drives along its road. In a bend, what is ahead of it is then
// not on its axis.
func (x *pairing) follows(p *Player) bool {
	s := p.world.State(x.entity)
	if s == nil || s.Road == "" {
		return false
	}
	turn := math.Abs(math.Remainder(s.Turn, math.Pi))
	return turn < astray
}

// pairUp prepares the measures of a quantity.
func (p *Player) pairUp(x *pairing, quantity, other string) (err error) {
	measure := func(to *storyboard.Measure, e *scenario.Element) {
		if err == nil {
			*to, err = p.measure(e, int(x.entity))
		}
	}
	axis := []string{"freespace", "true", "coordinateSystem", "entity", "rule", "lessThan", "value",
		"0"}
	if quantity == "distance" {
		measure(&x.value, condition("RelativeDistanceCondition", append(axis, "entityRef", other,
			"relativeDistanceType", "euclidianDistance")...))
		return err
	}
	road := []string{"freespace", "true", "coordinateSystem", "road", "routingAlgorithm",
		"assignedRoute", "rule", "lessThan", "value", "0"}
	for _, c := range []struct {
		system     []string
		value, gap *storyboard.Measure
	}{{axis, &x.value, &x.gap}, {road, &x.valueOnRoad, &x.gapOnRoad}} {
		measure(c.value, pairCondition(quantity, other, c.system))
		measure(c.gap, condition("RelativeDistanceCondition", append(c.system, "entityRef", other,
			"relativeDistanceType", "lateral")...))
	}
	return err
}

// pairCondition returns the condition that measures a quantity in a coordinate system.
func pairCondition(quantity, other string, system []string) *scenario.Element {
	system = append(system, "relativeDistanceType", "longitudinal")
	if quantity == "headway" {
		return condition("TimeHeadwayCondition", append(system, "entityRef", other)...)
	}
	e := condition("TimeToCollisionCondition", system...)
	return with(e, with(condition("TimeToCollisionConditionTarget"),
		condition("EntityRef", "entityRef", other)))
}
