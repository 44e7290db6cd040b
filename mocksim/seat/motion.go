package seat

import (
	"errors"
	"fmt"
	"slices"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/proto/field"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

// ErrRequest reports bytes that are not a MotionRequest, or a request without the fields that its
// type needs.
var ErrRequest = errors.New("not a MotionRequest")

// Follower makes an actor follow the MotionRequests of an external model, such as a planner. A
// request states the desired state, or the desired trajectory, of the middle of the actor's rear
// axle, in the world's frame and at absolute times. The vehicle gets there as far as its own
// engine, brakes and steering allow, without reversing. A request applies until the next one. A
// planner may send nothing for one of its own steps; after that, the actor coasts to a standstill,
// with the event silent. Until the first request, the previous owner continues to move the actor.
//
// The control is a pursuit controller. It uses the acceleration that reaches the desired place and
// speed within half a second, and the curvature that leads to the desired path ahead.
type Follower struct {
	w       *mocksim.World
	actor   string
	made    timebase.Time
	missing int
	yielded bool // to others, until Take is called
	told    bool // reported that others move the actor
	request request
}

// request is a decoded MotionRequest.
type request struct {
	kind    uint64
	states  []goal // one desired state, or the points of a trajectory in order
	desired bool
	given   bool // there is a request
}

// goal is the desired place of the rear axle, with the time.
type goal struct {
	at           timebase.Time
	timed        bool
	given        mocksim.Parts
	position     frames.Vector
	orientation  frames.Orientation
	velocity     frames.Vector
	acceleration frames.Vector
}

// NewFollower prepares an actor of a world for requests.
func NewFollower(w *mocksim.World, actor string) (*Follower, error) {
	v, err := w.Actor(actor)
	if err != nil {
		return nil, err
	}
	if v.Shape().Wheelbase == 0 {
		return nil, fault.New(mocksim.ErrValue, fault.At("the planner of "+actor),
			"a "+v.Kind().String(), "a vehicle")
	}
	return &Follower{w: w, actor: actor, made: w.Time()}, nil
}

// Actor returns the name of the actor.
func (f *Follower) Actor() string { return f.actor }

// Yield leaves the actor to its new owner. Requests are dropped with the event not_owner until
// [Follower.Take].
func (f *Follower) Yield() { f.yielded, f.told = true, false }

// Take takes back the actor.
func (f *Follower) Take() { f.yielded = false }

// Update passes on the planner's output, a MotionRequest or nothing. It must be called before each
// step of the world, which ends at end. A message with the same time as the previous one is the
// same message. An error ends the run.
func (f *Follower) Update(made timebase.Time, message []byte, end timebase.Time) error {
	if made != f.made {
		f.made = made
		if err := f.hear(message); err != nil {
			return err
		}
	}
	if v, gone := f.w.Actor(f.actor); gone == nil && f.request.given && !f.yielded {
		c := mocksim.Controls{Gear: 1}
		if f.missing < 2 {
			c = f.request.control(v, f.w.Time(), end)
		}
		return f.w.SetPedals(f.actor, c)
	}
	return nil // the actor is gone, or moved by others
}

// hear processes a message.
func (f *Follower) hear(message []byte) error {
	if len(message) == 0 {
		if f.missing++; f.missing == 2 && f.request.given && !f.yielded {
			f.w.Tell(mocksim.Event{Time: f.w.Time(), Kind: mocksim.Silent, Actor: f.actor})
		}
		return nil
	}
	f.missing = 0
	if f.yielded && !f.told {
		f.told = true
		f.w.Tell(mocksim.Event{Time: f.w.Time(), Kind: mocksim.NotOwner, Actor: f.actor,
			Other: f.actor})
	}
	refuse := func(found, expected string) error {
		return fault.New(ErrRequest, fault.At("the planner of "+f.actor), found, expected)
	}
	r := &f.request
	switch read := r.read(message); {
	case !read:
		return refuse(fmt.Sprintf("%d bytes", len(message)), "a MotionRequest of OSI")
	case r.kind == byState && !r.desired:
		return refuse("a desired state by motion_request_type, but none in it", "desired_state")
	case r.kind == byTrajectory && len(r.states) == 0:
		return refuse("a trajectory by motion_request_type, but none in it",
			"desired_trajectory with points")
	case r.kind > byTrajectory:
		return refuse(fmt.Sprint("motion_request_type ", r.kind),
			"0 (desired state) or 1 (trajectory)")
	}
	return r.check(refuse)
}

// The values of motion_request_type.
const byState, byTrajectory = 0, 1

// read reads a message. It returns false if the message is malformed.
func (r *request) read(b []byte) bool {
	r.kind, r.states, r.desired, r.given = byState, r.states[:0], false, true
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return false
		}
		if key == field.MotionRequestMotionRequestType<<3|wire.Varint {
			r.kind = wire.Uint64(b[lo:hi])
		}
		i = hi
	}
	want := wire.Number(field.MotionRequestDesiredState)
	if r.kind == byTrajectory {
		want = field.MotionRequestDesiredTrajectory
	}
	return eachField(b, func(num wire.Number, content []byte) bool {
		switch {
		case num != want:
			return true
		case r.kind == byState:
			r.desired = true
			r.states = r.states[:0]
			return r.goal(content)
		}
		return eachField(content, func(num wire.Number, content []byte) bool {
			return num != field.MotionRequestDesiredTrajectoryTrajectoryPoint || r.goal(content)
		})
	})
}

