package position

import (
	"math"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/mocksim/opendrive"
	"gosmp/scenario"
)

// Route reads the child of an element that is a Route or a reference to one.
func (r *Reader) Route(e *scenario.Element) (*RouteOf, error) {
	x := e.Child("Route")
	if x == nil {
		x = entryOf(e)
	}
	if x == nil {
		return nil, fault.New(ErrUnsupported, e.Place(), "no route", "a Route")
	}
	out := &RouteOf{network: r.Network, element: x, closed: True(x, "closed", false), fixed: true}
	for _, w := range x.All("Waypoint") {
		p, err := r.Position(w.Child("Position"))
		if err != nil {
			return nil, err
		}
		strategy, ok := map[string]Strategy{"shortest": Shortest, "fastest": Fastest,
			"leastIntersections": LeastIntersections}[w.Value("routeStrategy")]
		if !ok {
			return nil, fault.New(ErrUnsupported, w.PlaceOf("routeStrategy"),
				w.Value("routeStrategy"), "shortest, fastest or leastIntersections")
		}
		out.fixed = out.fixed && p.fixed
		out.waypoints = append(out.waypoints, p)
		out.strategies = append(out.strategies, strategy)
	}
	if out.fixed {
		if _, err := out.Resolve(nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// RouteOf is a route in a document.
type RouteOf struct {
	network    *Network
	element    *scenario.Element
	waypoints  []*Position
	strategies []Strategy
	closed     bool
	fixed      bool
	cached     *Route
}

// Resolve finds the route for the current state of the scene.
func (x *RouteOf) Resolve(scene Scene) (*Route, error) {
	if x.cached != nil {
		return x.cached, nil
	}
	places := make([]Place, len(x.waypoints))
	for k, w := range x.waypoints {
		if err := w.Resolve(scene, &places[k]); err != nil {
			return nil, err
		}
	}
	r, err := x.network.NewRoute(places, x.strategies, x.closed)
	if err != nil {
		return nil, fault.New(ErrPlace, x.element.Place(), err.Error(),
			"a way along the roads of the map")
	}
	if x.fixed {
		x.cached = r
	}
	return r, nil
}

// route reads RoutePosition. Its t is to the left of the route, regardless of the direction of s.
func (r *Reader) route(e *scenario.Element, p *Position) error {
	in := e.Child("InRoutePosition")
	o := r.orientation(e)
	p.heading = o.h
	if c := in.Child("FromCurrentEntity"); c != nil {
		entity, err := r.Entity(c, "entityRef")
		if err != nil {
			return err
		}
		p.Reference = entity
		p.resolve = func(scene Scene, out *Place) error {
			at, err := of(scene, entity, r.Entities[entity])
			if err == nil {
				*out = *at
				o.turn(r.Network, out)
			}
			return err
		}
		return nil
	}
	route, err := r.Route(e.Child("RouteRef"))
	if err != nil {
		return err
	}
	p.fixed = route.fixed
	c, lane := in.Child("FromRoadCoordinates"), 0
	if c == nil {
		c = in.Child("FromLaneCoordinates")
		if lane, err = strconv.Atoi(strings.TrimSpace(c.Value("laneId"))); err != nil {
			return fault.New(ErrPlace, c.PlaceOf("laneId"), c.Value("laneId"), "the id of a lane")
		}
	}
	way, t := Number(c, "pathS", 0), Number(c, "t", Number(c, "laneOffset", 0))
	p.resolve = func(scene Scene, out *Place) error {
		found, err := route.Resolve(scene)
		if err != nil {
			return err
		}
		road, s, forwards := found.At(way)
		if lane != 0 {
			*out, err = r.Network.laneOnRoute(road, s, lane, t, forwards)
		} else {
			*out, err = r.Network.onRoute(road, s, t, forwards)
		}
		if err == nil {
			o.turn(r.Network, out)
		}
		return err
	}
	return nil
}

// laneOnRoute returns a place in a lane of a route. Where the route goes against s, some authors
// use the id of the lane on the road, while others use the id that it would have if s ran along the
// route. laneOnRoute chooses the lane whose traffic runs along the route.
func (n *Network) laneOnRoute(road *opendrive.Road, s float64, lane int, offset float64,
	forwards bool) (Place, error) {
	if forwards {
		return n.OnLane(road.ID, lane, s, offset)
	}
	p, err := n.OnLane(road.ID, -lane, s, -offset)
	if q, other := n.OnLane(road.ID, lane, s, offset); err != nil ||
		other == nil && p.Forwards() && !q.Forwards() {
		return q, other
	}
	return p, nil
}

// onRoute returns a place next to a route, facing along the route.
func (n *Network) onRoute(road *opendrive.Road, s, t float64, forwards bool) (Place, error) {
	p, err := n.OnRoad(road.ID, s, t*sign(forwards))
	if err == nil && !forwards {
		p.Turn = math.Pi
		n.Settle(&p)
	}
	return p, err
}
