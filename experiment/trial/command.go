package trial

import (
	"fmt"
	"math"

	"gosmp/frames"
	"gosmp/mocksim/seat"
	"gosmp/timebase"
)

// command sends a TrafficCommand to the participant that drives a vehicle. Actions that the
// participant dismisses are returned as the event dismissed.
func (t *Trial) command(a *action) error {
	w, err := t.simulated("command")
	if err != nil {
		return err
	}
	d := w.desk(a.Name)
	if d == nil || !w.commands(a.Name) {
		return impossible("command", fmt.Sprintf("%q", a.Name),
			"a vehicle whose driver accepts TrafficCommands")
	}
	if a.Reason == "end" || a.Reason == "abort" {
		return d.stop(a.Reason)
	}
	order, err := a.order(w)
	if err != nil {
		return err
	}
	d.orders.Begin(&order)
	return nil
}

// commands reports whether a participant reads the TrafficCommands to a vehicle.
func (p *world) commands(name string) bool {
	for port := range p.out.Ports {
		n := p.out.Ports[port].Variable
		if p.vehicles[n/perVehicle] == name && n%perVehicle == firstBeside+command {
			return true
		}
	}
	return false
}

// stop ends or aborts all pending actions.
func (d *desk) stop(how string) error {
	for _, id := range d.orders.Pending() {
		if how == "end" {
			d.orders.End(id)
		} else {
			d.orders.Abort(id)
		}
	}
	return nil
}

// order returns the action that the fields of an event describe.
func (a *action) order(w *world) (order seat.Action, err error) {
	order = seat.Action{Duration: a.Duration, Distance: a.Distance}
	v, err := w.Actor(a.Name)
	if err != nil {
		return order, err
	}
	middle := v.State().Position.Z + v.Shape().Height/2
	switch {
	case len(a.Points) > 0:
		order.Order = seat.OrderTrajectory
		order.Points, err = a.trajectory(middle)
	case a.X != nil && a.Y != nil:
		order.Order = seat.OrderPosition
		if a.Teleport {
			order.Order = seat.OrderTeleport
		}
		order.Place = pose(*a.X, *a.Y, middle, a.Yaw)
	case a.Text != "":
		order.Order, order.Text, order.Type = seat.OrderCustom, a.Text, a.Type
	case a.Lanes != 0:
		order.Order, order.Lanes = seat.OrderLanes, a.Lanes
	case a.Speed != nil:
		order.Order, order.Speed = seat.OrderSpeed, *a.Speed
	default:
		return order, impossible("command", "nothing to do",
			"speed, lanes, x and y, points, or text")
	}
	return order, err
}

func pose(x, y, z float64, yaw *float64) seat.Pose {
	p := seat.Pose{Position: frames.Vector{X: x, Y: y, Z: z}}
	if yaw != nil {
		p.Orientation.Yaw, p.Turned = *yaw, true
	}
	return p
}

// trajectory returns the points of an action. Their heights refer to the middle of the box; the
// default is the given height.
func (a *action) trajectory(middle float64) (list []seat.Pose, err error) {
	last := math.Inf(-1)
	for k := range a.Points {
		q := &a.Points[k]
		z := q.Z
		if z == 0 {
			z = middle
		}
		p := pose(q.X, q.Y, z, q.Yaw)
		if p.Time, err = timebase.FromSeconds(q.Time); err != nil || q.Time <= last {
			return nil, impossible("command", fmt.Sprintf("a point at %v s", q.Time),
				"increasing times in s")
		}
		last = q.Time
		list = append(list, p)
	}
	return list, nil
}