// goal reads a DesiredState or a StatePoint. Their first three fields are the same.
func (r *request) goal(b []byte) bool {
	r.states = append(r.states, goal{})
	g := &r.states[len(r.states)-1]
	return eachField(b, func(num wire.Number, content []byte) bool {
		p, o, v, a := &g.position, &g.orientation, &g.velocity, &g.acceleration
		switch num {
		case field.MotionRequestDesiredStateTimestamp:
			g.timed = true
			return timestamp(content, &g.at)
		case field.MotionRequestDesiredStatePosition:
			return triple(content, &g.given, mocksim.PartX, &p.X, &p.Y, &p.Z)
		case field.MotionRequestDesiredStateOrientation:
			return triple(content, &g.given, mocksim.PartRoll, &o.Roll, &o.Pitch, &o.Yaw)
		case field.MotionRequestDesiredStateVelocity:
			return triple(content, &g.given, mocksim.PartVelocityX, &v.X, &v.Y, &v.Z)
		case field.MotionRequestDesiredStateAcceleration:
			return triple(content, &g.given, mocksim.PartAccelerationX, &a.X, &a.Y, &a.Z)
		}
		return true
	})
}

// timestamp reads a Timestamp.
func timestamp(b []byte, at *timebase.Time) bool {
	var seconds, nanos uint64
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		switch {
		case hi < 0:
			return false
		case key == field.TimestampSeconds<<3|wire.Varint:
			seconds = wire.Uint64(b[lo:hi])
		case key == field.TimestampNanos<<3|wire.Varint:
			nanos = wire.Uint64(b[lo:hi])
		}
		i = hi
	}
	const most = uint64(timebase.EndOfTime / timebase.Second)
	if seconds > most || nanos >= 1e9 {
		return false
	}
	*at = timebase.Time(seconds)*timebase.Second + timebase.Time(nanos)
	return true
}

// check refuses unusable numbers.
func (r *request) check(refuse func(found, expected string) error) error {
	for k := range r.states {
		g := &r.states[k]
		if !g.position.Finite() || !g.velocity.Finite() || !g.acceleration.Finite() ||
			!g.orientation.Finite() {
			return refuse("a number that is not finite", "places, velocities and accelerations")
		}
		if r.kind == byTrajectory && g.given&partsAside != partsAside {
			return refuse("a point of the trajectory without x or y", "its position")
		}
	}
	if !slices.IsSortedFunc(r.states, func(a, b goal) int {
		return int(max(min(a.at-b.at, 1), -1))
	}) {
		return refuse("points of a trajectory that are not in the order of their time stamps",
			"increasing time stamps")
	}
	return nil
}

const (
	partsAside    = mocksim.PartX | mocksim.PartY
	partsVelocity = mocksim.PartVelocityX | mocksim.PartVelocityY
)

// The lookahead of the control.
const (
	reaction  = 500 * timebase.Millisecond // of speeds
	nearest   = 4.0                        // m, of the path
	lookahead = 0.8                        // s, of the path
)

// control returns the driver's inputs for the step from now to end.
func (r *request) control(v mocksim.View, now, end timebase.Time) mocksim.Controls {
	shape, s := v.Shape(), v.State()
	at, _, _ := v.At(frames.Vector{X: -shape.Wheelbase / 2})
	speed := max(s.Speed, 0)
	g, rest := r.wanted(now+reaction, now, end)
	c := mocksim.Controls{Gear: 1}
	acceleration := g.pace(at, s.Orientation.Yaw, speed, rest)
	if c.Throttle, c.Brake = v.Pedals(acceleration); speed < 0.05 && acceleration <= 0 {
		c.Brake = max(c.Brake, 0.2) // already standing in the right place
	}
	reach := max(nearest, lookahead*speed)
	ahead := min(max(timebase.Time(reach/max(speed, 1)*float64(timebase.Second)), reaction),
		5*timebase.Second)
	g, _ = r.wanted(now+ahead, now, end)
	if g.given&partsAside == partsAside {
		curvature := g.curvature(at, s.Orientation.Yaw, reach)
		const toWheel = steeringRatio
		c.SteeringWheel = toWheel * portable.Atan(curvature*shape.Wheelbase)
	} else {
		c.SteeringWheel = steeringRatio * s.Steering
	}
	return c
}

