package mocksim

import (
	"math"
	"slices"
	"strings"

	"gosmp/mocksim/opendrive"
)

// arm is a light in front of a junction, and the direction in which traffic passes it.
type arm struct {
	light     *light
	direction float64 // rad
}

// nearJunction is the largest distance of a light from its junction, in m.
const nearJunction = 60.0

// signalise assigns turns to the lights of each junction for which the map names no controllers:
// lights on roads that lead in the same or in opposite directions are green together. If all roads
// with lights are in line, their lights wait one turn for traffic without lights.
func (w *World) signalise() {
	arms := map[string][]arm{}
	controlled := map[string]bool{}
	for k, stops := range w.stops {
		for i := range stops {
			id, direction, ok := w.junctionBehind(w.m.Lanes()[k], &stops[i])
			if !ok {
				continue
			}
			controlled[id] = controlled[id] || stops[i].light.turns > 0
			arms[id] = append(arms[id], arm{stops[i].light, direction})
		}
	}
	for _, j := range w.m.Junctions {
		if !controlled[j.ID] {
			takeTurns(arms[j.ID])
		}
	}
}

// takeTurns assigns the lights of a junction their turns.
func takeTurns(arms []arm) {
	const inLine = math.Pi / 4
	var axes []float64 // directions of the turns
	for k := range arms {
		l := arms[k].light
		if l.turns > 0 {
			continue // a light for several lanes
		}
		turn := slices.IndexFunc(axes, func(axis float64) bool {
			return math.Abs(math.Remainder(arms[k].direction-axis, math.Pi)) < inLine
		})
		if turn < 0 {
			turn = len(axes)
			axes = append(axes, arms[k].direction)
		}
		l.green, l.turns = []int{turn}, 1
	}
	for k := range arms {
		arms[k].light.turns = max(len(axes), 2)
	}
}

// junctionBehind returns the junction that traffic reaches after a light, and the direction of
// traffic at the light. Only the kinds of lights that have a number in OpenDRIVE are considered,
// because other dynamic signals are signs.
func (w *World) junctionBehind(lane *opendrive.Lane, s *stop) (id string, direction float64,
	ok bool) {
	road := lane.Section.Road
	kind := s.light.signal.LightType()
	if len(kind) != len("1000001") || !strings.HasPrefix(kind, "10000") {
		return "", 0, false
	}
	for _, c := range lane.Courses() {
		var p railPoint
		w.rail(lane).at(s.u, true, &p)
		direction = p.angles.Yaw
		if !c.Forwards {
			direction += math.Pi
		}
		if road.Junction != "" {
			return road.Junction, direction, true
		}
		link, way := road.Successor, road.Length-lane.Section.S-s.u
		if !c.Forwards {
			link, way = road.Predecessor, lane.Section.S+s.u
		}
		if link.Kind == opendrive.ToJunction && way <= nearJunction {
			return link.ID, direction, true
		}
	}
	return "", 0, false
}
