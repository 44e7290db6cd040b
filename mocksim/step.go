package mocksim

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// happened collects what befalls one actor while several are moved at once.
type happened struct {
	kinds uint32
	value [eventKinds]float64
}

func (h *happened) set(k EventKind, value float64) {
	h.kinds |= 1 << k
	h.value[k] = value
}

// Step moves all actors on by h, which is above 0 and at most a second. The events belong to the world
// and are valid until the next step.
func (w *World) Step(h timebase.Time) ([]Event, error) {
	if h <= 0 || h > timebase.Second {
		return nil, &Error{Place: fault.At("step"), Kind: ErrTime, Found: h.String(), Expected: "above 0 and at most 1 s"}
	}
	w.step = h
	w.events = append(w.events[:0], w.pending...)
	w.pending = w.pending[:0]
	seconds := h.Seconds()
	w.each(0, h)
	for k, a := range w.actors {
		if a.mode == byController {
			w.consider(int32(k), a, seconds)
		}
	}
	w.now += h
	w.changeLights()
	w.each(1, h)
	for _, a := range w.actors {
		w.after(a)
	}
	w.refresh()
	w.collide(h)
	return w.events, nil
}

// phase does one part of a step for some of the actors: nothing in it writes what another actor's part reads.
func (w *World) phase(number int, h timebase.Time, from, to int) {
	seconds := h.Seconds()
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
			a.run(seconds)
		case a.mode == byControls:
			c := a.driving.now(w.now - h)
			c.Brake = max(c.Brake, a.assist)
			w.drive(a, &c, seconds)
		case a.mode == byTrajectory:
			w.trace(a, h)
		}
	}
}

// after does what needs the world as a whole: more way, and events in the order of names.
func (w *World) after(a *actor) {
	if a.mode == byController {
		w.prolong(a)
		if a.driver.lost {
			a.driver.lost = false
			a.happened.set(NoRoute, 0)
		}
	}
	if a.mode == byTrajectory || a.mode == byControls {
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
			w.events = append(w.events, Event{Time: w.now, Kind: k, Actor: a.name, Value: a.happened.value[k]})
		}
	}
	a.happened.kinds = 0
}

// fewest is how many actors a worker gets at least: below that handing over costs more than it saves.
const fewest = 128

// each does a phase for all actors, shared among the workers.
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

// crew are goroutines that do parts of phases.
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

// Drive is a row of controls.
type Drive struct {
	Start    timebase.Time // from when on the first one holds
	Step     timebase.Time // how long each one holds; 0: a step of the simulation
	Controls []Controls    // the last one holds on
}

// SetControls lets controls move a vehicle or a pedestrian, from the state that it has. It fails with [ErrValue] for
// pedals outside 0 to 1. Where both pedals are pressed, the note says so, and the brake counts.
func (w *World) SetControls(name string, d Drive) (Note, error) {
	const call = "set_dynamic_move"
	a := w.find(name)
	if a == nil {
		return "", w.unknown(call, name)
	}
	place := call + " " + name
	if len(d.Controls) == 0 {
		return "", invalid(place+".controls", "nothing", "at least one")
	}
	if a.kind == Static {
		return "", invalid(place, "a static actor", "an actor that can move by itself")
	}
	if d.Step < 0 {
		return "", &Error{Place: fault.At(place + ".step"), Kind: ErrTime, Found: d.Step.String(), Expected: "0 or above"}
	}
	var note Note
	for k := range d.Controls {
		if err := d.Controls[k].check(fmt.Sprintf("%s.controls[%d]", place, k)); err != nil {
			return "", err
		}
		if c := &d.Controls[k]; c.Throttle > 0 && c.Brake > 0 && note == "" {
			note = Note(fmt.Sprintf("controls[%d] press both pedals: the brake counts", k))
		}
	}
	if d.Step == 0 {
		d.Step = w.step
	}
	a.place = View{a}.Place()
	if a.mode != byControls {
		a.driving = driving{}
	}
	a.driving.start, a.driving.step, a.driving.controls = d.Start, d.Step, slices.Clone(d.Controls)
	a.driving.dynamic = w.o.Slip
	a.mode = byControls
	return note, nil
}

