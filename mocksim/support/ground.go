package support

import (
	"math"

	"gosmp/frames"
)

// At is the road under a point.
func (s *Simulator) At(x, y, yaw float64, near string) (z, pitch, roll float64, ok bool) {
	at := frames.Vector{X: x, Y: y}
	p := s.m.Locate(at)
	if v, err := s.w.Actor(near); err == nil {
		at.Z = v.State().Position.Z
		p = s.m.Follow(at, v.Place())
	}
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

// Lane is the direction of travel at a point.
func (s *Simulator) Lane(x, y float64) (yaw float64, ok bool) {
	p := s.m.Locate(frames.Vector{X: x, Y: y})
	if p.Lane == nil {
		return 0, false
	}
	st, err := p.Road.Station(p.S)
	if err != nil {
		return 0, false
	}
	yaw = st.Heading
	if forwards, _ := p.Lane.Directions(); !forwards {
		yaw += math.Pi
	}
	return frames.WrapAngle(yaw), true
}
