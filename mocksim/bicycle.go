package mocksim

import (
	"math"

	"gosmp/internal/portable"
	"gosmp/timebase"
)

// SteeringRatio is the ratio of the steering wheel's angle to the road wheels' angle.
const SteeringRatio = 16.0

// Limits of controls.
const (
	MostSteeringWheel = 100.0 // rad, to either side
	LeastGear         = -1
	MostGear          = 20
)

const (
	steeringLimit  = 0.6 // rad at the road wheel
	steeringRate   = 0.8 // rad/s
	lateralLimit   = 8.0 // m/s2
	gravity        = 9.80665
	rollResistance = 0.15   // m/s2
	airResistance  = 0.0003 // 1/m
	walkingSpeed   = 2.0    // m/s of a pedestrian at full throttle
)

// Controls holds the inputs of a vehicle's driver. For pedestrians the throttle means a speed from
// 0 to 2 m/s, and the steering wheel angle means a turn rate in rad/s.
type Controls struct {
	Throttle, Brake float64 // 0 to 1; if both are pressed, the brake applies
	SteeringWheel   float64 // rad, positive to the left; the road wheels turn by a 16th of it
	Gear            int     // -1 reverse, 0 neutral, 1 and above forward
	Indicator       Indicator
	Lights          Lights
}

// Check returns an error that names the place and the first value out of its range.
func (c *Controls) Check(place string) error {
	if err := finite(place, []string{"throttle", "brake", "steering_wheel_angle"}, c.Throttle,
		c.Brake, c.SteeringWheel); err != nil {
		return err
	}
	if c.Throttle < 0 || c.Throttle > 1 {
		return invalid(place+".throttle", c.Throttle, "0 to 1")
	}
	if c.Brake < 0 || c.Brake > 1 {
		return invalid(place+".brake", c.Brake, "0 to 1")
	}
	if math.Abs(c.SteeringWheel) > MostSteeringWheel {
		return invalid(place+".steering_wheel_angle", c.SteeringWheel, "an angle in rad")
	}
	if c.Gear < LeastGear || c.Gear > MostGear {
		return invalid(place+".gear", c.Gear, "-1 (reverse), 0 (neutral) or 1 and above")
	}
	if c.Indicator > IndicatorWarning {
		return invalid(place+".indicator", c.Indicator, "0 to 3")
	}
	return nil
}

// driving is the state of an actor that is moved by controls.
type driving struct {
	start, step timebase.Time
	controls    []Controls // one for each step; the last one stays in effect
	dynamic     bool       // the tyres slip
	lateral     float64    // lateral speed of the centre of gravity, m/s
	yawRate     float64    // of the dynamic model, rad/s
	cut         bool       // the steering is being limited
}

// now returns the controls for the step starting at t.
func (d *driving) now(t timebase.Time) Controls {
	if len(d.controls) == 0 || t < d.start {
		return Controls{Gear: 1}
	}
	k := 0
	if d.step > 0 {
		k = int(min(int64((t-d.start)/d.step), int64(len(d.controls)-1)))
	}
	return d.controls[k]
}

// pedals returns the acceleration along the vehicle's x axis for its speed and its pitch, which is
// negative if the nose is up.
func (a *actor) pedals(c *Controls, v, pitch float64) float64 {
	direction := 1.0
	if c.Gear < 0 {
		direction = -1
	}
	throttle := c.Throttle
	if c.Brake > 0 || c.Gear == 0 {
		throttle = 0
	}
	drive := min(a.shape.Acceleration, a.shape.Power/(a.shape.Mass*max(math.Abs(v), 1e-3)))
	drive = float64(drive * throttle * direction)
	down := float64(gravity * portable.Sin(pitch)) // along x: positive downhill
	hold := float64(c.Brake * a.shape.Brake)
	if v != 0 {
		moving := math.Copysign(1, v)
		return drive + down - float64(moving*(hold+rollResistance+float64(airResistance*v*v)))
	}
	// At rest, the brake and the resistance hold the vehicle; it never rolls against its gear.
	rest := drive + down
	if c.Brake > 0 || rest*direction <= hold+rollResistance {
		return 0
	}
	return rest - float64(direction*(hold+rollResistance))
}

