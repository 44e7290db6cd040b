package mocksim

import (
	"fmt"
	"math"
	"sync"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/timebase"
)

// happened collects the events of one actor while several actors are moved at once.
type happened struct {
	kinds uint32
	value [eventKinds]float64
}

func (h *happened) set(k EventKind, value float64) {
	h.kinds |= 1 << k
	h.value[k] = value
}

// Step moves all actors by h, which must be above 0 and at most a second. The events belong to the
// world and are valid until the next step.
func (w *World) Step(h timebase.Time) ([]Event, error) {
	seconds := h.Seconds()
	if _, regular := w.scale.Step(timebase.Span{Start: w.now, End: w.now + h}); regular {
		seconds = w.o.Grid.Seconds()
	}
	return w.StepBy(h, seconds)
}

// StepBy is [World.Step] for a host that gives the step size in seconds. h is the same length in
// nanoseconds; the actors move for the exact number of seconds.
func (w *World) StepBy(h timebase.Time, seconds float64) ([]Event, error) {
	if h <= 0 || h > timebase.Second {
		return nil, fault.New(ErrTime, fault.At("step"), h.String(), "above 0 and at most 1 s")
	}
	if off := math.Abs(seconds - h.Seconds()); !(off <= 1e-9) {
		return nil, fault.New(ErrTime, fault.At("step"), fmt.Sprint(seconds, " s"), h.String())
	}
	if err := w.Begin(); err != nil {
		return nil, err
	}
	w.step, w.moving = h, seconds
	w.events = append(w.events[:0], w.pending...)
	w.pending = w.pending[:0]
	if err := w.relieve(); err != nil {
		return nil, err
	}
	if w.stale || w.outdated {
		w.refresh()
	}
	w.watchCrosswalks()
	w.giveWay(w.moving)
	w.each(0, h)
	for k, a := range w.actors {
		if a.mode == byController {
			w.consider(int32(k), a, w.moving)
			if w.halts {
				w.noteStops(int32(k), a, w.moving)
			}
		}
	}
	w.now += h
	w.changeLights()
	w.each(1, h)
	if w.dependent != nil {
		w.dependent()
	}
	if err := w.stepOutside(); err != nil {
		return nil, err
	}
	for _, a := range w.actors {
		w.after(a)
	}
	w.refresh()
	w.collide(h)
	if w.inflow != nil {
		return w.events, w.flow()
	}
	return w.events, nil
}

// phase performs one part of a step for some of the actors. It never writes anything that another
// actor's part reads.
func (w *World) phase(number int, h timebase.Time, from, to int) {
	seconds := w.moving
	for k := from; k < to; k++ {
		a := w.actors[k]
		if number == 0 {
			if a.mode == byController {
				w.accelerate(int32(k), a)
			}
			continue
		}
		a.before = a.pose()
		switch {
		case a.mode == standing:
			a.freeze()
		case a.mode == byController && a.driver.Steering:
			w.steer(a, seconds)
		case a.mode == byController:
			w.run(a, seconds)
		case a.mode == byControls:
			c := a.driving.now(w.now - h)
			c.Brake = max(c.Brake, a.assist)
			w.drive(a, &c, seconds)
		case a.mode == byTrajectory:
			w.trace(a, h)
		case a.mode == byGuide:
			w.adopt(a)
		case a.mode == byOwner:
			w.own(a, h)
		}
	}
}

// after does everything that needs the whole world: longer paths, and events in the order of names.
func (w *World) after(a *actor) {
	if a.mode == byController {
		w.prolong(a)
		if off := a.place.Lane == nil && a.railed() && !w.leaves(a); off != a.off {
			if a.off = off; off {
				a.happened.set(OffRoad, a.place.Distance)
			}
		}
		if a.driver.lost {
			a.driver.lost = false
			a.happened.set(NoRoute, 0)
		}
	}
	if a.mode == byTrajectory || a.mode == byControls || a.mode == byOwner ||
		a.mode == byOutside {
		if off := a.place.Lane == nil; off != a.off {
			if a.off = off; off {
				a.happened.set(OffRoad, a.place.Distance)
			}
		}
	}
	if a.happened.kinds == 0 {
		return
	}
	for k := range eventKinds {
		if a.happened.kinds&(1<<k) != 0 {
			w.events = append(w.events, Event{Time: w.now, Kind: k, Actor: a.name,
				Value: a.happened.value[k]})
		}
	}
	a.happened.kinds = 0
}

