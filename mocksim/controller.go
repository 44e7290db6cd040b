package mocksim

import (
	"fmt"
	"strconv"

	"gosmp/frames"
	"gosmp/internal/decimal"
)

// LaneChanges defines when a controlled actor changes lanes of its own accord. It always makes the
// changes that its route requires.
type LaneChanges uint8

// The ways of changing lanes.
const (
	NoLaneChange    LaneChanges = iota
	ChangeLeft                  // once, to the left, as soon as there is room
	ChangeRight                 // once, to the right
	ChangeWithMOBIL             // if it pays off, according to MOBIL
)

// Driver describes how a controlled actor drives. Zero values mean the defaults in brackets.
type Driver struct {
	Speed        float64 // wanted, m/s, instead of the limit [the speed limit of the lane]
	MaxSpeed     float64 // m/s, never exceeded [none]
	TimeGap      float64 // s [1]
	MinGap       float64 // m [2]
	Accel        float64 // m/s2 [1.5]
	Decel        float64 // comfortable, m/s2 [2]
	LateralAccel float64 // in curves and lane changes, m/s2 [2]
	Politeness   float64 // of MOBIL [0.2]; NaN is invalid
	LaneChange   LaneChanges
	Steering     bool // steer a bicycle model along the lane instead of running on rails
}

// Controller is a driver with a destination.
type Controller struct {
	Driver
	Target *frames.Vector // nil: keep driving, choosing at random where roads fork
}

// completed returns the driver with zeros replaced by the defaults.
func (d Driver) completed() Driver {
	for _, f := range [...]struct {
		value   *float64
		missing float64
	}{{&d.TimeGap, 1}, {&d.MinGap, 2}, {&d.Accel, 1.5}, {&d.Decel, 2}, {&d.LateralAccel, 2},
		{&d.Politeness, 0.2}} {
		if *f.value == 0 {
			*f.value = f.missing
		}
	}
	return d
}

// ranges returns a Driver's numbers with their names and largest values.
func (d *Driver) ranges() []driverRange {
	return []driverRange{{"speed", &d.Speed, 200}, {"max_speed", &d.MaxSpeed, 200},
		{"time_gap", &d.TimeGap, 60},
		{"min_gap", &d.MinGap, 1000}, {"accel", &d.Accel, 50}, {"decel", &d.Decel, 50},
		{"lateral_accel", &d.LateralAccel, 50}, {"politeness", &d.Politeness, 1}}
}

type driverRange struct {
	name  string
	value *float64
	most  float64
}

// Check returns an error that names the place and the first value out of its range.
func (d *Driver) Check(place string) error {
	for _, r := range d.ranges() {
		if !(*r.value >= 0 && *r.value <= r.most) {
			return invalid(place+"."+r.name, *r.value, fmt.Sprintf("0 to %g", r.most))
		}
	}
	return nil
}

// DriverParameters returns the names that [ParseDriver] knows.
func DriverParameters() (names []string) {
	for _, r := range new(Driver).ranges() {
		names = append(names, r.name)
	}
	return append(names, "lane_change", "model")
}

// ParseDriver reads a driver from names and values: speed, max_speed, time_gap, min_gap, accel,
// decel, lateral_accel, politeness (numbers), lane_change (off, left, right, mobil), model (rails,
// steering). Unknown names are not an error but are returned. An unusable value is an error of the
// kind [ErrValue].
func ParseDriver(properties []Property) (d Driver, unknown []string, err error) {
	for _, p := range properties {
		known, err := d.set(p)
		if err != nil {
			return Driver{}, nil, err
		}
		if !known {
			unknown = append(unknown, p.Name)
		}
	}
	return d, unknown, d.Check("parameters")
}

func (d *Driver) set(p Property) (known bool, err error) {
	place := "parameters." + p.Name
	switch p.Name {
	case "lane_change":
		modes := map[string]LaneChanges{"off": NoLaneChange, "left": ChangeLeft,
			"right": ChangeRight, "mobil": ChangeWithMOBIL}
		mode, ok := modes[p.Value]
		if !ok {
			return true, invalid(place, strconv.Quote(p.Value), "off, left, right or mobil")
		}
		d.LaneChange = mode
		return true, nil
	case "model":
		if p.Value != "rails" && p.Value != "steering" {
			return true, invalid(place, strconv.Quote(p.Value), "rails or steering")
		}
		d.Steering = p.Value == "steering"
		return true, nil
	}
	for _, r := range d.ranges() {
		if r.name != p.Name {
			continue
		}
		v, err := decimal.Float(p.Value, 64)
		if err != nil {
			return true, invalid(place, strconv.Quote(p.Value), "a number")
		}
		*r.value = v
		return true, nil
	}
	return false, nil
}
