package entities

import (
	"math"

	"gosmp/frames"
	"gosmp/scenario/position"
)

// usual is the largest gap between the centers of lanes that continue each other, m.
const usual = 1

// rejoin keeps the entity where it is when its lane ends and the road continues with another lane.
// The rest of the change starts from there. An action that has reached its offset has to reach it
// again, from where the entity is. offset is the one from the lane that ends.
func (a *aside) rejoin(before frames.Vector, offset float64) {
	x := &a.change
	left := x.To - offset
	a.w.stay(&a.rail, before)
	moved := a.rail.Offset - offset
	if math.Abs(left) < same {
		a.lapsed = moved != 0
		return
	}
	x.From += moved * (x.To - x.From) / left
}

// stay keeps a place beside the center of the lane that it has entered if the center of its last
// lane does not continue there.
func (w *World) stay(p *position.Place, before frames.Vector) {
	w.network.Settle(p)
	at, offset := p.Position, p.Offset
	p.Offset++ // one metre to the left of s
	w.network.Settle(p)
	gap, side := before.Sub(at), p.Position.Sub(at)
	d := float64(gap.X*side.X) + float64(gap.Y*side.Y)
	if math.Abs(d) <= usual {
		d = 0
	}
	p.Offset = offset + d
	w.network.Settle(p)
}
