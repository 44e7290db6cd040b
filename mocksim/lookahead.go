package mocksim

import (
	"math"

	"gosmp/mocksim/opendrive"
)

// accelerate determines the acceleration in the coming step from the current states.
func (w *World) accelerate(self int32, a *actor) {
	d := &a.driver
	v := a.state.Speed
	if d.arrived {
		a.acceleration = -d.Decel
		return
	}
	l := leader{gap: inf}
	w.look(self, a, &l)
	driver := d.Driver
	if d.hurries() {
		driver.Accel = a.hurried()
	}
	wanted := driver.idm(v, d.desired(), l.gap, v-l.speed)
	if l.courteous {
		wanted = min(wanted, l.courtesy)
	}
	if l.stops {
		wanted = min(wanted, stopAt(v, l.line, float64(l.brake*d.Decel), w.moving))
	}
	a.acceleration = min(d.approach(v, wanted), a.shape.Acceleration)
	if most := a.stoppable(&l, w.moving); a.acceleration > most {
		a.acceleration = most
	}
	if a.assist > 0 {
		a.acceleration = min(a.acceleration, -a.assist*a.shape.Brake)
	}
	a.acceleration = max(a.acceleration, -min(a.shape.Brake, hardest))
}

// stoppable returns the largest acceleration with which the actor can still stop behind its leader,
// whatever the leader does. It corresponds to the safe speed of Krauss (1998), using the brakes of
// both.
func (a *actor) stoppable(l *leader, h float64) float64 {
	const spare = 0.3 // m
	if l.gap > lookAhead {
		return inf
	}
	b := float64(0.9 * a.shape.Brake)
	v := a.state.Speed
	rest := l.gap - spare + float64(l.speed*math.Abs(l.speed))/(2*hardest) - float64(v*h)/2
	// v'^2/(2 b) + v' h/2 = rest
	safe := math.Sqrt(max(float64(b*h*b*h/4)+float64(2*b*rest), 0)) - float64(b*h/2)
	return (max(safe, 0) - v) / h
}

// look finds the nearest thing ahead on the path: an actor, a red light, the end of the lane or the
// destination.
func (w *World) look(self int32, a *actor, l *leader) {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	half := a.shape.Length / 2
	final := d.leg == len(d.path.legs)-1
	way := -d.u // to the start of the course
	crossing := leader{gap: inf}
	for k := d.index; k < len(g) && way < lookAhead; k++ {
		c := &g[k]
		if k == d.index {
			w.ahead(l, &outlook{c.lane, c.rail, c.forwards, d.now.s, d.u}, self, half)
		} else {
			from := fromStart(opendrive.Course{Lane: c.lane, Forwards: c.forwards}, c.rail)
			w.ahead(l, &from, self, half-way)
		}
		w.stopAtLights(a, c, way, l)
		if c.movement >= 0 {
			w.stopAtDrop(&crossing, a, c, way)
		}
		if len(c.conflicts) > 0 && way < 60 && row(g).begins(k, d.index) {
			w.heedConflicts(l, &crossing, self, a, c, way)
		}
		way += c.rail.length
		if final && k == len(g)-1 && !math.IsInf(d.path.target, 1) {
			l.nearer(way-c.rail.length+d.path.target+d.MinGap, 0)
		}
	}
	if way < lookAhead && (!final || math.IsInf(d.path.target, 1)) && !w.leaves(a) {
		l.nearer(way-half, 0)
	}
	near := d.near()
	d.queued = a.state.Speed < standstill &&
		(l.gap < near && l.speed < standstill || l.stops && l.line < near)
	l.nearer(crossing.gap, crossing.speed)
	if d.hold < lookAhead {
		l.stopAt(d.hold-stopBefore, 1)
	}
	w.lookBeside(self, a, l)
	if way, _ := w.bodyAhead(self, a); way < inf {
		l.nearer(way+d.MinGap-bodySpace, 0)
	}
}
