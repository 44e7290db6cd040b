package message

import (
	"errors"
	"fmt"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/proto/osi3"
)

// ErrHostVehicle is the kind of error for a SensorView without a host vehicle.
var ErrHostVehicle = errors.New("no host vehicle")

// HostVehicle returns the moving object that carries the sensor: the first one with the id
// GroundTruth.host_vehicle_id, or SensorView.host_vehicle_id if that is missing. The error, of kind
// [ErrHostVehicle], describes what is missing from the view.
func HostVehicle(view *osi3.SensorView) (*osi3.MovingObject, error) {
	truth := view.GetGlobalGroundTruth()
	id := truth.GetHostVehicleId()
	if id == nil {
		id = view.GetHostVehicleId()
	}
	if id == nil {
		return nil, fault.New(ErrHostVehicle, fault.At("SensorView"),
			"host_vehicle_id in neither GroundTruth nor SensorView", "the id of a moving object")
	}
	for _, o := range truth.GetMovingObject() {
		if o.Id != nil && o.Id.GetValue() == id.GetValue() {
			return o, nil
		}
	}
	return nil, fault.New(ErrHostVehicle, fault.At("SensorView"),
		fmt.Sprintf("host_vehicle_id %d, which none of the %d moving objects has", id.GetValue(),
			len(truth.GetMovingObject())), "the id of a moving object")
}

// RearAxle returns the vehicle frame of an object in the world: its origin is the middle of the
// rear axle, and its axes are the axes of the bounding box (OSI 3.8.0,
// SensorData.mounting_position). Without bbcenter_to_rear, the origin is the center of the box.
// Positions relative to the vehicle are
//
//	axle := message.RearAxle(vehicle)
//	attitude := axle.Orientation.Rotation()
//	relative := attitude.Into(position.Sub(axle.Position))
func RearAxle(vehicle *osi3.MovingObject) frames.Pose {
	base := vehicle.GetBase()
	orientation := OrientationOf(base.GetOrientation())
	attitude := orientation.Rotation()
	rear := attitude.Apply(VectorOf(vehicle.GetVehicleAttributes().GetBbcenterToRear()))
	return frames.Pose{Position: VectorOf(base.GetPosition()).Add(rear), Orientation: orientation}
}
