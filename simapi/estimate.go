package simapi

import (
	"fmt"
	"math"

	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/timebase"
)

const (
	// fastest is a speed that no actor exceeds between two samples, in m/s: an actor that seems to
	// be faster was teleported.
	fastest = 100.0
	// slowest is the speed above which an actor's direction can be determined, in m/s.
	slowest = 0.1
)

// The names of the six degrees of freedom, and of the quantities in a state.
var (
	axisNames  = [6]string{"x", "y", "z", "roll", "pitch", "yaw"}
	groupNames = [3]string{"position", "speed", "acceleration"}
	fieldNames = func() (n [3][6]string) {
		for g := range n {
			for a := range n[g] {
				n[g][a] = groupNames[g] + "." + axisNames[a]
			}
		}
		return n
	}()
)

// coords holds six degrees of freedom, some of which are known.
type coords struct {
	v   [6]float64
	has uint8
}

func read(m *Coord6Dof) (c coords) {
	if m == nil {
		return c
	}
	for a, f := range [6]*float64{m.X, m.Y, m.Z, m.Roll, m.Pitch, m.Yaw} {
		if f != nil {
			c.v[a], c.has = *f, c.has|1<<a
		}
	}
	return c
}

func (c *coords) knows(axis int) bool { return c.has&(1<<axis) != 0 }

// fill sets an unknown value.
func (c *coords) fill(axis int, v float64) {
	if !c.knows(axis) {
		c.v[axis] = v
	}
}

const (
	axisX = iota
	axisY
	axisZ
	axisRoll
	axisPitch
	axisYaw
)

// Estimator completes the states of one actor over time. Speed and acceleration come from the last
// positions (or from speeds, if given), the direction comes from the speed, and height and
// inclination come from the ground. Given values are never changed. The zero value is ready.
//
// With samples at equal or unequal intervals, the result is exact, starting with the third sample,
// for straight lines and circles with constant acceleration along them. For constant speed on a
// straight line, it is exact starting with the second sample.
type Estimator struct {
	Ground Ground // nil: height and inclination stay unchanged
	// Scale has the exact times of steps that are not whole nanoseconds; nil: all steps are whole
	// nanoseconds.
	Scale *timebase.Scale

	path     [3]sample
	count    int
	angles   [4]course // z, roll, pitch, yaw
	speeds   [6]course // z and the rates, speed along the path, its direction
	yaw      float64
	yawKnown bool
	state    ActorState
	storage  [18]float64
	frames   [3]Coord6Dof
	names    []string
}

// Complete returns the state with all eighteen numbers, and in Estimated the names of those that
// were not given, or of whole groups. The result is valid until the next call. jumped reports that
// the actor is too far from its previous position to have moved there, in which case the history
// starts over. Times must not go backwards; a second state with the same time replaces the first.
func (e *Estimator) Complete(t timebase.Time, in *ActorState) (out *ActorState, jumped bool,
	err error) {
	if err := checkState(in.GetActorId(), in); err != nil {
		return nil, false, err
	}
	groups := [3]coords{read(in.GetPosition()), read(in.GetSpeed()), read(in.GetAcceleration())}
	given := [3]uint8{groups[0].has, groups[1].has, groups[2].has}
	position, speed, acceleration := &groups[0], &groups[1], &groups[2]
	jumped = e.sample(t, position)
	motion := fit(e.Scale, e.path[:e.count], e.count-1)
	speed.fill(axisX, motion.vx)
	speed.fill(axisY, motion.vy)
	e.direct(position, speed)
	e.lay(in.GetActorId(), position)
	e.follow(t, position)
	e.rates(motion, position, speed)
	e.accelerations(t, motion, given[0], given[1], speed, acceleration)
	out = e.answer(in.GetActorId(), given, &groups)
	out.Controls, out.Description = in.GetControls(), in.GetDescription()
	return out, jumped, nil
}

// sample adds the position to the history.
func (e *Estimator) sample(t timebase.Time, position *coords) (jumped bool) {
	now := sample{t, position.v[axisX], position.v[axisY]}
	if e.count > 0 && e.path[e.count-1].t == t {
		e.count--
	}
	if e.count > 0 {
		last := e.path[e.count-1]
		dx, dy, h := now.x-last.x, now.y-last.y, seconds(e.Scale, last.t, t)
		if jumped = float64(dx*dx)+float64(dy*dy) > fastest*fastest*h*h; jumped {
			e.count, e.angles, e.speeds = 0, [4]course{}, [6]course{}
		}
	}
	if e.count == len(e.path) {
		copy(e.path[:], e.path[1:])
		e.count--
	}
	e.path[e.count] = now
	e.count++
	return jumped
}

// direct finds the yaw: along the speed, against it if the actor reverses, and unchanged at a
// standstill.
func (e *Estimator) direct(position, speed *coords) {
	vx, vy := speed.v[axisX], speed.v[axisY]
	switch moving := float64(vx*vx)+float64(vy*vy) > slowest*slowest; {
	case position.knows(axisYaw):
		e.yaw, e.yawKnown = position.v[axisYaw], true
		return
	case moving:
		yaw := portable.Atan2(vy, vx)
		if e.yawKnown && math.Abs(math.Remainder(yaw-e.yaw, 2*math.Pi)) > math.Pi/2 {
			yaw = math.Remainder(yaw+math.Pi, 2*math.Pi)
		}
		e.yaw, e.yawKnown = yaw, true
	case !e.yawKnown && e.Ground != nil:
		e.yaw, e.yawKnown = e.Ground.Lane(position.v[axisX], position.v[axisY])
	}
	position.v[axisYaw] = e.yaw
}