// drive moves an actor by controls.
func (w *World) drive(a *actor, c *Controls, h float64) {
	s := &a.state
	s.Throttle, s.Brake, s.Gear, s.Indicator, s.Lights = c.Throttle, c.Brake, c.Gear, c.Indicator, c.Lights
	if a.shape.Wheelbase == 0 {
		w.walk(a, c, h)
		return
	}
	wanted := min(max(c.SteeringWheel/steeringRatio, -steeringLimit), steeringLimit)
	steer := s.Steering + min(max(wanted-s.Steering, -steeringRate*h), steeringRate*h)
	w.roll(a, a.pedals(c, s.Speed, s.Orientation.Pitch), steer, h)
}

// roll moves a bicycle model for a step with an acceleration along its axis and an angle of its front wheels.
func (w *World) roll(a *actor, acceleration, steer, h float64) {
	s := &a.state
	steer = a.cutSteering(steer)
	v0 := s.Speed
	way, v := rolled(v0, acceleration, h)
	along := acceleration
	if v == 0 {
		along = -v0 / h
		if v0 == 0 {
			along = 0
		}
	}
	yaw := s.Orientation.Yaw
	k := math.Tan(steer) / a.shape.Wheelbase
	lever := a.shape.Wheelbase / 2
	sin, cos := math.Sincos(yaw)
	level := math.Cos(s.Orientation.Pitch) // from above, the way and the axles are shorter on a slope
	rearX, rearY := s.Position.X-lever*level*cos, s.Position.Y-lever*level*sin
	d := &a.driving
	spin, spinRate := k*v, k*along
	lateral := spin * lever
	if d.dynamic && math.Abs(v) > 3 {
		d.slip(v, steer, a.shape.Wheelbase, h)
		share := min((math.Abs(v)-3)/2, 1)
		lateral = share * (d.lateral - d.yawRate*(lever-a.shape.Wheelbase*1.2/2.7))
		spin = (1-share)*spin + share*d.yawRate
		spinRate = 0
		yaw += spin * h
		x, y := math.Cos(yaw-spin*h/2), math.Sin(yaw-spin*h/2)
		rearX += level * (way*x - (lateral-spin*lever)*h*y)
		rearY += level * (way*y + (lateral-spin*lever)*h*x)
	} else {
		d.lateral, d.yawRate = k*v*a.shape.Wheelbase*1.5/2.7, k*v
		x, y, turn := arc(way, k, yaw)
		yaw += turn
		rearX, rearY = rearX+level*x, rearY+level*y
	}
	s.Steering, s.Speed, s.Along = steer, v, along
	sin, cos = math.Sincos(yaw)
	s.Orientation.Yaw = wrapFast(yaw)
	before := s.Orientation
	w.settle(a, rearX+lever*level*cos, rearY+lever*level*sin)
	a.sine, a.cosine = math.Sincos(s.Orientation.Yaw)
	a.bodyMotion(v, lateral, along, spin, spinRate)
	s.Rate.Roll = (s.Orientation.Roll - before.Roll) / h
	s.Rate.Pitch = (s.Orientation.Pitch - before.Pitch) / h
	s.Turning.Roll, s.Turning.Pitch = 0, 0
}

// cutSteering limits the lateral acceleration.
func (a *actor) cutSteering(steer float64) float64 {
	v := a.state.Speed
	most := math.Atan(a.shape.Wheelbase * lateralLimit / max(v*v, 1e-9))
	cut := math.Abs(steer) > most
	if cut && !a.driving.cut {
		a.happened.set(SteeringCut, math.Abs(steer)-most)
	}
	a.driving.cut = cut
	if cut {
		return math.Copysign(most, steer)
	}
	return steer
}

// settle puts an actor on the road at a place seen from above.
func (w *World) settle(a *actor, x, y float64) {
	at := frames.Vector{X: x, Y: y, Z: a.state.Position.Z}
	a.place = w.m.Follow(at, a.place)
	w.ground(a, at, FieldYaw)
}

// bodyMotion sets velocity, acceleration and yaw rate of the middle of a vehicle from those of its rear axle: speed v,
// acceleration along, speed of the middle aside, turning spin.
func (a *actor) bodyMotion(v, lateral, along, spin, spinRate float64) {
	s := &a.state
	lever := a.shape.Wheelbase / 2
	flat := math.Cos(s.Orientation.Pitch)
	slope := -math.Sin(s.Orientation.Pitch)
	s.Velocity = frames.Vector{X: v*flat*a.cosine - lateral*a.sine, Y: v*flat*a.sine + lateral*a.cosine, Z: v * slope}
	forward := along - spin*spin*lever
	aside := v*spin + spinRate*lever
	s.Acceleration = frames.Vector{X: forward*flat*a.cosine - aside*a.sine, Y: forward*flat*a.sine + aside*a.cosine, Z: forward * slope}
	s.Rate.Yaw, s.Turning.Yaw = spin, spinRate
}

