package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/similar"
	"gosmp/mocksim/opendrive"
	"gosmp/scenario"
	"gosmp/scenario/position"
)

// references checks that the document declares everything that its references name.
func (c *checker) references() {
	root := c.resolved.Root
	c.entities = map[string]*scenario.Element{}
	for _, e := range root.Child("Entities").All("ScenarioObject") {
		c.entities[e.Value("name")] = e
	}
	for _, e := range root.Child("Entities").All("EntitySelection") {
		c.entities[e.Value("name")] = e
	}
	c.trailers(root.Child("Entities"))
	// Actions on variables may name parameters, too, as they did in documents written for 1.1.
	variables := append(namesOf(root.Child("VariableDeclarations")),
		namesOf(root.Child("ParameterDeclarations"))...)
	controllers := namesOf(root.Path("RoadNetwork", "TrafficSignals"))
	root.Walk(func(e *scenario.Element) bool {
		for _, attribute := range []string{"entityRef", "masterEntityRef", "trailerRef"} {
			c.reference(e, attribute, idEntity, "an entity", c.entityNames())
		}
		c.reference(e, "variableRef", idVariable, "a variable of VariableDeclarations", variables)
		c.reference(e, "trafficSignalControllerRef", idController,
			"a TrafficSignalController of RoadNetwork", controllers)
		c.signal(e)
		return true
	})
}

// trailers adds the names of trailers, which are entities declared within other entities.
func (c *checker) trailers(entities *scenario.Element) {
	entities.Walk(func(e *scenario.Element) bool {
		if e.Type == "ScenarioObject" && c.entities[e.Value("name")] == nil {
			c.entities[e.Value("name")] = e
		}
		return true
	})
}

func (c *checker) entityNames() []string {
	var names []string
	for name := range c.entities {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func namesOf(e *scenario.Element) (names []string) {
	if e == nil {
		return nil
	}
	for _, child := range e.Children {
		names = append(names, child.Value("name"))
	}
	return names
}

func (c *checker) reference(e *scenario.Element, attribute, id, what string, names []string) {
	name := e.Value(attribute)
	if !e.Has(attribute) || name == "" && e.Name == "TrailerRef" || strings.HasPrefix(name, "$") ||
		slices.Contains(names, name) {
		return
	}
	remedy := similar.Hint(name, names)
	if remedy == "" {
		remedy = "declared are " + strings.Join(names, ", ")
		if len(names) == 0 {
			remedy = "none is declared"
		}
	}
	c.add(id, e.PlaceOf(attribute), fmt.Sprintf("found %s %q, expected %s", attribute, name, what),
		remedy)
}

// signal checks that a signal is on the map.
func (c *checker) signal(e *scenario.Element) {
	if c.road == nil || e.Type != "TrafficSignalStateAction" &&
		e.Type != "TrafficSignalCondition" &&
		e.Type != "TrafficSignalState" {
		return
	}
	attribute := "name"
	if e.Type == "TrafficSignalState" {
		attribute = "trafficSignalId"
	}
	id := e.Value(attribute)
	for _, r := range c.road.Roads {
		for _, s := range r.Signals {
			if s.ID == id {
				return
			}
		}
	}
	c.add(idSignal, e.PlaceOf(attribute),
		fmt.Sprintf("found the signal %q, expected the id of a signal on the map", id), "")
}

// position checks that a road and lane exist, that s is on the road, and that a position is not far
// from them.
func (c *checker) position(e *scenario.Element) {
	if e.Type != "LanePosition" && e.Type != "RoadPosition" &&
		e.Type != "PositionInLaneCoordinates" && e.Type != "PositionInRoadCoordinates" ||
		!e.Has("roadId") { // or the position is relative to a route
		return
	}
	if c.road == nil {
		if c.resolved.MapFile() == "" {
			c.add(idLane, e.Place(), "found a place on a road, expected a LogicFile with a map", "")
		}
		return
	}
	r := c.road.Road(e.Value("roadId"))
	if r == nil {
		c.add(idLane, e.PlaceOf("roadId"), fmt.Sprintf("found road %q, expected one of the map",
			e.Value("roadId")), "")
		return
	}
	s, ok := e.Number("s")
	if !ok {
		return
	}
	const tolerance = 1e-6                                             // m
	if onRoad := s >= -tolerance && s <= r.Length+tolerance; !onRoad { // nor is NaN
		c.add(idLane, e.PlaceOf("s"), fmt.Sprintf("found s %s m on road %s, expected 0 to %s m",
			e.Value("s"), r.ID, scenario.FormatNumber(r.Length)), "")
		return
	}
	for _, attribute := range []string{"offset", "t"} {
		if aside, ok := e.Number(attribute); ok && !(math.Abs(aside) <= position.Farthest) {
			c.add(idLane, e.PlaceOf(attribute), fmt.Sprintf("found %s %s m, expected at most %d m",
				attribute, e.Value(attribute), position.Farthest), "")
		}
	}
	c.lane(e, r, s)
}

// lane checks that the lane of a position exists.
func (c *checker) lane(e *scenario.Element, r *opendrive.Road, s float64) {
	if !e.Has("laneId") {
		return
	}
	var ids []string
	for _, l := range r.SectionAt(min(max(s, 0), r.Length)).Lanes {
		if l.ID != 0 {
			ids = append(ids, strconv.Itoa(l.ID))
		}
	}
	if !slices.Contains(ids, strings.TrimPrefix(strings.TrimSpace(e.Value("laneId")), "+")) {
		c.add(idLane, e.PlaceOf("laneId"),
			fmt.Sprintf("found lane %q of road %s at s %s m, expected one of %s",
				e.Value("laneId"), r.ID, e.Value("s"), strings.Join(ids, ", ")), "")
	}
}