// Pedals returns the positions of throttle and brake that give a vehicle an acceleration along its
// x axis, in m/s2, as far as its engine and its brakes allow; see [World.SetPedals]. The vehicle
// does not reverse.
func (v View) Pedals(acceleration float64) (throttle, brake float64) {
	a := v.a
	c := Controls{Gear: 1}
	idle := a.pedals(&c, max(a.state.Speed, 1e-9), a.state.Orientation.Pitch)
	if wanted := acceleration - idle; wanted >= 0 {
		c.Throttle = 1
		most := a.pedals(&c, max(a.state.Speed, 1e-9), a.state.Orientation.Pitch) - idle
		return min(wanted/most, 1), 0
	}
	return 0, min((idle-acceleration)/a.shape.Brake, 1)
}

// PedalsTo returns the pedal positions with which a vehicle reaches a speed of 0 m/s or more within
// about half a second. After a stop, the brake also holds the vehicle.
func (v View) PedalsTo(speed float64) (throttle, brake float64) {
	const soon, crawl = 0.5, 0.1 // s, m/s
	now := v.a.state.Speed
	if speed == 0 && math.Abs(now) < crawl {
		return 0, 1
	}
	return v.Pedals((speed - now) / soon)
}

// rolled returns the distance and the speed after a step. A vehicle that comes to a standstill
// stays at rest, and no vehicle reverses without the reverse gear.
func rolled(v, acceleration, h float64) (way, after float64) {
	after = v + float64(acceleration*h)
	if v != 0 && after*v < 0 {
		return -v * v / (2 * acceleration), 0
	}
	return float64(v*h) + float64(acceleration*h*h)/2, after
}

// arc returns the displacement and turn of a bicycle's rear axle over a distance with curvature k.
// It is exact for a constant curvature.
func arc(way, k, yaw float64) (x, y, turn float64) {
	turn = k * way
	chord := way * sinc(turn/2)
	sin, cos := portable.Sincos(yaw + turn/2)
	return chord * cos, chord * sin, turn
}

// sinc is sin(u)/u.
func sinc(u float64) float64 {
	if math.Abs(u) < 1e-3 {
		square := u * u
		return 1 - square/6 + float64(square*square)/120
	}
	return portable.Sin(u) / u
}

// The tires of the dynamic model. Values for a car of 1500 kg are scaled with the mass.
const (
	inertiaPerMass = 2500.0 / 1500
	frontStiffness = 80e3 / 1500
	rearStiffness  = 90e3 / 1500
)

// slip integrates lateral speed and yaw rate of the dynamic model over h, by Runge-Kutta steps of
// at most 2 ms.
func (d *driving) slip(v, steer, wheelbase, h float64) {
	const longest = 0.002
	front, rear := wheelbase*1.2/2.7, wheelbase*1.5/2.7
	slope := func(u, r float64) (du, dr float64) {
		alphaFront := steer - (u+float64(front*r))/v
		alphaRear := (float64(rear*r) - u) / v
		du = float64(frontStiffness*alphaFront) + float64(rearStiffness*alphaRear) - float64(v*r)
		dr = (float64(front*frontStiffness*alphaFront) - float64(
			rear*rearStiffness*alphaRear)) / inertiaPerMass
		return du, dr
	}
	n := max(1, math.Ceil(h/longest))
	step := h / n
	for range int(n) {
		u, r := d.lateral, d.yawRate
		u1, r1 := slope(u, r)
		u2, r2 := slope(u+float64(step/2*u1), r+float64(step/2*r1))
		u3, r3 := slope(u+float64(step/2*u2), r+float64(step/2*r2))
		u4, r4 := slope(u+float64(step*u3), r+float64(step*r3))
		d.lateral = u + float64(step/6*(u1+float64(2*u2)+float64(2*u3)+u4))
		d.yawRate = r + float64(step/6*(r1+float64(2*r2)+float64(2*r3)+r4))
	}
}