// lay places the actor on the ground; off the road it stays level at the last height.
func (e *Estimator) lay(id string, position *coords) {
	const rest = 1<<axisZ | 1<<axisRoll | 1<<axisPitch
	if position.has&rest == rest {
		return
	}
	z, pitch, roll, on := 0.0, 0.0, 0.0, false
	if e.Ground != nil {
		z, pitch, roll, on = e.Ground.At(position.v[axisX], position.v[axisY], position.v[axisYaw],
			id)
	}
	if !on {
		z, pitch, roll = 0, 0, 0
		if last := &e.angles[0]; last.n > 0 {
			z = last.y[last.n-1]
		}
	}
	position.fill(axisZ, z)
	position.fill(axisPitch, pitch)
	position.fill(axisRoll, roll)
}

func (e *Estimator) follow(t timebase.Time, position *coords) {
	e.angles[0].add(t, position.v[axisZ])
	for k, axis := range [3]int{axisRoll, axisPitch, axisYaw} {
		e.angles[1+k].addAngle(t, position.v[axis])
	}
}

// rates fills in the speeds that do not depend on x and y.
func (e *Estimator) rates(motion planar, position, speed *coords) {
	for k := range e.angles {
		slope, _ := e.angles[k].end(e.Scale)
		if k == 3 && !position.knows(axisYaw) {
			slope = motion.turnRate()
		}
		speed.fill(axisZ+k, slope)
	}
}

// turnRate returns the turn rate of the path's direction.
func (m planar) turnRate() float64 {
	square := float64(m.vx*m.vx) + float64(m.vy*m.vy)
	if square <= slowest*slowest {
		return 0
	}
	return (float64(m.vx*m.ay) - float64(m.vy*m.ax)) / square
}

// accelerations returns the derivatives of the given speeds or, where no speeds are given, of the
// positions.
func (e *Estimator) accelerations(t timebase.Time, motion planar, givenPosition, givenSpeed uint8,
	speed, acceleration *coords) {
	ax, ay := motion.ax, motion.ay
	if givenSpeed != 0 {
		ax, ay = e.alongSpeed(t, speed.v[axisX], speed.v[axisY])
	}
	acceleration.fill(axisX, ax)
	acceleration.fill(axisY, ay)
	for k := range e.angles {
		axis := axisZ + k
		_, second := e.angles[k].end(e.Scale)
		e.speeds[k].add(t, speed.v[axis])
		switch {
		case givenSpeed&(1<<axis) != 0:
			second, _ = e.speeds[k].end(e.Scale)
		case axis == axisYaw && givenPosition&(1<<axisYaw) == 0:
			second = motion.turning
		}
		acceleration.fill(axis, second)
	}
}

// alongSpeed returns the acceleration according to the last speeds: along them from their
// magnitude, across them from their rate of turn.
func (e *Estimator) alongSpeed(t timebase.Time, vx, vy float64) (ax, ay float64) {
	v := math.Sqrt(float64(vx*vx) + float64(vy*vy))
	size, direction := &e.speeds[4], &e.speeds[5]
	if v > slowest {
		// the actor reverses: the speed along the body is negative
		if sin, cos := portable.Sincos(e.yaw); float64(vx*cos)+float64(vy*sin) < 0 {
			v, vx, vy = -v, -vx, -vy
		}
		direction.addAngle(t, portable.Atan2(vy, vx))
	} else if direction.n > 0 {
		direction.add(t, direction.y[direction.n-1])
	}
	size.add(t, v)
	rate, _ := size.end(e.Scale)
	turn, _ := direction.end(e.Scale)
	if direction.n == 0 {
		return 0, 0
	}
	sin, cos := portable.Sincos(direction.y[direction.n-1])
	return float64(rate*cos) - float64(v*turn*sin), float64(rate*sin) + float64(v*turn*cos)
}

// answer returns the completed state.
func (e *Estimator) answer(id string, given [3]uint8, groups *[3]coords) *ActorState {
	e.names = e.names[:0]
	for g := range groups {
		at := e.storage[6*g : 6*g+6]
		f := &e.frames[g]
		f.X, f.Y, f.Z, f.Roll, f.Pitch, f.Yaw = &at[0], &at[1], &at[2], &at[3], &at[4], &at[5]
		copy(at, groups[g].v[:])
		if given[g] == 0 {
			e.names = append(e.names, groupNames[g])
			continue
		}
		for a := range at {
			if given[g]&(1<<a) == 0 {
				e.names = append(e.names, fieldNames[g][a])
			}
		}
	}
	e.state.ActorId, e.state.Estimated = id, e.names
	e.state.Position, e.state.Speed, e.state.Acceleration = &e.frames[0], &e.frames[1], &e.frames[2]
	return &e.state
}

// checkState refuses states without a position, numbers that are not finite, and invalid controls.
func checkState(id string, in *ActorState) error {
	for g, m := range [3]*Coord6Dof{in.GetPosition(), in.GetSpeed(), in.GetAcceleration()} {
		c := read(m)
		for a := range c.v {
			needed := a <= axisY && (g == 0 || g == 1 && m != nil)
			switch {
			case needed && !c.knows(a):
				return fault.New(Code_INVALID, stateField(id, g, a), "no value", "x and y")
			case math.IsNaN(c.v[a]) || math.IsInf(c.v[a], 0):
				return fault.New(Code_INVALID, stateField(id, g, a), fmt.Sprint(c.v[a]),
					"a finite number")
			}
		}
	}
	if f, wrong := flawOf(in.GetControls()); wrong {
		return f.in(fmt.Sprintf("actor %q: controls.", id))
	}
	return nil
}

func stateField(id string, group, axis int) fault.Place {
	return fault.At(fmt.Sprintf("actor %q: %s", id, fieldNames[group][axis]))
}
