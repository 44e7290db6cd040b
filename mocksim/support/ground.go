package support

import (
	"gosmp/frames"
	"gosmp/mocksim/opendrive"
)

// Ground is the road surface of a map, as described by [gosmp/simapi.Ground]. It does not know the
// actors, so where roads lie above each other, it may find any of them.
type Ground struct{ Map *opendrive.Map }

// At returns the road under a point.
func (g Ground) At(x, y, yaw float64, _ string) (z, pitch, roll float64, ok bool) {
	return surface(g.Map.Locate(frames.Vector{X: x, Y: y}), yaw)
}

// Lane returns the direction of travel at a point.
func (g Ground) Lane(x, y float64) (yaw float64, ok bool) {
	p := g.Map.Locate(frames.Vector{X: x, Y: y})
	if p.Lane == nil {
		return 0, false
	}
	st, err := p.Road.Station(p.S)
	if err != nil {
		return 0, false
	}
	return frames.WrapAngle(p.Lane.Yaw(&st)), true
}

// At returns the road under a point, at the height of the actor near.
func (s *Simulator) At(x, y, yaw float64, near string) (z, pitch, roll float64, ok bool) {
	at := frames.Vector{X: x, Y: y}
	v, err := s.w.Actor(near)
	if err != nil {
		return Ground{s.m}.At(x, y, yaw, near)
	}
	at.Z = v.State().Position.Z
	return surface(s.m.Follow(at, v.Place()), yaw)
}

// Lane returns the direction of travel at a point.
func (s *Simulator) Lane(x, y float64) (yaw float64, ok bool) { return Ground{s.m}.Lane(x, y) }

// surface returns the height and the inclination at a place for an actor with that yaw.
func surface(p opendrive.Place, yaw float64) (z, pitch, roll float64, ok bool) {
	if p.Lane == nil {
		return 0, 0, 0, false
	}
	st, err := p.Road.Station(p.S)
	if err != nil {
		return 0, 0, 0, false
	}
	o := st.Attitude(yaw)
	return p.Lane.Point(&st, p.T).Z, o.Pitch, o.Roll, true
}
