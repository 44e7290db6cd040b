package check

import (
	"fmt"
	"maps"
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
	c.rings(root)
	variables := declaredAs(namesOf(root.Child("VariableDeclarations")))
	parameters := declaredAs(namesOf(root.Child("ParameterDeclarations")))
	controllers := declaredAs(slices.DeleteFunc(namesOf(root.Path("RoadNetwork",
		"TrafficSignals")), func(name string) bool { return name == "" })) // an empty name is none
	entities := declaredAs(slices.Sorted(maps.Keys(c.entities)))
	root.Walk(func(e *scenario.Element) bool {
		for _, attribute := range []string{"entityRef", "masterEntityRef", "trailerRef"} {
			c.reference(e, attribute, idEntity, "an entity", entities)
		}
		if name := e.Value("variableRef"); parameters.known[name] && !variables.known[name] {
			c.add(idParameter, e.PlaceOf("variableRef"), fmt.Sprintf(
				"found the parameter %q, expected a variable", name), "")
		} else {
			c.reference(e, "variableRef", idVariable, "a variable of VariableDeclarations",
				variables)
		}
		if e.Type != "ParameterAssignment" { // whose parameter is declared in the catalog
			c.reference(e, "parameterRef", idScope, "a parameter of ParameterDeclarations",
				parameters)
		}
		c.reference(e, "trafficSignalControllerRef", idController,
			"a TrafficSignalController of RoadNetwork", controllers)
		if e.Type == "TrafficSignalController" && e.Value("reference") != "" {
			c.reference(e, "reference", idController, "a TrafficSignalController", controllers)
		}
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

// rings checks that no controller of signals starts after itself.
func (c *checker) rings(root *scenario.Element) {
	signals := root.Path("RoadNetwork", "TrafficSignals")
	for _, e := range scenario.Rings(signals.All("TrafficSignalController")) {
		c.add(idRing, e.PlaceOf("reference"), fmt.Sprintf(
			"found %q, which starts after %s itself, expected a controller that does not",
			e.Value("reference"), e.Value("name")), "")
	}
}

// Bounds on the text of remedies, which would be as long as the document for each reference.
const (
	mostListed = 20  // names that a remedy lists
	mostHints  = 100 // references whose names are compared with all declared names
)

// declared holds the names that a reference may have.
type declared struct {
	list   []string
	known  map[string]bool
	hinted int
}

func declaredAs(list []string) *declared {
	d := &declared{list: list, known: make(map[string]bool, len(list))}
	for _, name := range list {
		d.known[name] = true
	}
	return d
}

// remedy says what a reference to an unknown name may be.
func (d *declared) remedy(name string) string {
	if d.hinted++; d.hinted <= mostHints {
		if hint := similar.Hint(name, d.list); hint != "" {
			return hint
		}
	}
	switch n := len(d.list); {
	case n == 0:
		return "none is declared"
	case n > mostListed:
		return fmt.Sprintf("declared are %s and %d others",
			strings.Join(d.list[:mostListed], ", "), n-mostListed)
	}
	return "declared are " + strings.Join(d.list, ", ")
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

func (c *checker) reference(
	e *scenario.Element, attribute, id, what string, names *declared,
) {
	name := e.Value(attribute)
	if !e.Has(attribute) || name == "" && e.Name == "TrailerRef" || strings.HasPrefix(name, "$") ||
		names.known[name] {
		return
	}
	c.add(id, e.PlaceOf(attribute), fmt.Sprintf("found %s %q, expected %s", attribute, name, what),
		names.remedy(name))
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
