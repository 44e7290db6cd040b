package entities

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/scenario"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// control is a control of a vehicle that OverrideControllerValueAction can hold.
type control uint8

const (
	throttle control = iota
	brake
	clutch
	parkingBrake
	steeringWheel
	gear
	controls
)

// controlNames are the elements of the action, in the order of the constants.
var controlNames = [controls]string{"Throttle", "Brake", "Clutch", "ParkingBrake", "SteeringWheel",
	"Gear"}

// held is a control that the scenario holds instead of the entity's driver.
type held struct {
	is    bool
	value float64 // from 0 to 1; of the steering wheel in rad; of the gear its number
	rate  float64 // of its change, 1/s or rad/s
	now   float64
	moved bool // now is known
}

// override is OverrideControllerValueAction.
type override struct {
	common
	given [controls]*held // nil: the action does not mention the control
	text  string
}

func newOverride(c common) (storyboard.Action, error) {
	a := &override{common: c}
	var list []string
	for k, name := range controlNames {
		e := c.e.Child(name)
		if e == nil {
			continue
		}
		h := &held{is: position.True(e, "active", false), rate: math.Inf(1)}
		a.given[k] = h
		if !h.is {
			list = append(list, name+" released")
			continue
		}
		if err := a.read(control(k), e, h); err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprintf("%s %g", name, h.value))
	}
	a.text = strings.Join(list, ", ")
	return a, nil
}

// read reads the value of a control, which versions before 1.2 write as an attribute.
func (a *override) read(k control, e *scenario.Element, h *held) error {
	x, attribute, scale := e, "value", 1.0
	switch percent, force := e.Child("BrakePercent"), e.Child("BrakeForce"); {
	case k == gear && e.Child("AutomaticGear") != nil:
		h.value = map[string]float64{"d": 1, "r": -1}[e.Child("AutomaticGear").Value("gear")]
		return nil
	case k == gear && e.Child("ManualGear") != nil:
		x, attribute = e.Child("ManualGear"), "number"
	case k == gear:
		attribute = "number"
	case percent != nil:
		x = percent
	case force != nil:
		x, scale = force, 1/a.b.strongest()
	}
	if !x.Has(attribute) {
		return fault.New(storyboard.ErrUnsupported, x.Place(), "no "+attribute, "a number")
	}
	h.value = position.Number(x, attribute, 0) * scale
	h.rate = position.Number(x, "maxRate", h.rate) * scale
	expected := ""
	switch {
	case !(h.rate >= 0):
		attribute, expected = "maxRate", "a rate of 0 or more"
	case k == gear:
		h.value = math.Round(h.value)
		if !(h.value >= mocksim.LeastGear && h.value <= mocksim.MostGear) {
			expected = fmt.Sprintf("a gear from %d to %d", mocksim.LeastGear, mocksim.MostGear)
		}
	case x.Name == "BrakeForce":
		if !(h.value >= 0) {
			expected = "a force of 0 N or more"
		}
		h.value = min(h.value, 1)
	case k != steeringWheel && !(h.value >= 0 && h.value <= 1):
		expected = "a position from 0 to 1"
	case !(math.Abs(h.value) <= mocksim.MostSteeringWheel):
		expected = fmt.Sprintf("an angle of at most %g rad", mocksim.MostSteeringWheel)
	}
	if expected != "" {
		return fault.New(storyboard.ErrUnsupported, x.PlaceOf(attribute), x.Value(attribute),
			expected)
	}
	return nil
}

// strongest returns the force of the brakes at their strongest, in N.
func (b *body) strongest() float64 {
	usual := b.kind.Shape()
	return cmp.Or(b.shape.Brake, usual.Brake) * cmp.Or(b.shape.Mass, usual.Mass)
}

// Start holds or releases controls. An entity without pedals has none to hold.
func (a *override) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, true
	for k, h := range a.given {
		if h == nil {
			continue
		}
		last := a.b.held[k]
		a.b.held[k] = *h
		if last.is && last.moved { // it moves on from where it is held
			a.b.held[k].now, a.b.held[k].moved = last.now, true
		}
	}
	switch {
	case a.b.driver == nil:
		a.w.tell(a.b, "override", a.text+
			"; without a system under test there are no pedals, and the storyboard continues")
	case !a.b.pedals:
		a.w.tell(a.b, "override", a.text+"; its driver has no pedals, and continues")
	default:
		a.w.tell(a.b, "override", a.text)
	}
	return nil
}

// Presses says that the driver of an entity operates its pedals and steering wheel, and that its
// controls pass through Overridden.
func (w *World) Presses(entity storyboard.Entity) { w.bodies[entity].pedals = true }

// Overridden replaces those controls of an entity's driver that the scenario holds. It is called
// before each step, and at a handover.
func (w *World) Overridden(entity storyboard.Entity, c *mocksim.Controls) {
	b := w.bodies[entity]
	for k, of := range [...]*float64{throttle: &c.Throttle, brake: &c.Brake,
		steeringWheel: &c.SteeringWheel} {
		if of != nil {
			*of = b.held[k].next(*of, w.length)
		}
	}
	c.Throttle *= 1 - b.held[clutch].next(0, w.length)
	c.Brake = max(c.Brake, b.held[parkingBrake].next(0, w.length))
	c.Gear = int(b.held[gear].next(float64(c.Gear), w.length))
}

// next returns the position of a control at the end of a step: that of the driver, or the one that
// it is held at, as fast as it may change.
func (h *held) next(driver, length float64) float64 {
	if !h.is {
		return driver
	}
	if !h.moved {
		h.now, h.moved = driver, true
	}
	if math.IsInf(h.rate, 1) {
		h.now = h.value
		return h.now
	}
	most := float64(h.rate * length)
	h.now += min(max(h.value-h.now, -most), most)
	return h.now
}
