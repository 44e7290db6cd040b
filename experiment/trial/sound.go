package trial

import (
	"fmt"
	"math"

	"gosmp/mocksim"
)

// sound examines values of an action that are wrong in every state of a trial, so that check finds
// them, too.
func (a *action) sound(event string) (err error) {
	switch event {
	case "create":
		if a.Kind != "" {
			_, err = mocksim.ParseKind(a.Kind)
		}
	case "controls":
		c := a.pedals()
		err = c.Check(event)
	case "drive":
		d := a.driver().controller().Driver
		err = d.Check(event)
	case "command":
		if !(a.Duration >= 0 && a.Distance >= 0) {
			return impossible(event, "a negative duration or distance", "0 or more")
		}
		if len(a.Points) > 0 {
			_, err = a.trajectory(0)
		}
	case "watch.zone":
		if !(a.Radius > 0) {
			return impossible(event, fmt.Sprintf("a radius of %v m", a.Radius), "a radius above 0")
		}
	case "extend":
		if !(a.Seconds > 0) || math.IsInf(a.Seconds, 0) {
			return impossible(event, fmt.Sprintf("%v seconds", a.Seconds), "more than 0")
		}
	}
	return err
}

// pedals returns the controls of a vehicle.
func (a *action) pedals() mocksim.Controls {
	return mocksim.Controls{Throttle: a.Throttle, Brake: a.Brake, SteeringWheel: a.Steering,
		Gear: 1}
}

// driver returns how a vehicle drives along its lane.
func (a *action) driver() driver { return driver{orZero(a.Speed), a.Accel, a.Decel} }
