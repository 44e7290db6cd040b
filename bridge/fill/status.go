package fill

import (
	"gosmp/internal/fault"
	"gosmp/proto/osi3"
)

// Values of the reports of autoware_vehicle_msgs.
const (
	gearNeutral, gearDrive, gearReverse  = 1, 2, 20
	turnDisabled, turnLeft, turnRight    = 1, 2, 3
	hazardLightsDisabled, hazardLightsOn = 1, 2

	indicatorLeft  = osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_LEFT
	indicatorRight = osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_RIGHT
	hazard         = osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_WARNING
)

// velocityReport returns the motion of the rear axle, in the axes of the vehicle.
func (s *scene) velocityReport() (map[string]any, error) {
	h, err := s.host()
	if err != nil {
		return nil, err
	}
	return map[string]any{"header": s.header(BaseLink), "longitudinal_velocity": h.velocity.X,
		"lateral_velocity": h.velocity.Y, "heading_rate": h.rate.Z}, nil
}

// gearReport returns the gear: below 0 reverse, 0 neutral, above 0 drive.
func (s *scene) gearReport() (map[string]any, error) {
	train := s.View.GetHostVehicleData().GetVehiclePowertrain()
	if train == nil {
		return nil, fault.New(ErrData, fault.At("topic "+s.topic), "no gear",
			"host_vehicle_data.vehicle_powertrain of a SensorView")
	}
	report := gearDrive
	switch gear := train.GetGearTransmission(); {
	case gear < 0:
		report = gearReverse
	case gear == 0:
		report = gearNeutral
	}
	return map[string]any{"stamp": s.stamp(), "report": int64(report)}, nil
}

// indicators returns the indicators of the host vehicle.
func (s *scene) indicators() (osi3.MovingObject_VehicleClassification_LightState_IndicatorState,
	error) {
	o := s.hostObject()
	if o.GetVehicleClassification().GetLightState() == nil {
		return 0, fault.New(ErrData, fault.At("topic "+s.topic), "no lights of the host vehicle",
			"vehicle_classification.light_state of the moving object with the id host_vehicle_id")
	}
	return o.GetVehicleClassification().GetLightState().GetIndicatorState(), nil
}

func (s *scene) turnReport() (map[string]any, error) {
	state, err := s.indicators()
	if err != nil {
		return nil, err
	}
	report := turnDisabled
	switch state {
	case indicatorLeft:
		report = turnLeft
	case indicatorRight:
		report = turnRight
	}
	return map[string]any{"stamp": s.stamp(), "report": int64(report)}, nil
}

func (s *scene) hazardReport() (map[string]any, error) {
	state, err := s.indicators()
	if err != nil {
		return nil, err
	}
	report := hazardLightsDisabled
	if state == hazard {
		report = hazardLightsOn
	}
	return map[string]any{"stamp": s.stamp(), "report": int64(report)}, nil
}
