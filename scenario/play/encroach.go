package play

import (
	"math"

	"gosmp/internal/portable"
	"gosmp/scenario/storyboard"
)

// placeSize is the side of the squares of ground on which encroachments are measured, in m.
const placeSize = 0.25

// place is a square of the ground.
type place struct{ x, y int32 }

// encroachment measures the post-encroachment times of two entities: the time between one entity
// leaving a place and the other entering it. The time is 0 while both are there.
type encroachment struct {
	left  [2]map[place]float64 // when each entity was last at a place, s
	cells []place
}

func newEncroachment() *encroachment {
	return &encroachment{left: [2]map[place]float64{{}, {}}}
}

// look returns the shortest time for the places that either entity occupies now. ok is false if the
// other entity was not at any of them.
func (e *encroachment) look(now float64, both [2]*storyboard.State) (least float64, ok bool) {
	least = math.Inf(1)
	for k, s := range both {
		if s == nil {
			continue
		}
		e.cover(s)
		for _, c := range e.cells {
			e.left[k][c] = now
		}
	}
	for k, s := range both {
		if s == nil {
			continue
		}
		e.cover(s)
		for _, c := range e.cells {
			if t, was := e.left[1-k][c]; was {
				least = min(least, now-t)
			}
		}
	}
	return least, !math.IsInf(least, 1)
}

// cover lists the places whose center is within the box of an entity.
func (e *encroachment) cover(s *storyboard.State) {
	e.cells = e.cells[:0]
	sin, cos := portable.Sincos(s.H)
	x := s.X + float64(s.Box.X*cos) - float64(s.Box.Y*sin)
	y := s.Y + float64(s.Box.X*sin) + float64(s.Box.Y*cos)
	reach := portable.Hypot(s.Box.Length, s.Box.Width) / 2
	at := func(v float64) int32 { return int32(math.Floor(v / placeSize)) }
	for i := at(x - reach); i <= at(x+reach); i++ {
		for j := at(y - reach); j <= at(y+reach); j++ {
			dx, dy := (float64(i)+0.5)*placeSize-x, (float64(j)+0.5)*placeSize-y
			along := float64(dx*cos) + float64(dy*sin)
			aside := float64(dy*cos) - float64(dx*sin)
			if math.Abs(along) <= s.Box.Length/2 && math.Abs(aside) <= s.Box.Width/2 {
				e.cells = append(e.cells, place{i, j})
			}
		}
	}
}

// encroachments returns a function that reads the post-encroachment time of an entity and one of
// the others.
func (p *Player) encroachments(entity int, others []int) func(*Player, int) (float64, bool) {
	list := make([]*encroachment, len(others))
	for k := range list {
		list[k] = newEncroachment()
	}
	return func(p *Player, k int) (float64, bool) {
		var both [2]*storyboard.State
		var copies [2]storyboard.State // a state is valid only until the next one
		for i, e := range [2]int{entity, others[k]} {
			if s := p.world.State(storyboard.Entity(e)); s != nil {
				copies[i] = *s
				both[i] = &copies[i]
			}
		}
		return list[k].look(p.board.Now(), both)
	}
}
