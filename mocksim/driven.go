package mocksim

import (
	"fmt"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
)

// SetControls lets controls move a vehicle or a pedestrian, starting from its current state. It
// fails with [ErrValue] for pedals outside 0 to 1. If both pedals are pressed, a note reports it,
// and the brake applies.
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
		return "", invalid(place, "a static actor", "an actor that can move on its own")
	}
	if d.Step < 0 {
		return "", fault.New(ErrTime, fault.At(place+".step"), d.Step.String(), "0 or above")
	}
	var note Note
	for k := range d.Controls {
		if err := d.Controls[k].Check(fmt.Sprintf("%s.controls[%d]", place, k)); err != nil {
			return "", err
		}
		if c := &d.Controls[k]; c.Throttle > 0 && c.Brake > 0 && note == "" {
			note = Note(fmt.Sprintf("controls[%d] press both pedals: the brake counts", k))
		}
	}
	if d.Step == 0 {
		d.Step = w.step
	}
	if gone, err := w.handControls(a, &d); gone || err != nil {
		return note, err
	}
	w.stale = w.stale || a.railed()
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
	s.operate(c)
	if a.shape.Wheelbase == 0 {
		w.walk(a, c, h)
		return
	}
	wanted := min(max(c.SteeringWheel/SteeringRatio, -steeringLimit), steeringLimit)
	steer := s.Steering + min(max(wanted-s.Steering, -steeringRate*h), steeringRate*h)
	w.roll(a, a.pedals(c, s.Speed, s.Orientation.Pitch), steer, h)
}

// operate sets everything that controls set, except for the steering.
func (s *State) operate(c *Controls) {
	s.Throttle, s.Brake, s.Gear, s.Indicator, s.Lights = c.Throttle, c.Brake, c.Gear, c.Indicator,
		c.Lights
}

// roll moves a bicycle model for one step, with an acceleration along its axis and an angle of its
// front wheels.
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
	k := portable.Tan(steer) / a.shape.Wheelbase
	lever := a.shape.Wheelbase / 2
	sin, cos := portable.Sincos(yaw)
	// seen from above, distances and the wheelbase are shorter on a slope
	level := portable.Cos(s.Orientation.Pitch)
	rearX, rearY := s.Position.X-float64(lever*level*cos), s.Position.Y-float64(lever*level*sin)
	d := &a.driving
	spin, spinRate := k*v, k*along
	lateral := spin * lever
	if d.dynamic && math.Abs(v) > 3 {
		d.slip(v, steer, a.shape.Wheelbase, h)
		share := min((math.Abs(v)-3)/2, 1)
		lateral = float64(share * (d.lateral - float64(
			d.yawRate*(lever-a.shape.Wheelbase*1.2/2.7))))
		spin = float64((1-share)*spin) + float64(share*d.yawRate)
		spinRate = 0
		yaw += float64(spin * h)
		x, y := portable.Cos(yaw-spin*h/2), portable.Sin(yaw-spin*h/2)
		rearX += float64(level * (float64(way*x) - float64((lateral-float64(spin*lever))*h*y)))
		rearY += float64(level * (float64(way*y) + float64((lateral-float64(spin*lever))*h*x)))
	} else {
		d.lateral, d.yawRate = k*v*a.shape.Wheelbase*1.5/2.7, k*v
		x, y, turn := arc(way, k, yaw)
		yaw += turn
		rearX, rearY = rearX+float64(level*x), rearY+float64(level*y)
	}
	s.Steering, s.Speed, s.Along = steer, v, along
	sin, cos = portable.Sincos(yaw)
	s.Orientation.Yaw = wrapFast(yaw)
	w.settle(a, rearX+float64(lever*level*cos), rearY+float64(lever*level*sin))
	a.sine, a.cosine = portable.Sincos(s.Orientation.Yaw)
	a.bodyMotion(v, lateral, along, spin, spinRate)
	w.follow(a, 0)
	a.bend(v)
}

// bend adds the contribution of a changing slope to the acceleration: seen from above, the same
// speed increases on a crest and decreases in a dip.
func (a *actor) bend(v float64) {
	s := &a.state
	sin, cos := portable.Sincos(s.Orientation.Pitch)
	change := -v * sin * s.Rate.Pitch
	s.Acceleration = s.Acceleration.Add(frames.Vector{X: float64(change * a.cosine),
		Y: float64(change * a.sine), Z: -change * sin / cos})
}

// cutSteering limits the lateral acceleration.
func (a *actor) cutSteering(steer float64) float64 {
	v := a.state.Speed
	most := portable.Atan(a.shape.Wheelbase * lateralLimit / max(v*v, 1e-9))
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

// settle places an actor on the road at a position seen from above.
func (w *World) settle(a *actor, x, y float64) {
	at := frames.Vector{X: x, Y: y, Z: a.state.Position.Z}
	a.place = w.m.Follow(at, a.place)
	w.ground(a, at, FieldYaw)
}

// bodyMotion sets the velocity, acceleration and yaw rate of the middle of a vehicle, seen from
// above, from the motion of its rear axle: its speed v, its acceleration along the axis, the
// lateral speed of the middle, and the rate and acceleration of its turning.
func (a *actor) bodyMotion(v, lateral, along, spin, spinRate float64) {
	s := &a.state
	lever := a.shape.Wheelbase / 2
	flat := portable.Cos(s.Orientation.Pitch) // seen from above, distances are shorter on a slope
	ahead, left := flat*v, flat*lateral
	s.Velocity = frames.Vector{X: float64(ahead*a.cosine) - float64(left*a.sine),
		Y: float64(ahead*a.sine) + float64(left*a.cosine)}
	forward := flat * (along - float64(spin*spin*lever))
	aside := flat * (float64(v*spin) + float64(spinRate*lever))
	s.Acceleration = frames.Vector{X: float64(forward*a.cosine) - float64(aside*a.sine),
		Y: float64(forward*a.sine) + float64(aside*a.cosine)}
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
	x, y, turn := 0.0, 0.0, float64(c.SteeringWheel*h)
	if way != 0 {
		x, y, _ = arc(way, turn/way, s.Orientation.Yaw)
	}
	s.Orientation.Yaw = wrapFast(s.Orientation.Yaw + turn)
	a.sine, a.cosine = portable.Sincos(s.Orientation.Yaw)
	w.settle(a, s.Position.X+x, s.Position.Y+y)
	s.Rate, s.Turning = frames.Orientation{Yaw: c.SteeringWheel}, frames.Orientation{}
	s.Velocity = frames.Vector{X: float64(s.Speed * a.cosine), Y: float64(s.Speed * a.sine)}
	aside := s.Speed * c.SteeringWheel
	s.Acceleration = frames.Vector{X: float64(along*a.cosine) - float64(aside*a.sine),
		Y: float64(along*a.sine) + float64(aside*a.cosine)}
	w.follow(a, 0)
}

// SetPedals is like [World.SetControls] with a single set of controls that applies from now on.
// Repeated calls do not allocate.
func (w *World) SetPedals(name string, c Controls) error {
	const call = "set_dynamic_move"
	a := w.find(name)
	if a == nil {
		return w.unknown(call, name)
	}
	if err := c.Check(call + " " + name); err != nil {
		return err
	}
	if a.mode != byControls || len(a.driving.controls) != 1 || w.outside != nil {
		_, err := w.SetControls(name, Drive{Start: w.now, Controls: []Controls{c}})
		return err
	}
	a.driving.controls[0], a.driving.start = c, w.now
	return nil
}
