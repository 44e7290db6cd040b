package entities

import (
	"fmt"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/scenario"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// longitudinal is an action that sets speeds.
type longitudinal interface {
	// pace sets the speed at the end of a step, and returns the distance covered in the step, in m
	// along the heading.
	pace(h float64) (way float64)
	// depends reports whether the action depends on other entities; if so, it runs after them.
	depends() bool
	// overruled ends the action because something else controls the speed now.
	overruled()
}

// lateral is an action that moves an entity by the distance that its speed covers.
type lateral interface {
	move(way, h float64)
}

// body is one entity.
type body struct {
	number   storyboard.Entity
	name     string
	kind     mocksim.Kind
	shape    mocksim.Shape
	category string // as in the document
	class    string // vehicle, pedestrian or miscellaneous
	center   frames.Vector
	box      position.Box
	limits   motion.Limits
	look     *truth.Look
	view     mocksim.View

	exists       bool
	left         bool // has existed before
	at           position.Place
	speed        float64       // along the heading, m/s
	acceleration float64       // along the heading, m/s2
	velocity     frames.Vector // of the reference point, as is the acceleration
	accelerated  frames.Vector
	rates        frames.Orientation
	traveled     float64
	route        *position.Route
	ended        bool // at the end of the road

	// In a step.
	before position.Place
	was    float64 // speed
	spun   float64 // yaw rate
	way    float64
	jumped bool // teleported since the last step
	off    bool // off the road, which has been reported
	motion mocksim.Motion
	// The axes of the entity with an attitude.
	attitude frames.Orientation
	rotation frames.Rotation
	ahead    frames.Vector // its heading in the plane
	aimed    bool          // they are known

	long  longitudinal
	lat   lateral
	lamps lamps

	tows, towed    *body   // the trailer, and the vehicle towing this one
	first          *body   // the trailer coupled at the start
	mayTow         []*body // the trailer coupled at the start, and the ones that actions connect
	said           pose    // of a trailer, by the driver of its vehicle, for the next step
	loose          bool    // its place is the one that was said
	astray         bool    // it has left the hitch
	hitch, coupler float64 // x of its hitch for a trailer, and x of its own coupler, m

	orders    func(*seat.Action) // sent to its driver; nil: the driver takes no orders
	driver    Driver             // nil: the storyboard alone moves it
	requests  bool               // its driver moves nothing, and only makes requests
	pedals    bool               // its driver operates its pedals
	held      [controls]held     // controls that the scenario holds
	has       storyboard.Domain  // motions that the driver currently has
	granted   storyboard.Domain  // motions that the scenario leaves to the driver
	awaits    bool               // waiting for its driver to be ready
	driven    bool               // the driver has both motions and moves the actor
	given     bool               // given away, regardless of the scenario
	lead      lead
	activated bool // an action of the scenario hands it to a controller
}

// classes maps the elements that are bodies to their names in conditions (ObjectType).
var classes = map[string]string{"Vehicle": "vehicle", "Pedestrian": "pedestrian",
	"MiscObject": "miscellaneous", "ExternalObjectReference": "external"}

// newBody reads a ScenarioObject, or a Trailer that is described within its vehicle.
func (w *World) newBody(e *scenario.Element, name string) (*body, error) {
	x := thing(e)
	if x == nil || x.Name == "ExternalObjectReference" {
		return nil, fault.New(storyboard.ErrUnsupported, e.PlaceOf("name"),
			"an entity without a body", "Vehicle, Pedestrian or MiscObject")
	}
	b := &body{number: storyboard.Entity(len(w.bodies)), name: name,
		class: classes[x.Name], limits: motion.NoLimits()}
	if b.name == "" {
		return nil, fault.New(storyboard.ErrUnsupported, e.PlaceOf("name"),
			"an entity without a name", "a name")
	}
	if slices.Contains(w.reader.Entities, b.name) {
		return nil, fault.New(storyboard.ErrUnsupported, e.PlaceOf("name"),
			"a second entity "+b.name, "one with another name")
	}
	b.kind, b.category = kindOf(x)
	if err := b.measure(x); err != nil {
		return nil, err
	}
	if p := x.Child("Performance"); p != nil {
		if err := measurable(p); err != nil {
			return nil, err
		}
		none := math.Inf(1)
		b.limits = motion.Limits{Speed: position.Number(p, "maxSpeed", none),
			Acceleration:     position.Number(p, "maxAcceleration", none),
			Deceleration:     position.Number(p, "maxDeceleration", none),
			AccelerationRate: position.Number(p, "maxAccelerationRate", none),
			DecelerationRate: position.Number(p, "maxDecelerationRate", none)}
	}
	b.couplers(x)
	b.look = b.appearance(x)
	w.looks[b.name] = b.look
	return b, nil
}

// thing returns the element that describes a ScenarioObject, from a catalog if it refers to one;
// nil if the object has no body.
func thing(e *scenario.Element) *scenario.Element {
	for _, c := range e.Children {
		if c.Name == "CatalogReference" && c.Entry != nil {
			c = c.Entry
		}
		if classes[c.Name] != "" {
			return c
		}
	}
	return nil
}

// kinds maps the categories of the standard to the kinds of the simulation.
var kinds = map[string]mocksim.Kind{"car": mocksim.Car, "van": mocksim.Van, "truck": mocksim.Truck,
	"trailer": mocksim.Truck, "semitrailer": mocksim.Truck, "bus": mocksim.Bus,
	"train": mocksim.Bus, "tram": mocksim.Bus, "motorbike": mocksim.Motorcycle,
	"bicycle": mocksim.Bicycle, "pedestrian": mocksim.Pedestrian, "animal": mocksim.Animal,
	"wheelchair": mocksim.Pedestrian}

// kindOf returns the kind of a body and its category.
func kindOf(x *scenario.Element) (mocksim.Kind, string) {
	switch x.Name {
	case "Vehicle":
		category := x.Value("vehicleCategory")
		return kinds[category], category
	case "Pedestrian":
		category := x.Value("pedestrianCategory")
		return kinds[category], category
	}
	return mocksim.Static, x.Value("miscObjectCategory")
}

// measure reads the size of a body.
func (b *body) measure(x *scenario.Element) error {
	c, d := x.Path("BoundingBox", "Center"), x.Path("BoundingBox", "Dimensions")
	b.center = frames.Vector{X: position.Number(c, "x", 0), Y: position.Number(c, "y", 0),
		Z: position.Number(c, "z", 0)}
	const least, most = 0.01, 1000.0 // m: the sizes that the simulation can show
	clip := func(v float64) float64 { return min(max(v, least), most) }
	length, width := position.Number(d, "length", 0), position.Number(d, "width", 0)
	b.box = position.Box{Length: length, Width: width, X: b.center.X, Y: b.center.Y}
	b.shape = mocksim.Shape{Length: clip(length), Width: clip(width),
		Height: clip(position.Number(d, "height", 0))}
	if mass := position.Number(x, "mass", 0); mass > 0 {
		b.shape.Mass = min(max(mass, least), 1e9)
	}
	if b.kind.Vehicle() {
		front, rear := x.Path("Axles", "FrontAxle"), x.Path("Axles", "RearAxle")
		base := position.Number(front, "positionX", 0) - position.Number(rear, "positionX", 0)
		if math.IsInf(base, 0) || math.IsNaN(base) {
			return fault.New(storyboard.ErrUnsupported, front.Place(), fmt.Sprintf(
				"axles %g m apart", base), "a finite distance")
		}
		if base <= 0 {
			base = b.shape.Length / 2
		}
		b.shape.Wheelbase = min(max(base, least), b.shape.Length)
	}
	for _, v := range [...]float64{length, width, position.Number(d, "height", 0), b.center.X,
		b.center.Y, b.center.Z} {
		if math.IsInf(v, 0) || math.IsNaN(v) || math.Abs(v) > most {
			return fault.New(storyboard.ErrUnsupported, x.Place(),
				fmt.Sprintf("a bounding box with %g m", v), "at most 1000 m")
		}
	}
	return nil
}

// begin records where an entity is at the start of a step.
func (b *body) begin() { b.before, b.was, b.spun = b.at, b.speed, b.rates.Yaw }

// pace sets the speed of an entity and the distance that it covers in a step.
func (w *World) pace(b *body, h float64) {
	if b.has&storyboard.Longitudinal != 0 && w.led(b, h) {
		return
	}
	if b.long != nil {
		b.way = b.long.pace(h)
		return
	}
	b.way = b.speed * h
}

// move moves an entity by the distance that it covers in a step.
func (w *World) move(b *body, h float64) {
	if b.has&storyboard.Lateral != 0 && b.lead.given {
		w.steered(b)
		return
	}
	if b.lat != nil {
		b.lat.move(b.way, h)
		return
	}
	w.keep(b, b.way)
}

// keep moves an entity along its lane, with its offset.
func (w *World) keep(b *body, way float64) {
	switch {
	case way == 0:
	case !b.at.OnRoad():
		w.straight(b, way)
	default:
		w.along(b, &b.at, way)
	}
}

// straight moves an entity along its heading, and onto a road if it reaches one.
func (w *World) straight(b *body, way float64) {
	b.at.Position = b.at.Position.Add(heading(b.at.Direction.Yaw).Scale(way))
	b.traveled += math.Abs(way)
	if b.at.Road != nil {
		w.network.Locate(&b.at, nil, position.Given{})
	}
}

// along moves a place of an entity along its road, and stops the entity at the end of the last
// road.
func (w *World) along(b *body, p *position.Place, way float64) {
	b.traveled += math.Abs(way)
	before, lane := p.Position, p.Lane
	w.advance(b, p, way*w.network.Pace(p)*p.Sign(), math.Abs(way))
	if p.Lane != lane && p.Lane != nil {
		w.stay(p, before) // the lane may have narrowed to nothing
	}
}

// advance moves a place by ds along its road.
func (w *World) advance(b *body, p *position.Place, ds, way float64) {
	from, ahead := p.Road, ds*p.Sign() > 0
	rest := w.network.Move(p, ds, b.route)
	if b.route != nil && p.Road != from {
		w.strays(b, p, from, ahead)
	}
	if rest <= 0 {
		b.ended = false
		return
	}
	b.traveled -= min(rest, way)
	if b.ended {
		b.speed = 0
		return
	}
	b.ended = true // it keeps its speed for what teleports it in this evaluation
	w.tell(b, "end of road", fmt.Sprintf("road %s at %.3f m", p.Road.ID, p.S))
}

// strays reports that an entity has left its route, because its lane does not lead to the next
// road.
func (w *World) strays(b *body, p *position.Place, from *opendrive.Road, ahead bool) {
	r := b.route
	if r.Uses(p.Road) || !r.Uses(from) || from == r.End() ||
		w.network.Passage(p, ahead, r, r.End()).Leads {
		return
	}
	w.tell(b, "off route", fmt.Sprintf("road %s to road %s", from.ID, p.Road.ID))
}

// put moves an entity to a place instantly.
func (w *World) put(b *body, at *position.Place) {
	b.at = *at
	b.jumped, b.ended = true, false
	w.show(b, 0)
	w.align(b)
}