// fewest is the minimum number of actors per worker; with fewer, another worker costs more than it
// saves.
const fewest = 128

// each performs a phase for all actors, divided among the workers.
func (w *World) each(number int, h timebase.Time) {
	n := len(w.actors)
	if workers := min(w.o.Workers, n/fewest); workers > 1 {
		if w.crew == nil {
			w.crew = newCrew(w, w.o.Workers)
		}
		w.crew.do(number, h, n, workers)
		return
	}
	w.phase(number, h, 0, n)
}

// crew is a group of goroutines that perform parts of phases.
type crew struct {
	jobs []chan job
	done sync.WaitGroup
}

type job struct {
	number   int
	h        timebase.Time
	from, to int
}

func newCrew(w *World, n int) *crew {
	c := &crew{jobs: make([]chan job, n)}
	for k := range c.jobs {
		c.jobs[k] = make(chan job)
		go func(jobs chan job) {
			for j := range jobs {
				w.phase(j.number, j.h, j.from, j.to)
				c.done.Done()
			}
		}(c.jobs[k])
	}
	return c
}

func (c *crew) do(number int, h timebase.Time, n, workers int) {
	c.done.Add(workers)
	for k := range workers {
		c.jobs[k] <- job{number, h, n * k / workers, n * (k + 1) / workers}
	}
	c.done.Wait()
}

func (c *crew) end() {
	for _, jobs := range c.jobs {
		close(jobs)
	}
}

// Drive is a sequence of controls.
type Drive struct {
	Start    timebase.Time // time from which the first one applies
	Step     timebase.Time // duration of each one; 0: one simulation step
	Controls []Controls    // the last one stays in effect
}

// steer drives a bicycle model along the path by pure pursuit of a point ahead.
func (w *World) steer(a *actor, h float64) {
	d := &a.driver
	s := &a.state
	lever := a.shape.Wheelbase / 2
	rear := frames.Vector{X: s.Position.X - float64(lever*a.cosine),
		Y: s.Position.Y - float64(lever*a.sine)}
	reach := max(4, 0.8*s.Speed)
	goal := a.pointAhead(reach + lever)
	dx, dy := goal.X-rear.X, goal.Y-rear.Y
	distance := max(math.Sqrt(float64(dx*dx)+float64(dy*dy)), 0.1)
	aside := (float64(dy*a.cosine) - float64(dx*a.sine)) / distance
	wanted := min(max(portable.Atan(2*a.shape.Wheelbase*aside/distance), -steeringLimit),
		steeringLimit)
	steer := s.Steering + min(max(wanted-s.Steering, -steeringRate*h), steeringRate*h)
	acceleration := a.acceleration
	if s.Speed+float64(acceleration*h) < 0 {
		acceleration = -s.Speed / h
	}
	w.roll(a, acceleration, steer, h)
	s.Brake, s.Throttle = max(-acceleration, 0)/max(a.shape.Brake, 1), max(acceleration,
		0)/max(a.shape.Acceleration, 1)
	c := d.course()
	c.rail.at(d.u, c.forwards, &d.now)
	p := s.Position.Sub(d.now.position)
	if d.offset.active() {
		a.settled() // its path is the path of the wheels
	}
	w.proceed(a, max(p.Dot(d.now.d1), 0))
	d.offset = sidestep{}
	a.arrive(s.Speed)
	c = d.course()
	c.rail.at(d.u, c.forwards, &d.now)
}

// pointAhead returns a point on the path at a distance ahead; beyond the end of the path it lies
// straight ahead.
func (a *actor) pointAhead(way float64) frames.Vector {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	u := d.u + way
	var p railPoint
	k := d.index
	for ; k+1 < len(g) && u > g[k].rail.length; k++ {
		u -= g[k].rail.length
	}
	at := min(u, g[k].rail.length)
	g[k].rail.at(at, g[k].forwards, &p)
	return p.position.Add(p.d1.Scale(u - at))
}