// walk moves a pedestrian.
func (w *World) walk(a *actor, c *Controls, h float64) {
	s := &a.state
	wanted := walkingSpeed * c.Throttle
	if c.Gear < 0 {
		wanted = -wanted
	}
	if c.Brake > 0 {
		wanted = 0
	}
	change := min(max(wanted-s.Speed, -a.shape.Brake*h), a.shape.Acceleration*h)
	along := change / h
	way := (s.Speed + change/2) * h
	s.Speed, s.Along = s.Speed+change, along
	x, y, turn := 0.0, 0.0, c.SteeringWheel*h
	if way != 0 {
		x, y, _ = arc(way, turn/way, s.Orientation.Yaw)
	}
	s.Orientation.Yaw = wrapFast(s.Orientation.Yaw + turn)
	a.sine, a.cosine = math.Sincos(s.Orientation.Yaw)
	w.settle(a, s.Position.X+x, s.Position.Y+y)
	s.Rate, s.Turning = frames.Orientation{Yaw: c.SteeringWheel}, frames.Orientation{}
	s.Velocity = frames.Vector{X: s.Speed * a.cosine, Y: s.Speed * a.sine}
	aside := s.Speed * c.SteeringWheel
	s.Acceleration = frames.Vector{X: along*a.cosine - aside*a.sine, Y: along*a.sine + aside*a.cosine}
}

// steer drives a bicycle model along the path by pure pursuit of a point ahead.
func (w *World) steer(a *actor, h float64) {
	d := &a.driver
	s := &a.state
	lever := a.shape.Wheelbase / 2
	rear := frames.Vector{X: s.Position.X - lever*a.cosine, Y: s.Position.Y - lever*a.sine}
	reach := max(4, 0.8*s.Speed)
	goal := a.pointAhead(reach + lever)
	dx, dy := goal.X-rear.X, goal.Y-rear.Y
	distance := max(math.Sqrt(dx*dx+dy*dy), 0.1)
	aside := (dy*a.cosine - dx*a.sine) / distance
	wanted := min(max(math.Atan(2*a.shape.Wheelbase*aside/distance), -steeringLimit), steeringLimit)
	steer := s.Steering + min(max(wanted-s.Steering, -steeringRate*h), steeringRate*h)
	acceleration := a.acceleration
	if s.Speed+acceleration*h < 0 {
		acceleration = -s.Speed / h
	}
	w.roll(a, acceleration, steer, h)
	s.Brake, s.Throttle = max(-acceleration, 0)/max(a.shape.Brake, 1), max(acceleration, 0)/max(a.shape.Acceleration, 1)
	c := d.course()
	c.rail.at(d.u, c.forwards, &d.now)
	p := s.Position.Sub(d.now.position)
	a.proceed(max(p.Dot(d.now.d1), 0))
	if d.offset.duration > 0 {
		d.offset = sidestep{}
		s.Indicator = IndicatorOff
	}
	if !d.arrived && d.leg == len(d.path.legs)-1 && d.course() == d.path.last() && s.Speed < 0.2 && math.Abs(d.path.target-d.u) < 1 {
		d.arrived = true
		a.happened.set(Arrived, 0)
	}
	c = d.course()
	c.rail.at(d.u, c.forwards, &d.now)
}

// pointAhead is a point of the path some way ahead; beyond its end it lies straight on.
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

