package participant

import "gosmp/cosim"

// quantities lists the variables of an actor.
var quantities = [...]struct{ name, unit string }{{"x", "m"}, {"y", "m"}, {"z", "m"},
	{"yaw", "rad"}, {"speed", "m/s"},
	{"acceleration", "m/s2"}, {"s", "m"}}

// fill writes the bound outputs. Messages contain the map if withMap is true or if the scene always
// requires it.
func (p *Participant) fill(withMap bool) error {
	if withMap {
		p.messages.restart()
	}
	for k, port := range p.out.Ports {
		if p.variables[port.Variable].Role == cosim.Input {
			continue // a recorder watches an unconnected input
		}
		switch n := port.Variable; n {
		case sensorView, groundTruth, configuration:
			b, err := p.messages.of(n)
			if err != nil {
				return err
			}
			p.out.SetBlob(k, 0, b)
		case count:
			p.out.SetInteger(k, 0, int64(p.w.Len()))
		case collisions:
			p.out.SetInteger(k, 0, p.hits)
		default:
			if n >= p.firstMore() {
				if err := p.fillMore(k, n-p.firstMore()); err != nil {
					return err
				}
				continue
			}
			p.out.SetFloat(k, 0, p.quantity(n-firstActor))
		}
	}
	return nil
}

// quantity returns the value of a variable of an actor.
func (p *Participant) quantity(n int) float64 {
	v, err := p.w.Actor(p.names[n/len(quantities)])
	if err != nil { // the actor is gone and its last value is unknown
		return 0
	}
	s := v.State()
	switch n % len(quantities) {
	case 0:
		return s.Position.X
	case 1:
		return s.Position.Y
	case 2:
		return s.Position.Z
	case 3:
		return s.Orientation.Yaw
	case 4:
		return s.Speed
	case 5:
		return s.Along
	}
	return v.Place().S
}