// wanted returns the desired place of the rear axle at a time, and the time until then, in s. A
// desired state that lies later is returned with its own time; after the last state the motion
// continues.
func (r *request) wanted(at, now, end timebase.Time) (goal, float64) {
	last := len(r.states) - 1
	k := 0
	for k < last && r.states[k].at < at {
		k++
	}
	g := r.states[k]
	if !g.timed {
		g.at = end
	}
	if k > 0 {
		g.between(&r.states[k-1], at)
	}
	if g.at < at {
		if g.given&partsVelocity == partsVelocity {
			g.position = g.position.Add(g.velocity.Scale((at - g.at).Seconds()))
		}
		g.at = at
	}
	return g, (g.at - now).Seconds()
}

// between interpolates the place and the velocity on the way from the previous point, if the time
// is not after this point.
func (g *goal) between(before *goal, at timebase.Time) {
	way, span := g.position.Sub(before.position), (g.at - before.at).Seconds()
	if span <= 0 {
		return
	}
	g.velocity, g.given = way.Scale(1/span), g.given|partsVelocity
	if at < g.at {
		share := (at - before.at).Seconds() / span
		g.position, g.at = before.position.Add(way.Scale(share)), at
	}
}

// pace returns the acceleration that leads to the place and the speed of g within a time: the
// initial acceleration of the cubic that meets both.
func (g *goal) pace(at frames.Vector, yaw, speed, within float64) float64 {
	within = max(within, 0.1)
	sin, cos := portable.Sincos(yaw)
	along := func(v frames.Vector) float64 { return float64(v.X*cos) + float64(v.Y*sin) }
	forward := 0.0
	if g.given&mocksim.PartAccelerationX != 0 {
		forward = along(g.acceleration)
	}
	placed, moving := g.given&partsAside == partsAside, g.given&partsVelocity == partsVelocity
	way := along(g.position.Sub(at))
	switch {
	case placed && moving:
		return forward + 6*way/(within*within) - (4*speed+2*along(g.velocity))/within
	case placed:
		return forward + 2*(way-float64(speed*within))/(within*within)
	case moving:
		return forward + (along(g.velocity)-speed)/within
	}
	return forward
}

// curvature returns the curvature of the arc to a place on the path of g that is at least reach
// ahead.
func (g *goal) curvature(at frames.Vector, yaw, reach float64) float64 {
	sin, cos := portable.Sincos(yaw)
	dx, dy := g.position.X-at.X, g.position.Y-at.Y
	x, y := float64(dx*cos)+float64(dy*sin), float64(dy*cos)-float64(dx*sin)
	if short := reach - portable.Hypot(x, y); short > 0 {
		turn := 0.0
		switch {
		case g.given&mocksim.PartYaw != 0:
			turn = g.orientation.Yaw - yaw
		case g.given&partsVelocity == partsVelocity && g.velocity != (frames.Vector{}):
			turn = portable.Atan2(g.velocity.Y, g.velocity.X) - yaw
		}
		s, c := portable.Sincos(turn)
		x, y = x+float64(short*c), y+float64(short*s)
	}
	if square := float64(x*x) + float64(y*y); x > 0 && square > 0 {
		return 2 * y / square
	}
	return 0
}

// AppendState appends the state on which the next steps depend, except for the world.
func (f *Follower) AppendState(b []byte) []byte {
	b = state.AppendUint64(state.AppendUint64(b, uint64(f.made)), uint64(f.missing))
	b = state.AppendBool(state.AppendBool(b, f.yielded), f.told)
	r := &f.request
	b = state.AppendUint64(state.AppendBool(b, r.given), r.kind)
	b = state.AppendUint64(b, uint64(len(r.states)))
	for k := range r.states {
		g := &r.states[k]
		b = state.AppendUint64(state.AppendBool(b, g.timed), uint64(g.at))
		b = state.AppendUint64(b, uint64(g.given))
		for _, x := range g.numbers() {
			b = state.AppendFloat64(b, *x)
		}
	}
	return b
}

// RestoreState continues from a saved state; the world must be restored, too.
func (f *Follower) RestoreState(d *state.Decoder) error {
	f.made, f.missing = timebase.Time(d.Uint64()), int(d.Uint64())
	f.yielded, f.told = d.Bool(), d.Bool()
	r := &f.request
	r.given, r.kind, r.states = d.Bool(), d.Uint64(), r.states[:0]
	for n := d.Uint64(); n > 0 && d.Err() == nil; n-- {
		g := goal{timed: d.Bool(), at: timebase.Time(d.Uint64()),
			given: mocksim.Parts(d.Uint64())}
		for _, x := range g.numbers() {
			*x = d.Float64()
		}
		r.states = append(r.states, g)
	}
	return d.Err()
}

func (g *goal) numbers() [12]*float64 {
	p, o, v, a := &g.position, &g.orientation, &g.velocity, &g.acceleration
	return [12]*float64{&p.X, &p.Y, &p.Z, &o.Roll, &o.Pitch, &o.Yaw, &v.X, &v.Y, &v.Z, &a.X, &a.Y,
		&a.Z}
}