// trace puts an actor on its trajectory at the end of the step.
func (w *World) trace(a *actor, h timebase.Time) {
	t := &a.track
	now, ended := t.at(w.now)
	if ended && !t.done {
		t.done = true
		a.happened.set(Exhausted, 0)
	}
	before, _ := t.at(w.now - h)
	if w.now-h < t.times[0] {
		before = Point{X: a.state.Position.X, Y: a.state.Position.Y, Z: a.state.Position.Z, Yaw: a.state.Orientation.Yaw}
	}
	if jump := square(now.X-before.X) + square(now.Y-before.Y); jump > square(100*h.Seconds()) {
		a.happened.set(Jump, math.Sqrt(jump))
		a.samples.restart()
	}
	s := &a.state
	old := s.Orientation
	if a.samples.n == 0 && w.now-h >= t.times[0] {
		a.samples.add(w.now-h, before.X, before.Y, s.Position.Z, before.Yaw)
	}
	a.samples.add(w.now, now.X, now.Y, now.Z, now.Yaw)
	vx, ax, vy, ay, spin, spinRate := a.estimate(t, h, ended)
	if now.Given&FieldYaw == 0 {
		now.Yaw, spin = a.courseOf(vx, vy, ax, ay)
		spinRate = 0
	}
	height := s.Position.Z
	s.Estimated = (FieldZ|FieldRoll|FieldPitch|FieldYaw)&^now.Given | FieldVelocity | FieldAcceleration | FieldRates
	s.Orientation.Yaw = wrapFast(now.Yaw)
	a.sine, a.cosine = math.Sincos(s.Orientation.Yaw)
	if now.Given&FieldPitch != 0 {
		s.Orientation.Pitch = now.Pitch
	}
	if now.Given&FieldRoll != 0 {
		s.Orientation.Roll = now.Roll
	}
	a.place = w.locate(a, frames.Vector{X: now.X, Y: now.Y, Z: now.Z}, now.Given&FieldZ != 0)
	w.ground(a, frames.Vector{X: now.X, Y: now.Y, Z: now.Z}, now.Given|FieldYaw)
	vz := (s.Position.Z - height) / h.Seconds()
	if ended {
		vz = 0
	}
	s.Velocity, s.Acceleration = frames.Vector{X: vx, Y: vy, Z: vz}, frames.Vector{X: ax, Y: ay}
	s.Rate = frames.Orientation{Yaw: spin, Pitch: (s.Orientation.Pitch - old.Pitch) / h.Seconds(),
		Roll: (s.Orientation.Roll - old.Roll) / h.Seconds()}
	s.Turning = frames.Orientation{Yaw: spinRate}
	s.Along = ax*a.cosine + ay*a.sine
	s.Speed = vx*a.cosine + vy*a.sine
}

func square(x float64) float64 { return x * x }

// estimate is the motion at the newest sample: by the parabola through the samples before, now and the next one of the
// trajectory, else through the last three. After the end of the trajectory the actor stands.
func (a *actor) estimate(t *track, h timebase.Time, ended bool) (vx, ax, vy, ay, spin, spinRate float64) {
	if ended {
		return 0, 0, 0, 0, 0, 0
	}
	s := &a.samples
	next := s.times[s.n-1] + h
	if s.n < 2 || next > t.times[len(t.times)-1] {
		vx, ax = s.last(&s.x)
		vy, ay = s.last(&s.y)
		spin, spinRate = s.last(&s.yaw)
		return vx, ax, vy, ay, spin, spinRate
	}
	reaching := *s
	p, _ := t.at(next)
	reaching.add(next, p.X, p.Y, p.Z, p.Yaw)
	vx, ax = reaching.middle(&reaching.x)
	vy, ay = reaching.middle(&reaching.y)
	spin, spinRate = reaching.middle(&reaching.yaw)
	return vx, ax, vy, ay, spin, spinRate
}

// courseOf is the yaw of an actor without a given yaw: the direction of its velocity, below 0.1 m/s the last one.
func (a *actor) courseOf(vx, vy, ax, ay float64) (yaw, spin float64) {
	speed := vx*vx + vy*vy
	if speed < 0.01 {
		return a.state.Orientation.Yaw, 0
	}
	return math.Atan2(vy, vx), (vx*ay - vy*ax) / speed
}

// SetPedals is [World.SetControls] with one controls that hold from now on, without allocation while they keep being
// called.
func (w *World) SetPedals(name string, c Controls) error {
	const call = "set_dynamic_move"
	a := w.find(name)
	if a == nil {
		return w.unknown(call, name)
	}
	if err := c.check(call + " " + name); err != nil {
		return err
	}
	if a.mode != byControls || len(a.driving.controls) != 1 {
		_, err := w.SetControls(name, Drive{Start: w.now, Controls: []Controls{c}})
		return err
	}
	a.driving.controls[0], a.driving.start = c, w.now
	return nil
}
