package position

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/similar"
	"gosmp/scenario"
)

// The kinds of errors, for errors.Is.
var (
	// ErrPlace reports a position that is not on the map.
	ErrPlace = errors.New("not on the map")
	// ErrUnsupported reports a position that cannot be computed.
	ErrUnsupported = errors.New("not supported")
)

// Scene provides the places of the entities.
type Scene interface {
	// PlaceOf returns the place of an entity, or nil while it does not exist.
	PlaceOf(entity int) *Place
	// RouteOf returns the route of an entity, or nil if it has none.
	RouteOf(entity int) *Route
}

// Reader converts elements to positions and trajectories.
type Reader struct {
	Network  *Network
	Entities []string // names, by number
	Version  scenario.Version
}

// Position is a position in a document.
type Position struct {
	resolve func(Scene, *Place) error
	fixed   bool // does not depend on entities
	given   Given
	heading bool // the heading is given
	cached  *Place
	element *scenario.Element
	// Trajectory is the name of the trajectory of a TrajectoryPosition; empty for others.
	Trajectory string
	Along      float64 // s of a TrajectoryPosition
	Reference  int     // the entity of a relative position; -1 if there is none
}

// Fixed reports whether the position does not depend on entities.
func (p *Position) Fixed() bool { return p.fixed }

// Resolve computes the place for the current state of the scene.
func (p *Position) Resolve(scene Scene, out *Place) error {
	if p.cached != nil {
		*out = *p.cached
		return nil
	}
	if err := p.resolve(scene, out); err != nil {
		return fault.New(ErrPlace, p.element.Place(), err.Error(), "a place on the map")
	}
	if p.fixed {
		copied := *out
		p.cached = &copied
	}
	return nil
}

// Number returns the value of an attribute, or missing if the attribute does not exist.
func Number(e *scenario.Element, name string, missing float64) float64 {
	if x, ok := e.Number(name); ok {
		return x
	}
	return missing
}

// True reports whether an attribute is true, or returns missing if the attribute does not exist.
func True(e *scenario.Element, name string, missing bool) bool {
	switch strings.TrimSpace(e.Value(name)) {
	case "true", "1":
		return true
	case "false", "0":
		return false
	}
	return missing
}

// Entity returns the number of the entity that an attribute names.
func (r *Reader) Entity(e *scenario.Element, attribute string) (int, error) {
	name := e.Value(attribute)
	if k := slices.Index(r.Entities, name); k >= 0 {
		return k, nil
	}
	return -1, fault.New(ErrPlace, e.PlaceOf(attribute), fmt.Sprintf("no entity %q", name),
		"an entity of the scenario").WithHint(similar.Hint(name, r.Entities))
}

// orientation is an Orientation with the default of the version (rule O6).
type orientation struct {
	angles   frames.Orientation
	h, p, r  bool // are given
	absolute bool
	exists   bool
}

func (r *Reader) orientation(e *scenario.Element) orientation {
	o := e.Child("Orientation")
	if o == nil {
		return orientation{}
	}
	kind := o.Value("type")
	return orientation{
		angles: frames.Orientation{Yaw: Number(o, "h", 0), Pitch: Number(o, "p", 0),
			Roll: Number(o, "r", 0)},
		h: o.Has("h"), p: o.Has("p"), r: o.Has("r"), exists: true,
		absolute: kind == "absolute" || kind == "" && !r.Version.AtLeast(3),
	}
}

