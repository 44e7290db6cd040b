package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/internal/finding"
	"gosmp/scenario"
)

// Numbers returns the errors about numbers of a scenario that cannot be meant, for which the
// standard defines no behavior: a condition with a delay of -1 s, a vehicle with a width of -2 m, a
// time that is not a number. A run refuses them.
func Numbers(s *scenario.Scenario) finding.List {
	c := &checker{resolved: s}
	if s.Root != nil {
		s.Root.Walk(func(e *scenario.Element) bool {
			c.numbers(e)
			return true
		})
	}
	return c.list
}

// numbers checks the numbers of an element.
func (c *checker) numbers(e *scenario.Element) {
	switch e.Type {
	case "LightStateAction":
		c.notNegative(e, "transitionTime", idTransition)
	case "Phase":
		c.positive(e, "duration", idPhase)
	case "Condition":
		c.notNegative(e, "delay", idDelay)
	case "LongitudinalDistanceAction":
		c.notNegative(e, "distance", idDistances)
		c.notNegative(e, "timeGap", idDistances)
	case "LateralDistanceAction":
		c.notNegative(e, "distance", idDistances)
	case "Center", "Dimensions", "Axle", "Vehicle", "Pedestrian", "MiscObject":
		c.body(e)
	case "TransitionDynamics":
		c.longTransition(e)
	case "ParameterCondition", "VariableCondition", "UserDefinedValueCondition":
		if x, ok := e.Number("value"); ok && math.IsNaN(x) &&
			!strings.Contains(strings.ToLower(e.Value("rule")), "equalto") {
			c.add(idNumber, e.PlaceOf("value"), "found value NaN, which is neither less nor "+
				"greater than any number, expected a number", "")
		}
	case "Timing":
		c.positive(e, "scale", idNumber)
	}
	for _, a := range e.Attributes {
		c.number(e, a.Name)
	}
}

// number checks an attribute of any element. Which attributes are numbers is the last question, for
// which the grammars of all versions have to be read.
func (c *checker) number(e *scenario.Element, name string) {
	x, ok := e.Number(name)
	negative := x < 0 && slices.Contains(notNegative, name)
	if !ok || !math.IsNaN(x) && !negative || slices.ContainsFunc(c.list,
		func(f finding.Finding) bool { return f.Place == e.PlaceOf(name) }) ||
		!scenario.IsNumber(e, name) {
		return
	}
	if negative {
		c.notNegative(e, name, idNumber)
		return
	}
	c.add(idNumber, e.PlaceOf(name), fmt.Sprintf("found %s %s, expected a number", name,
		e.Value(name)), "")
}

// notNegative lists the attributes of all elements whose numbers are 0 or more by the standard.
var notNegative = []string{"animationDuration", "delay", "duration", "flashingOffDuration",
	"flashingOnDuration", "frictionScaleFactor", "illuminance", "innerRadius", "luminousIntensity",
	"maxAcceleration", "maxAccelerationRate", "maxDeceleration", "maxDecelerationRate",
	"maxLateralAcc", "maxSpeed", "precipitationIntensity", "radius", "semiMajorAxis",
	"semiMinorAxis", "tolerance", "angleTolerance", "visualRange", "weight"}

// longTransition checks that a transition does not end before it begins.
func (c *checker) longTransition(e *scenario.Element) {
	value, ok := e.Number("value")
	if dimension := e.Value("dynamicsDimension"); ok && value < 0 && dimension != "rate" &&
		e.Value("dynamicsShape") != "step" {
		c.add(idNumber, e.PlaceOf("value"), "found the "+dimension+" "+e.Value("value")+
			", expected at least 0", "")
	}
}

// body checks numbers that describe the body of an entity.
func (c *checker) body(e *scenario.Element) {
	for _, attribute := range []string{"x", "y", "z", "positionX", "positionZ", "maxSteering"} {
		if x, ok := e.Number(attribute); ok && !isFinite(x) {
			c.add(idBody, e.PlaceOf(attribute), fmt.Sprintf("found %s %s, expected a finite number",
				attribute, e.Value(attribute)), "")
		}
	}
	for _, attribute := range []string{"width", "length", "height", "wheelDiameter", "trackWidth",
		"mass"} {
		if x, ok := e.Number(attribute); ok && (!isFinite(x) || x < 0) {
			c.add(idBody, e.PlaceOf(attribute), fmt.Sprintf(
				"found %s %s, expected a finite number from 0 on", attribute, e.Value(attribute)),
				"")
		}
	}
}

func isFinite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// positive checks that a number is above 0.
func (c *checker) positive(e *scenario.Element, attribute, id string) {
	if x, ok := e.Number(attribute); ok && !(x > 0) {
		c.refuse(e, attribute, id, "more than 0")
	}
}

// notNegative checks that a number is not below 0.
func (c *checker) notNegative(e *scenario.Element, attribute, id string) {
	if x, ok := e.Number(attribute); ok && !(x >= 0) {
		c.refuse(e, attribute, id, "at least 0")
	}
}

func (c *checker) refuse(e *scenario.Element, attribute, id, expected string) {
	c.add(id, e.PlaceOf(attribute), fmt.Sprintf("found %s %s, expected %s", attribute,
		e.Value(attribute), expected), "")
}
