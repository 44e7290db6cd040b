package participant

import (
	"fmt"
	"math"

	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/timebase"
)

// request holds the values of the inputs.
type request struct {
	control bool
	assist  float64
	pedals  mocksim.Controls
	speed   float64 // m/s; negative: the pedals apply
}

// read reads the bound inputs.
func (p *Participant) read() (r request, err error) {
	r.pedals.Gear, r.speed = 1, -1
	share := func(k int, port cosim.Port) float64 {
		v := p.in.Float(k, 0)
		if !(v >= 0 && v <= 1) {
			err = fault.New(ErrVariable, fault.At(p.variables[port.Variable].Name), fmt.Sprint(v),
				"0 to 1")
		}
		return v
	}
	for k, port := range p.in.Ports {
		switch port.Variable {
		case control:
			r.control = p.in.Integer(k, 0) != 0
		case throttle:
			r.pedals.Throttle = share(k, port)
		case brake:
			r.pedals.Brake = share(k, port)
		case steering:
			r.pedals.SteeringWheel = p.in.Float(k, 0)
		case gear:
			r.pedals.Gear = int(p.in.Integer(k, 0))
		case brakeRequest:
			r.assist = share(k, port)
		case targetSpeed:
			if r.speed = p.in.Float(k, 0); !(r.speed >= 0) || math.IsInf(r.speed, 1) {
				err = fault.New(ErrVariable, fault.At("host.targetSpeed"), fmt.Sprint(r.speed),
					"a speed in m/s, 0 or more")
			}
		case tireAngle: // after the steering wheel
			r.pedals.SteeringWheel = mocksim.SteeringRatio * p.in.Float(k, 0)
		}
	}
	return r, err
}

// press returns the pedal positions with which the host vehicle reaches a speed.
func (p *Participant) press(c *mocksim.Controls, speed float64) error {
	host, err := p.w.Actor(p.scene.Truth.Host)
	if err == nil {
		c.Throttle, c.Brake = host.PedalsTo(speed)
	}
	return err
}

// apply passes the inputs to the world.
func (p *Participant) apply(end timebase.Time) error {
	if len(p.in.Ports) == 0 {
		return nil
	}
	for _, d := range p.desks {
		if err := d.listen(p.in, end); err != nil {
			return err
		}
	}
	r, err := p.read()
	if err != nil {
		return err
	}
	host := p.scene.Truth.Host
	if err := p.w.Assist(host, r.assist); err != nil {
		return err
	}
	if r.control {
		p.driven = true
		if r.speed >= 0 {
			if err := p.press(&r.pedals, r.speed); err != nil {
				return err
			}
		}
		return p.w.SetPedals(host, r.pedals)
	}
	if p.driven { // back to a driver that follows the lane
		p.driven = false
		return p.w.SetController(host, mocksim.Controller{})
	}
	return nil
}
