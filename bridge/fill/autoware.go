package fill

import (
	"encoding/binary"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/proto/osi3"
)

// Labels of autoware_perception_msgs/ObjectClassification.
const (
	labelUnknown = iota
	labelCar
	labelTruck
	labelBus
	labelTrailer
	labelMotorcycle
	labelBicycle
	labelPedestrian
	labelAnimal
)

var vehicleLabels = map[osi3.MovingObject_VehicleClassification_Type]int64{
	osi3.MovingObject_VehicleClassification_TYPE_SMALL_CAR:            labelCar,
	osi3.MovingObject_VehicleClassification_TYPE_COMPACT_CAR:          labelCar,
	osi3.MovingObject_VehicleClassification_TYPE_CAR:                  labelCar,
	osi3.MovingObject_VehicleClassification_TYPE_LUXURY_CAR:           labelCar,
	osi3.MovingObject_VehicleClassification_TYPE_MICROMOBILITY_DEVICE: labelBicycle,
	osi3.MovingObject_VehicleClassification_TYPE_DELIVERY_VAN:         labelCar,
	osi3.MovingObject_VehicleClassification_TYPE_HEAVY_TRUCK:          labelTruck,
	osi3.MovingObject_VehicleClassification_TYPE_SEMITRACTOR:          labelTruck,
	osi3.MovingObject_VehicleClassification_TYPE_SEMITRAILER:          labelTrailer,
	osi3.MovingObject_VehicleClassification_TYPE_TRAILER:              labelTrailer,
	osi3.MovingObject_VehicleClassification_TYPE_MOTORBIKE:            labelMotorcycle,
	osi3.MovingObject_VehicleClassification_TYPE_BICYCLE:              labelBicycle,
	osi3.MovingObject_VehicleClassification_TYPE_BUS:                  labelBus,
	osi3.MovingObject_VehicleClassification_TYPE_WHEELCHAIR:           labelPedestrian,
	osi3.MovingObject_VehicleClassification_TYPE_STANDUP_SCOOTER:      labelBicycle,
}

// label returns the class of an object. A vehicle of unknown type counts as a car.
func label(t osi3.MovingObject_Type, c *osi3.MovingObject_VehicleClassification) int64 {
	switch t {
	case osi3.MovingObject_TYPE_VEHICLE:
		if l := vehicleLabels[c.GetType()]; l != labelUnknown {
			return l
		}
		return labelCar
	case osi3.MovingObject_TYPE_PEDESTRIAN:
		return labelPedestrian
	case osi3.MovingObject_TYPE_ANIMAL:
		return labelAnimal
	}
	return labelUnknown
}

// sighting is an object as described in Autoware's messages.
type sighting struct {
	id          uint64
	existence   float64
	classes     []any
	position    frames.Vector
	orientation frames.Orientation
	velocity    frames.Vector // in the axes of the object
	rate        float64       // about the vertical axis, rad/s
	size        *osi3.Dimension3D
}

func sight(id uint64, existence float64, b *osi3.BaseMoving, classes ...any) sighting {
	o := orientation(b.GetOrientation())
	axes := o.Rotation()
	return sighting{id: id, existence: existence, classes: classes,
		position: vector(b.GetPosition()), orientation: o,
		velocity: axes.Into(vector(b.GetVelocity())), rate: b.GetOrientationRate().GetYaw(),
		size: b.GetDimension()}
}

func class(l int64, probability float64) any {
	return map[string]any{"label": l, "probability": probability}
}

// sightings returns the detected objects of a SensorData, in the frame of the vehicle, or else all
// true objects except the host vehicle, in the frame of the map.
func (s *scene) sightings() (frame string, list []sighting, err error) {
	if s.Data != nil {
		for _, o := range s.Data.GetMovingObject() {
			var classes []any
			for _, c := range o.GetCandidate() {
				classes = append(classes, class(label(c.GetType(), c.GetVehicleClassification()),
					c.GetProbability()))
			}
			list = append(list, sight(o.GetHeader().GetTrackingId().GetValue(),
				o.GetHeader().GetExistenceProbability(), o.GetBase(), classes...))
		}
		return BaseLink, list, nil
	}
	truth := s.View.GetGlobalGroundTruth()
	if truth == nil {
		return "", nil, fault.New(ErrData, fault.At("topic "+s.topic), "no objects",
			"a ground truth or a SensorData")
	}
	host := s.hostObject()
	for _, o := range truth.GetMovingObject() {
		if o != host {
			list = append(list, sight(o.GetId().GetValue(), 1, o.GetBase(),
				class(label(o.GetType(), o.GetVehicleClassification()), 1)))
		}
	}
	return Map, list, nil
}

// shape returns the box of an object.
func (o *sighting) shape() map[string]any {
	return map[string]any{"dimensions": map[string]any{"x": o.size.GetLength(),
		"y": o.size.GetWidth(), "z": o.size.GetHeight()}}
}

func (o *sighting) twist() map[string]any {
	return map[string]any{"twist": map[string]any{"linear": xyz(o.velocity),
		"angular": map[string]any{"z": o.rate}}}
}

// detected returns a DetectedObjects.
func (s *scene) detected() (map[string]any, error) {
	const orientationAvailable = 2
	frame, list, err := s.sightings()
	objects := make([]any, 0, len(list))
	for _, o := range list {
		objects = append(objects, map[string]any{
			"existence_probability": o.existence, "classification": o.classes, "shape": o.shape(),
			"kinematics": map[string]any{
				"pose_with_covariance":     map[string]any{"pose": pose(o.position, o.orientation)},
				"orientation_availability": int64(orientationAvailable),
				"twist_with_covariance":    o.twist(), "has_twist": true,
			}})
	}
	return map[string]any{"header": s.header(frame), "objects": objects}, err
}

// Predicted paths.
const (
	pathPoints = 11
	pathStep   = 0.5 // s
)

// predicted returns a PredictedObjects: each object keeps its velocity and its yaw rate.
func (s *scene) predicted() (map[string]any, error) {
	frame, list, err := s.sightings()
	objects := make([]any, 0, len(list))
	for _, o := range list {
		path := map[string]any{"path": o.path(), "confidence": 1.0,
			"time_step": map[string]any{"nanosec": int64(pathStep * 1e9)}}
		objects = append(objects, map[string]any{
			"object_id": map[string]any{"uuid": o.uuid()}, "existence_probability": o.existence,
			"classification": o.classes, "shape": o.shape(),
			"kinematics": map[string]any{
				"initial_pose_with_covariance": map[string]any{"pose": pose(o.position,
					o.orientation)},
				"initial_twist_with_covariance": o.twist(), "predicted_paths": []any{path},
			}})
	}
	return map[string]any{"header": s.header(frame), "objects": objects}, err
}

// uuid returns the id as 16 bytes, most significant byte first.
func (o *sighting) uuid() (list []any) {
	for _, b := range binary.BigEndian.AppendUint64(make([]byte, 8), o.id) {
		list = append(list, int64(b))
	}
	return list
}

// path returns the predicted poses of an object.
func (o *sighting) path() (poses []any) {
	at, way := o.position, o.orientation
	for range pathPoints {
		poses = append(poses, pose(at, way))
		middle := way
		middle.Yaw += float64(o.rate * (pathStep / 2))
		axes := middle.Rotation()
		at = at.Add(axes.Apply(o.velocity).Scale(pathStep))
		way.Yaw += float64(o.rate * pathStep)
	}
	return poses
}
