package main

import (
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/timebase"
)

const hostVehicle = 1000

// sensorView returns what the sensor sees at an instant: the host vehicle, and others in a row
// ahead of it.
func (p *partner) sensorView(at timebase.Time) *osi3.SensorView {
	vehicles := uint64(max(p.values.Integers[p.refs.vehicles], 1))
	truth := &osi3.GroundTruth{Version: version(), Timestamp: timestamp(at),
		HostVehicleId: identifier(hostVehicle)}
	for n := range p.steps%vehicles + 1 {
		truth.MovingObject = append(truth.MovingObject, vehicle(n, at))
	}
	return &osi3.SensorView{
		Version: version(), Timestamp: timestamp(at), SensorId: identifier(1),
		HostVehicleId:     identifier(hostVehicle),
		MountingPosition:  &osi3.MountingPosition{Position: &osi3.Vector3D{X: proto.Float64(3.5)}},
		GlobalGroundTruth: truth,
	}
}

// vehicle returns the n-th vehicle, counted from the host; all drive straight ahead at 10 m/s.
func vehicle(n uint64, at timebase.Time) *osi3.MovingObject {
	return &osi3.MovingObject{
		Id: identifier(hostVehicle + n), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
		Base: &osi3.BaseMoving{
			Dimension: &osi3.Dimension3D{Length: proto.Float64(4.5), Width: proto.Float64(1.8),
				Height: proto.Float64(1.5)},
			Position: &osi3.Vector3D{X: proto.Float64(10*at.Seconds() + 12*float64(n)),
				Y: proto.Float64(0), Z: proto.Float64(0.75)},
			Orientation: &osi3.Orientation3D{Roll: proto.Float64(0), Pitch: proto.Float64(0),
				Yaw: proto.Float64(0)},
			Velocity: &osi3.Vector3D{X: proto.Float64(10), Y: proto.Float64(0),
				Z: proto.Float64(0)},

			OrientationRate: &osi3.Orientation3D{Roll: proto.Float64(0), Pitch: proto.Float64(0),
				Yaw: proto.Float64(0)},
		},
		VehicleAttributes: &osi3.MovingObject_VehicleAttributes{
			BbcenterToRear: &osi3.Vector3D{X: proto.Float64(-1.4), Y: proto.Float64(0),
				Z: proto.Float64(-0.4)},
		},
		VehicleClassification: &osi3.MovingObject_VehicleClassification{
			Type: osi3.MovingObject_VehicleClassification_TYPE_MEDIUM_CAR.Enum(),
		},
	}
}

func version() *osi3.InterfaceVersion {
	return &osi3.InterfaceVersion{VersionMajor: proto.Uint32(3), VersionMinor: proto.Uint32(8),
		VersionPatch: proto.Uint32(0)}
}

func timestamp(at timebase.Time) *osi3.Timestamp {
	seconds, nanos := at.Split()
	return &osi3.Timestamp{Seconds: &seconds, Nanos: &nanos}
}

func identifier(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: proto.Uint64(n)} }
