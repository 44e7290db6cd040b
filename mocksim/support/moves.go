package support

import (
	"context"
	"fmt"
	"strings"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/simapi"
)

// SetXYTrajectory passes a trajectory to the world.
func (s *Simulator) SetXYTrajectory(_ context.Context, r *simapi.SetXyTrajectory) error {
	t := mocksim.Trajectory{}
	var err error
	if t.Start, err = fromMs("start_time_ms", r.GetStartTimeMs()); err != nil {
		return err
	}
	if t.End, err = fromMs("end_time_ms", r.GetEndTimeMs()); err != nil {
		return err
	}
	for _, c := range r.GetPolyline() {
		t.Points = append(t.Points, mocksim.Point{X: c.GetX(), Y: c.GetY(), Z: c.GetZ(),
			Roll: c.GetRoll(), Pitch: c.GetPitch(),
			Yaw: c.GetYaw(), Given: given(c)})
	}
	_, err = s.w.SetTrajectory(r.GetActorId(), t)
	return s.moved(r.GetActorId(), err)
}

// SetDynamicMove passes controls to the world.
func (s *Simulator) SetDynamicMove(_ context.Context, r *simapi.SetDynamicMove) error {
	d := mocksim.Drive{}
	var err error
	if d.Start, err = fromMs("start_time_ms", r.GetStartTimeMs()); err != nil {
		return err
	}
	if d.Step, err = fromMs("step_ms", r.GetStepMs()); err != nil {
		return err
	}
	for _, c := range r.GetControls() {
		k := ParseControls(c)
		// neutral or automatic: the simulator's gearbox is automatic
		if k.Gear == 0 {
			k.Gear = 1
		}
		d.Controls = append(d.Controls, k)
	}
	_, err = s.w.SetControls(r.GetActorId(), d)
	return s.moved(r.GetActorId(), err)
}

// SetExternalController lets the simulator drive. Unknown keys are ignored, and reported by an
// event.
func (s *Simulator) SetExternalController(_ context.Context,
	r *simapi.SetExternalController) error {
	driver, unknown, err := mocksim.ParseDriver(properties(r.GetParameters()))
	if err != nil {
		return coded(err)
	}
	c := mocksim.Controller{Driver: driver}
	if t := r.GetTarget(); t != nil {
		c.Target = &frames.Vector{X: t.GetX(), Y: t.GetY(), Z: t.GetZ()}
	}
	err = s.w.SetController(r.GetActorId(), c)
	if err = s.moved(r.GetActorId(), err); err != nil {
		return err
	}
	if len(unknown) > 0 {
		s.events = append(s.events,
			&simapi.Event{Kind: "ignored", ActorId: []string{r.GetActorId()},
				TimeMs: s.scale.Milliseconds(s.w.Time()),
				Message: fmt.Sprintf("set_external_controller %s: found the parameters %s, "+
					"expected %s; they are ignored", r.GetActorId(),
					strings.Join(unknown, ", "), strings.Join(mocksim.DriverParameters(), ", "))})
	}
	return nil
}
