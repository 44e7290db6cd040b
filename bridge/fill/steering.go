package fill

import (
	"math"

	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/proto/osi3"
)

// steeringReport returns the tire angle, positive to the left.
func (s *scene) steeringReport() (map[string]any, error) {
	angle, known := s.tireAngle()
	if !known {
		return nil, fault.New(ErrData, fault.At("topic "+s.topic), "no tire angle",
			"wheel_data.orientation of the host vehicle, its motion, or the angle of its "+
				"steering wheel")
	}
	return map[string]any{"stamp": s.stamp(), "steering_tire_angle": angle}, nil
}

// tireAngle returns the mean angle of the front wheels if the message has it; or else the angle
// that results from the motion and the wheelbase of the vehicle; or else, at standstill, the
// steering wheel angle divided by the ratio of a typical car, which gosmp's own vehicles also use.
func (s *scene) tireAngle() (angle float64, known bool) {
	const moving, ratio = 0.5, 16 // m/s
	o := s.hostObject()
	if angle, known = frontWheels(o.GetVehicleAttributes()); known {
		return angle, true
	}
	rear, front := o.GetVehicleAttributes().GetBbcenterToRear(),
		o.GetVehicleAttributes().GetBbcenterToFront()
	wheelbase := front.GetX() - rear.GetX()
	if h, err := s.host(); err == nil && rear != nil && front != nil && wheelbase > 0 &&
		math.Abs(h.velocity.X) > moving {
		return portable.Atan2(wheelbase*h.rate.Z, math.Abs(h.velocity.X)) *
			math.Copysign(1, h.velocity.X), true
	}
	if w := s.View.GetHostVehicleData().GetVehicleSteering().GetVehicleSteeringWheel(); w != nil &&
		w.Angle != nil {
		return w.GetAngle() / ratio, true
	}
	return 0, false
}

// frontWheels returns the mean yaw of the wheels of the front axle, which is axle 0.
func frontWheels(a *osi3.MovingObject_VehicleAttributes) (angle float64, known bool) {
	sum, wheels := 0.0, 0.0
	for _, w := range a.GetWheelData() {
		if w.GetAxle() == 0 && w.GetOrientation() != nil && w.GetOrientation().Yaw != nil {
			sum, wheels = sum+w.GetOrientation().GetYaw(), wheels+1
		}
	}
	return sum / max(wheels, 1), wheels > 0
}

// Modes of autoware_vehicle_msgs/ControlModeReport.
const (
	modeAutonomous, modeSteerOnly, modeVelocityOnly = 1, 2, 3
	modeManual                                      = 4
)

// functions maps automated driving functions to the driving tasks that they perform.
var functions = map[osi3.HostVehicleData_VehicleAutomatedDrivingFunction_Name]struct {
	steers, accelerates bool
}{
	osi3.HostVehicleData_VehicleAutomatedDrivingFunction_NAME_URBAN_DRIVING:     {true, true},
	osi3.HostVehicleData_VehicleAutomatedDrivingFunction_NAME_HIGHWAY_AUTOPILOT: {true, true},
	osi3.HostVehicleData_VehicleAutomatedDrivingFunction_NAME_ACTIVE_DRIVING_ASSISTANCE: {true,
		true},
	osi3.HostVehicleData_VehicleAutomatedDrivingFunction_NAME_LANE_KEEPING_ASSIST: {true, false},
	osi3.HostVehicleData_VehicleAutomatedDrivingFunction_NAME_ADAPTIVE_CRUISE_CONTROL: {false,
		true},
	osi3.HostVehicleData_VehicleAutomatedDrivingFunction_NAME_CRUISE_CONTROL: {false, true},
}

// modeReport reports which party drives: the stack, if its engagement is known, or else the active
// functions of the vehicle, or else a driver.
func (s *scene) modeReport() (map[string]any, error) {
	if _, err := s.host(); err != nil {
		return nil, err
	}
	steers, accelerates := false, false
	if s.Engaged != nil {
		steers, accelerates = *s.Engaged, *s.Engaged
	} else {
		for _, f := range s.View.GetHostVehicleData().GetVehicleAutomatedDrivingFunction() {
			if f.GetState() == osi3.HostVehicleData_VehicleAutomatedDrivingFunction_STATE_ACTIVE {
				steers = steers || functions[f.GetName()].steers
				accelerates = accelerates || functions[f.GetName()].accelerates
			}
		}
	}
	mode := modeManual
	switch {
	case steers && accelerates:
		mode = modeAutonomous
	case steers:
		mode = modeSteerOnly
	case accelerates:
		mode = modeVelocityOnly
	}
	return map[string]any{"stamp": s.stamp(), "mode": int64(mode)}, nil
}