// turn turns a place that faces the reference direction of a relative orientation.
func (o *orientation) turn(n *Network, p *Place) {
	switch {
	case !o.exists:
	case !p.OnRoad() && o.absolute:
		p.Direction = o.angles
		p.Direction.Yaw = Wrapped(p.Direction.Yaw)
	case !p.OnRoad():
		p.Direction.Yaw = Wrapped(p.Direction.Yaw + o.angles.Yaw)
		p.Direction.Pitch += o.angles.Pitch
		p.Direction.Roll += o.angles.Roll
	case o.absolute:
		p.Turn = Wrapped(o.angles.Yaw - n.Along(p))
		n.Settle(p)
		if o.p {
			p.Tilt.Pitch += o.angles.Pitch - p.Direction.Pitch
		}
		if o.r {
			p.Tilt.Roll += o.angles.Roll - p.Direction.Roll
		}
		n.Settle(p)
	default:
		p.Turn = Wrapped(p.Turn + o.angles.Yaw)
		p.Tilt.Pitch += o.angles.Pitch
		p.Tilt.Roll += o.angles.Roll
		n.Settle(p)
	}
}

// reading reads one kind of position.
type reading func(r *Reader, e *scenario.Element, p *Position) error

// readings maps the kinds of positions to their readings.
var readings map[string]reading

func init() { //nolint:gochecknoinits // the table refers to functions that refer to it
	readings = map[string]reading{"WorldPosition": (*Reader).world,
		"RelativeWorldPosition":  (*Reader).relative,
		"RelativeObjectPosition": (*Reader).relative, "RoadPosition": (*Reader).road,
		"RelativeRoadPosition": (*Reader).relativeRoad, "LanePosition": (*Reader).lane,
		"RelativeLanePosition": (*Reader).relativeLane, "RoutePosition": (*Reader).route,
		"GeoPosition": (*Reader).geographic, "TrajectoryPosition": (*Reader).trajectory}
}

// Position reads an element of type Position. It refuses positions that are not on the map.
func (r *Reader) Position(e *scenario.Element) (*Position, error) {
	for _, c := range e.Children {
		read, ok := readings[c.Name]
		if !ok {
			continue
		}
		p := &Position{element: c, Reference: -1}
		if err := read(r, c, p); err != nil {
			return nil, err
		}
		if p.fixed { // detect positions that are not on the map before the run
			var at Place
			if err := p.Resolve(nil, &at); err != nil {
				return nil, err
			}
		}
		return p, nil
	}
	return nil, fault.New(ErrUnsupported, e.Place(), e.Name+" without a position", "a position")
}

func (r *Reader) world(e *scenario.Element, p *Position) error {
	at := Place{Position: frames.Vector{X: Number(e, "x", 0), Y: Number(e, "y", 0),
		Z: Number(e, "z", 0)}, Direction: frames.Orientation{Yaw: Wrapped(Number(e, "h", 0)),
		Pitch: Number(e, "p", 0), Roll: Number(e, "r", 0)}}
	p.given = Given{Height: e.Has("z"), Pitch: e.Has("p"), Roll: e.Has("r")}
	p.heading, p.fixed = e.Has("h"), true
	p.resolve = func(_ Scene, out *Place) error {
		*out = at
		r.Network.Locate(out, nil, p.given)
		return nil
	}
	return nil
}

func (r *Reader) road(e *scenario.Element, p *Position) error {
	id, s, t := e.Value("roadId"), Number(e, "s", 0), Number(e, "t", 0)
	o := r.orientation(e)
	p.fixed, p.heading = true, o.h
	p.resolve = func(_ Scene, out *Place) (err error) {
		if *out, err = r.Network.OnRoad(id, s, t); err == nil {
			o.turn(r.Network, out)
		}
		return err
	}
	return nil
}

func (r *Reader) lane(e *scenario.Element, p *Position) error {
	id, s, offset := e.Value("roadId"), Number(e, "s", 0), Number(e, "offset", 0)
	lane, err := strconv.Atoi(strings.TrimSpace(e.Value("laneId")))
	if err != nil {
		return fault.New(ErrPlace, e.PlaceOf("laneId"), e.Value("laneId"), "the id of a lane")
	}
	o := r.orientation(e)
	p.fixed, p.heading = true, o.h
	p.resolve = func(_ Scene, out *Place) (err error) {
		if *out, err = r.Network.OnLane(id, lane, s, offset); err == nil {
			o.turn(r.Network, out)
		}
		return err
	}
	return nil
}
