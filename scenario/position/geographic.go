package position

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/scenario"
)

// geographic reads GeoPosition.
func (r *Reader) geographic(e *scenario.Element, p *Position) error {
	if r.Network.geo == nil {
		return fault.New(ErrUnsupported, e.Place(), "a geographic position",
			"a map with a geoReference"+" that is understood: +proj=utm, tmerc or ortho")
	}
	latitude := Number(e, "latitudeDeg", Number(e, "latitude", 0)*180/math.Pi)
	longitude := Number(e, "longitudeDeg", Number(e, "longitude", 0)*180/math.Pi)
	at := Place{}
	at.Position.X, at.Position.Y = r.Network.fromGeodetic(latitude, longitude)
	if Number(e, "verticalRoadSelection", 0) != 0 {
		return fault.New(ErrUnsupported, e.PlaceOf("verticalRoadSelection"),
			e.Value("verticalRoadSelection"), "0: the height selects the road")
	}
	at.Position.Z = Number(e, "altitude", Number(e, "height", 0))
	o := r.orientation(e)
	p.fixed, p.heading, p.given = true, o.h, Given{Height: e.Has("altitude") || e.Has("height")}
	p.resolve = func(_ Scene, out *Place) error {
		*out = at
		r.Network.Locate(out, nil, p.given)
		if out.OnRoad() && (!o.exists || !o.absolute) {
			out.Turn = 0
			r.Network.Settle(out)
		}
		o.turn(r.Network, out)
		return nil
	}
	return nil
}

// fromGeodetic inverts the map header's offset and projection, the latter by Newton's method.
func (n *Network) fromGeodetic(latitude, longitude float64) (x, y float64) {
	h := &n.m.Header
	at := func(x, y float64) (float64, float64) {
		p := h.World(frames.Vector{X: x, Y: y})
		a, b := n.geo.Geodetic(p.X, p.Y)
		return a - latitude, b - longitude
	}
	const step = 1.0 // m
	for range 50 {
		a, b := at(x, y)
		ax, bx := at(x+step, y)
		ay, by := at(x, y+step)
		ax, bx, ay, by = ax-a, bx-b, ay-a, by-b
		det := float64(ax*by) - float64(ay*bx)
		if det == 0 {
			break
		}
		dx, dy := (float64(ay*b)-float64(by*a))/det, (float64(bx*a)-float64(ax*b))/det
		x, y = x+float64(dx*step), y+float64(dy*step)
		if portable.Hypot(dx, dy) < 1e-9 {
			break
		}
	}
	return x, y
}
