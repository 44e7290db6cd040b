package mocksim

import (
	"fmt"
	"math"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Parts is a set of components of a motion.
type Parts uint32

// The components of an [Update].
const (
	PartX Parts = 1 << iota
	PartY
	PartZ
	PartRoll
	PartPitch
	PartYaw
	PartVelocityX
	PartVelocityY
	PartVelocityZ
	PartAccelerationX
	PartAccelerationY
	PartAccelerationZ
	PartRollRate
	PartPitchRate
	PartYawRate
	PartSteering
	PartControls
)

const (
	partsAside    = PartX | PartY
	partsVelocity = PartVelocityX | PartVelocityY | PartVelocityZ
)

// Update is an owner's information about an actor at one time. Fields that are not in Given count
// as absent:
//
//   - If only one of x and y is absent, it stays unchanged. If both are absent, the actor moves on
//     as before. Absent z, pitch and roll come from the road; an absent yaw continues at its rate.
//   - Absent velocities, accelerations and rates are derived from the poses of the actor.
//
// A velocity is in the axes of the world. If it contradicts the poses but matches them when rotated
// by the yaw, it was given in body axes by mistake. In that case, the poses are used, and the world
// reports [BodyVelocity] once.
type Update struct {
	Time         timebase.Time // the time of the update
	Given        Parts
	Position     frames.Vector      // of the middle of the box, including its height, m
	Orientation  frames.Orientation // rad
	Velocity     frames.Vector      // m/s
	Acceleration frames.Vector      // m/s2
	Rate         frames.Orientation // first derivatives of the angles, rad/s
	Steering     float64            // angle of the front wheels, rad
	// Controls are the pedals, the gear, the indicators and the lamps; the steering wheel is
	// ignored. If they are not given, the pedals are released and the others are unchanged.
	Controls Controls
	// Placed means that the actor was placed there and did not drive there.
	Placed bool
	// Ground means that Position and Velocity belong to the point on the ground, as in a State,
	// rather than to the middle of the box.
	Ground bool
	// Plan lists the poses planned by the owner in time order. The actor follows them until the
	// next update.
	Plan  []Planned
	Extra Extra
}

// Extra is an owner's information about an actor apart from its motion: parts of OSI messages,
// which the world stores unchanged for others. Empty fields change nothing.
type Extra struct {
	Lights   []byte // MovingObject.VehicleClassification.LightState
	Wheels   []byte // fields wheel_data of MovingObject.VehicleAttributes, with their keys
	Internal []byte // HostVehicleData
}

// keep copies the given fields, including their bytes.
func (e *Extra) keep(from *Extra) {
	for _, f := range [...]struct {
		to   *[]byte
		from []byte
	}{{&e.Lights, from.Lights}, {&e.Wheels, from.Wheels}, {&e.Internal, from.Internal}} {
		if len(f.from) > 0 {
			*f.to = append((*f.to)[:0], f.from...)
		}
	}
}

// Take gives an actor to an owner outside the world, which moves it with [World.Put]. Until the
// first update, the actor moves on as before. [World.Release] returns it to its previous owner. Any
// other move takes the actor from its owner. Take fails with [ErrValue] for static actors.
func (w *World) Take(name string) error {
	const call = "take"
	a := w.find(name)
	switch {
	case a == nil:
		return w.unknown(call, name)
	case a.kind == Static:
		return invalid(call+" "+name, "a static actor", "an actor that can move")
	case a.mode == byOwner:
		return nil
	}
	o := owned{}
	switch {
	case a.mode == byController:
		o.resumes, o.before = true, a.driver.Controller
	case a.mode == byOutside && a.abroad.controller != nil:
		o.resumes, o.before = true, *a.abroad.controller
	}
	w.lend(a, o, byOwner)
	return nil
}

// Owned reports whether an actor has an owner outside the world.
func (v View) Owned() bool { return v.a.mode == byOwner }

// Extra returns the owner's information apart from the motion. It is valid until the next step, and
// empty for an actor without an owner.
func (v View) Extra() Extra {
	if v.a.mode != byOwner {
		return Extra{}
	}
	return v.a.owned.extra
}

// Put sets the motion of an actor at the end of the next step or at any earlier time. If the time
// is later, because the owner's steps are longer, the actor drives there in between. It fails with
// [ErrOwner] if the actor does not belong to an outside owner (anymore), with [ErrTime] for a time
// before the last update, and with [ErrValue] for impossible numbers. Only the last update before a
// step is used. After an update the actor moves on by itself: along the Plan of the update or,
// without one, along the arc of its speed, acceleration and yaw rate, or x + v t + a t²/2 if it is
// not driving in a curve; a braking actor stops and does not reverse. A standing actor reverses
// only in reverse gear, and a change of the speed with more than 15 m/s2 does not continue, unless
// its acceleration is given.
func (w *World) Put(name string, u *Update) error {
	const call = "traffic_update"
	a := w.find(name)
	switch {
	case a == nil:
		return w.unknown(call, name)
	case a.mode != byOwner:
		return fault.New(ErrOwner, fault.At(call+" "+name), "an actor moved by others",
			"one that was taken")
	case u.Time < a.owned.time:
		return fault.New(ErrTime, fault.At(call+" "+name), u.Time.String(),
			fmt.Sprintf("not before the last update, %s", a.owned.time))
	}
	if err := u.Check(call + " " + name); err != nil {
		return err
	}
	o := &a.owned
	extra, plan := o.next.Extra, o.next.Plan[:0]
	extra.keep(&u.Extra)
	plan = append(plan, u.Plan...)
	o.next, o.due = *u, true
	o.next.Extra, o.next.Plan = extra, plan
	return nil
}

// Check refuses values that are impossible for an actor, with [ErrValue]. place is the place stated
// in errors, such as the name of the actor.
func (u *Update) Check(place string) error {
	p, v, a, o, r := &u.Position, &u.Velocity, &u.Acceleration, &u.Orientation, &u.Rate
	if err := finite(place, []string{"x", "y", "z", "roll", "pitch", "yaw", "velocity.x",
		"velocity.y", "velocity.z", "acceleration.x", "acceleration.y", "acceleration.z",
		"roll_rate", "pitch_rate", "yaw_rate", "steering"}, p.X, p.Y, p.Z, o.Roll, o.Pitch, o.Yaw,
		v.X, v.Y, v.Z, a.X, a.Y, a.Z, r.Roll, r.Pitch, r.Yaw, u.Steering); err != nil {
		return err
	}
	if !(math.Abs(v.X)+math.Abs(v.Y)+math.Abs(v.Z) <= fastest) {
		return invalid(place+".velocity", fmt.Sprintf("(%g, %g, %g) m/s", v.X, v.Y, v.Z),
			fmt.Sprintf("at most %g m/s", fastest))
	}
	if !(math.Abs(o.Pitch) < math.Pi/2) {
		return invalid(place+".pitch", o.Pitch, "above -pi/2 and below pi/2")
	}
	if u.Given&PartControls != 0 {
		if err := u.Controls.Check(place); err != nil {
			return err
		}
	}
	return u.checkPlan(place)
}

// Release gives an actor back to its owner before [World.Take]: to the controller, which continues
// from the current pose and speed. An actor without a controller coasts to a standstill.
func (w *World) Release(name string) error {
	const call = "release"
	a := w.find(name)
	switch {
	case a == nil:
		return w.unknown(call, name)
	case a.mode != byOwner:
		return nil
	}
	if a.owned.resumes && w.SetController(name, a.owned.before) == nil {
		return nil
	}
	_, err := w.SetControls(name, Drive{Start: w.now, Controls: []Controls{{}}})
	return err
}

// Tell adds an event that the next step returns.
func (w *World) Tell(e Event) { w.pending = append(w.pending, e) }
