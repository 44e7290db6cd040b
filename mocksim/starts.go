package mocksim

import (
	"math"

	"gosmp/mocksim/opendrive"
)

// Starts must be legal: no vehicle touches another one, and all of them can stop comfortably before
// anything ahead.

const (
	startMargin = 0.5 // m between the boxes of two vehicles at the start
	startBrake  = 1.0 // m/s2; the hardest braking in the first step
)

// starts records the places of vehicles.
type starts struct {
	w     *World
	cells map[[2]int32][]*actor
}

const startCell = 16.0 // m, more than half of two vehicles

// newStarts returns the places of all actors except one, which may be nil.
func (w *World) newStarts(but *actor) *starts {
	s := &starts{w, map[[2]int32][]*actor{}}
	for _, a := range w.actors {
		if a != but {
			s.add(a)
		}
	}
	return s
}

func startCellOf(a *actor) [2]int32 {
	p := &a.state.Position
	return [2]int32{int32(math.Floor(p.X / startCell)), int32(math.Floor(p.Y / startCell))}
}

func (s *starts) add(a *actor) {
	c := startCellOf(a)
	s.cells[c] = append(s.cells[c], a)
}

// free reports whether an actor touches none of the recorded ones.
func (s *starts) free(a *actor) bool {
	at := startCellOf(a)
	mine, z := a.boxAt(1)
	mine.length, mine.width = mine.length+2*startMargin, mine.width+2*startMargin
	for x := at[0] - 1; x <= at[0]+1; x++ {
		for y := at[1] - 1; y <= at[1]+1; y++ {
			for _, o := range s.cells[[2]int32{x, y}] {
				other, oz := o.boxAt(1)
				if depth, _ := overlap(&mine, &other); depth > 0 &&
					math.Abs(z-oz) < a.shape.Height+o.shape.Height {
					return false
				}
			}
		}
	}
	return true
}

// apart reports whether an actor under control is before its first block, or may drive through it
// and then has the right to do so.
func (s *starts) apart(a *actor) bool {
	w := s.w
	if !a.railed() || w.crossings == nil || !w.crossings.any {
		return true
	}
	if !w.changesInTime(a) {
		return false
	}
	b := w.nextBlock(a)
	before, narrows := b.from-stopBefore > a.driver.pos(), w.narrows(a)
	swept := w.swept(a)
	if before && !narrows && !swept {
		return true
	}
	w.observe(w.crossings)
	k, _ := w.search(a.name)
	if swept && w.obstructs(int32(k), a) {
		return false
	}
	c := a.driver.course()
	if narrows && w.squeezed(int32(k), a, opendrive.Course{Lane: c.lane, Forwards: c.forwards},
		a.driver.u) {
		return false
	}
	if before {
		return true
	}
	if w.mayEnter(int32(k), a, b, nil) >= 0 {
		return false
	}
	w.clear(int32(k), a, b)
	return true
}

// changesInTime reports whether an actor whose lane ends has room for the changes to another lane,
// so that it neither stops there nor crosses the road obliquely.
func (w *World) changesInTime(a *actor) bool {
	d := &a.driver
	c := d.course()
	if len(d.path.legs) < 2 || len(w.following(opendrive.Course{Lane: c.lane,
		Forwards: c.forwards})) > 0 || c.cross < 0 {
		return true
	}
	to := d.path.legs[1].courses[c.cross].lane
	way := a.slender(c.lane.Center(d.now.s)-to.Center(d.now.s)) + float64(a.state.Speed*announce)
	if c.movement >= 0 {
		way *= float64(max(w.drops(&w.crossings.movements[c.movement]), 1))
	}
	return c.rail.length-d.u > way
}

// swept reports whether an actor is where a long vehicle on another lane may need room.
func (w *World) swept(a *actor) bool {
	c := a.driver.course()
	u := c.ahead + a.driver.u
	for i := range c.conflicts {
		x := &c.conflicts[i]
		if z := &x.zones[len(bodies)-1]; x.meeting.yields() && u > z.from && u < z.to {
			return true
		}
	}
	return false
}

// obstructs reports whether an actor is at a place where another actor is or has the right to be.
func (w *World) obstructs(self int32, a *actor) bool {
	c := a.driver.course()
	u := c.ahead + a.driver.u
	for i := range c.conflicts {
		x := &c.conflicts[i]
		if !x.meeting.yields() {
			continue
		}
		for n := range w.crossings.visitors[x.other] {
			v := &w.crossings.visitors[x.other][n]
			z := &x.zones[max(bodyOf(&a.shape), bodyOf(&w.actors[v.actor].shape))]
			if v.actor != self && u > z.from && u < z.to && v.u < z.leave && v.goes(z) {
				return true
			}
		}
	}
	return false
}

// calm slows down the vehicles that would have to brake in the first step, and the vehicles behind
// them.
func (w *World) calm(from int) {
	for range 20 {
		w.refresh()
		w.giveWay(0)
		changed := false
		for k, a := range w.actors {
			if a.mode != byController || a.id < uint64(from) {
				continue
			}
			for a.state.Speed > 0.1 {
				w.accelerate(int32(k), a)
				if a.acceleration >= -startBrake {
					break
				}
				a.setSpeed(a.state.Speed * 0.9)
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	for k, a := range w.actors {
		if a.mode == byController && a.id >= uint64(from) {
			w.accelerate(int32(k), a)
			a.derive(a.acceleration)
		}
	}
}

// setSpeed changes the speed of an actor on rails that has not moved yet.
func (a *actor) setSpeed(v float64) {
	a.state.Velocity = a.state.Velocity.Scale(v / a.state.Speed)
	a.state.Speed = v
	a.derive(0)
}

// derive sets the velocity, acceleration and rates of an actor that has not moved yet to the
// derivatives of its pose on its path, at its speed and an acceleration along the path.
func (a *actor) derive(acceleration float64) {
	s := &a.state
	if s.Along = acceleration; !a.railed() {
		if s.Speed > 0 {
			s.Acceleration = s.Velocity.Scale(acceleration / s.Speed)
		}
		return
	}
	was, place, side := *s, a.place, a.side
	cosine, sine := a.cosine, a.sine
	a.fromRail(s.Speed, acceleration)
	s.Position, s.Orientation = was.Position, was.Orientation
	a.place, a.side, a.cosine, a.sine = place, side, cosine, sine
}

// steerable returns the largest curvature that an actor can follow; a body without wheels can turn
// on the spot.
func (s *Shape) steerable() float64 {
	const tangent = 0.6841368083416923 // of steeringLimit
	if s.Wheelbase == 0 {
		return inf
	}
	return tangent / s.Wheelbase
}
