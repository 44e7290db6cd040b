package mocksim

import (
	"fmt"
	"strings"
)

// Kind is the kind of an actor.
type Kind uint8

// The kinds of actors. A Static actor is an obstacle, which never moves by itself.
const (
	Car Kind = iota
	Van
	Truck
	Bus
	Motorcycle
	Bicycle
	Pedestrian
	Animal
	Static
	kinds
)

var kindNames = [kinds]string{"car", "van", "truck", "bus", "motorcycle", "bicycle", "pedestrian",
	"animal", "static"}

// String returns the name of the kind, as read by [ParseKind].
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", k)
}

// hasGears reports whether an actor needs a gear to reverse. People and animals go in any
// direction.
func (k Kind) hasGears() bool { return k != Pedestrian && k != Animal }

// ParseKind reads the name of a kind, in upper or lower case. It also accepts cyclist, person and
// obstacle.
func ParseKind(name string) (Kind, error) {
	switch lower := strings.ToLower(name); lower {
	case "cyclist":
		return Bicycle, nil
	case "person":
		return Pedestrian, nil
	case "obstacle":
		return Static, nil
	default:
		for k, known := range kindNames {
			if lower == known {
				return Kind(k), nil
			}
		}
	}
	return 0, invalid("actor_type", fmt.Sprintf("%q", name), "one of "+strings.Join(kindNames[:],
		", "))
}

// Vehicle reports whether a kind has wheels and vehicle lights.
func (k Kind) Vehicle() bool { return k <= Bicycle }

// Shape holds the size and the performance of an actor. All values are above 0, except the
// wheelbase of actors without wheels.
type Shape struct {
	Length, Width, Height float64 // of the bounding box, m
	Wheelbase             float64 // m; the rear axle is half of it behind the middle
	Acceleration, Brake   float64 // the largest, m/s2
	Mass, Power           float64 // kg, W
}

// shapes holds the default shapes.
var shapes = [kinds]Shape{
	Car:        {4.6, 1.85, 1.5, 2.7, 4, 9, 1500, 100e3},
	Van:        {5.5, 2, 2.4, 3.3, 3, 8, 2800, 110e3},
	Truck:      {12, 2.5, 3.8, 6, 1.5, 6, 18000, 300e3},
	Bus:        {12, 2.5, 3.8, 6, 1.5, 6, 14000, 220e3},
	Motorcycle: {2.2, 0.8, 1.6, 1.4, 5, 8, 300, 60e3},
	Bicycle:    {1.8, 0.6, 1.7, 1.1, 1, 4, 95, 250},
	Pedestrian: {0.5, 0.6, 1.75, 0, 1, 3, 80, 200},
	Animal:     {1, 0.4, 0.8, 0, 2, 4, 30, 200},
	Static:     {1, 1, 1, 0, 0, 0, 100, 0},
}

// Shape returns the default size of a kind.
func (k Kind) Shape() Shape {
	if k < kinds {
		return shapes[k]
	}
	return Shape{}
}

// completed returns the shape with zeros replaced by the defaults of a kind.
func (s Shape) completed(k Kind) Shape {
	d := k.Shape()
	for _, f := range [...]struct {
		value   *float64
		missing float64
	}{{&s.Length, d.Length}, {&s.Width, d.Width}, {&s.Height, d.Height}, {&s.Wheelbase,
		d.Wheelbase},
		{&s.Acceleration, d.Acceleration}, {&s.Brake, d.Brake}, {&s.Mass, d.Mass},
		{&s.Power, d.Power}} {
		if *f.value == 0 {
			*f.value = f.missing
		}
	}
	return s
}

// The limits of a shape. Beyond them no vehicle is plausible, and numbers lose precision.
const (
	smallest  = 1e-3 // m
	longest   = 1e3  // m
	strongest = 1e3  // m/s2
	heaviest  = 1e9  // kg, W
)

// limits reports numbers that no body can have.
func (s *Shape) limits(place string) error {
	for _, f := range [...]struct {
		name               string
		value, least, most float64
	}{{"length", s.Length, smallest, longest}, {"width", s.Width, smallest, longest},
		{"height", s.Height, smallest, longest},
		{"wheelbase", s.Wheelbase, smallest, longest}, {"acceleration", s.Acceleration, 0,
			strongest}, {"brake", s.Brake, 0, strongest},
		{"mass", s.Mass, smallest, heaviest}, {"power", s.Power, 0, heaviest}} {
		if f.value != 0 && !(f.value >= f.least && f.value <= f.most) {
			return invalid(place+"."+f.name, f.value,
				fmt.Sprintf("%g to %g, or 0 for the default of the kind", f.least, f.most))
		}
	}
	return nil
}

// check reports values that no body can have. A completed shape may have a wheelbase that exceeds
// its length if only one of the two was given.
func (s *Shape) check(place string) error {
	if err := s.limits(place); err != nil {
		return err
	}
	if s.Wheelbase > s.Length && s.Length > 0 {
		return invalid(place+".wheelbase", s.Wheelbase, fmt.Sprintf("at most the length, %g m",
			s.Length))
	}
	return nil
}

// Property is a name and a value, for an actor, a controller or a message.
type Property struct{ Name, Value string }

// Indicator is the state of the direction indicators.
type Indicator uint8

// The states of the indicators.
const (
	IndicatorOff Indicator = iota
	IndicatorLeft
	IndicatorRight
	IndicatorWarning
)

// Lights is a set of lamps that are on.
type Lights uint32

// The lamps. Brake lamps and reversing lamps switch automatically, and can also be switched on.
const (
	LowBeam Lights = 1 << iota
	HighBeam
	FogFront
	FogRear
	Emergency
	BrakeLamps
	ReversingLamps
)

// Lit returns all lamps that are on, including the ones that switch automatically.
func (s *State) Lit() Lights {
	lit := s.Lights
	if s.Gear < 0 {
		lit |= ReversingLamps
	}
	if s.Brake > 0 || s.Along < -0.5 {
		lit |= BrakeLamps
	}
	return lit
}
