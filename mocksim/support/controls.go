package support

import (
	"gosmp/mocksim"
	"gosmp/simapi"
)

// SteeringRatio is the ratio of the steering wheel angle to the angle of the front wheels.
const SteeringRatio = 16.0

// lamps lists the lamps by the bits of the API.
var lamps = [...]mocksim.Lights{mocksim.LowBeam, mocksim.HighBeam, mocksim.FogFront,
	mocksim.BrakeLamps, mocksim.ReversingLamps}

// ControlsOf returns the pedals, the steering wheel and the lamps of an actor that are on.
func ControlsOf(s *mocksim.State) *simapi.ActorControls {
	return FormatControls(&mocksim.Controls{Throttle: s.Throttle, Brake: s.Brake,
		SteeringWheel: s.Steering * SteeringRatio, Gear: s.Gear, Indicator: s.Indicator,
		Lights: s.Lit()})
}

// FormatControls converts controls of the world.
func FormatControls(c *mocksim.Controls) *simapi.ActorControls {
	r := &simapi.ActorControls{Throttle: c.Throttle, Brake: c.Brake,
		SteeringWheelAngle: c.SteeringWheel, Gear: int32(c.Gear),
		Indicator: simapi.Indicator_INDICATOR_OFF + simapi.Indicator(c.Indicator)}
	for bit, lamp := range lamps {
		if c.Lights&lamp != 0 {
			r.Lights |= 1 << bit
		}
	}
	return r
}

// ParseControls converts controls of the API.
func ParseControls(c *simapi.ActorControls) mocksim.Controls {
	r := mocksim.Controls{Throttle: c.GetThrottle(), Brake: c.GetBrake(),
		SteeringWheel: c.GetSteeringWheelAngle(), Gear: int(c.GetGear())}
	if i := c.GetIndicator(); i > simapi.Indicator_INDICATOR_OFF {
		r.Indicator = mocksim.Indicator(i - simapi.Indicator_INDICATOR_OFF)
	}
	for bit, lamp := range lamps {
		if c.GetLights()&(1<<bit) != 0 {
			r.Lights |= lamp
		}
	}
	return r
}
