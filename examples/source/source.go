package main

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/model"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

const (
	hostID    = 1 // of the host vehicle; the ids of other vehicles count up from it
	sensorID  = 10000
	firstPost = 20001
)

// source is the model.
type source struct {
	model.Stateless
	view   *model.Output
	config *model.Constant

	vehicles           int32
	speed, gap, radius float64
	mount              frames.Vector

	count int32
	valid bool

	posts    []*osi3.StationaryObject
	sensor   *osi3.Identifier
	mounting *osi3.MountingPosition
}

var (
	errCrowded = errors.New("too many vehicles")
	errConfig  = errors.New("not a SensorViewConfiguration")
)

// Setup checks that the vehicles fit on the road, creates the stationary objects and follows the
// configuration.
func (s *source) Setup(model.Environment) error {
	round := 2 * math.Pi * s.radius
	if room := len(lanes)*int(round/s.gap) - 1; int(s.vehicles) > room {
		return fmt.Errorf("%w: %d beside the host vehicle, but %d lanes of %.0f m hold %d at "+
			"gaps of %g m; lower "+
			"vehicles or gap, or raise road.radius", errCrowded, s.vehicles, len(lanes), round,
			room, s.gap)
	}
	for k := range int(round / postSpacing) {
		s.posts = append(s.posts,
			post(firstPost+uint64(k), s.radius, postSpacing*float64(k)/s.radius))
	}
	return s.configure(s.config.Bytes())
}

// configure takes the sensor's id and position from an encoded SensorViewConfiguration, which may
// lack both.
func (s *source) configure(encoded []byte) error {
	s.sensor, s.mounting = message.ID(sensorID), message.Mounting(frames.Pose{Position: s.mount})
	wanted := &osi3.SensorViewConfiguration{}
	if err := proto.Unmarshal(encoded, wanted); err != nil {
		return fmt.Errorf("SensorViewOutConfig: %w: found %d bytes: %w", errConfig, len(encoded),
			err)
	}
	if wanted.SensorId != nil {
		s.sensor = wanted.SensorId
	}
	if wanted.MountingPosition != nil {
		s.mounting = wanted.MountingPosition
	}
	return nil
}

// Step sends the state of the world at the end of the step.
func (s *source) Step(span timebase.Span) error {
	now := message.Time(span.End)
	truth := &osi3.GroundTruth{
		Version: message.Version(), Timestamp: now, HostVehicleId: message.ID(hostID),
		StationaryObject: s.posts, EnvironmentalConditions: weather(),
	}
	for k := range int(s.vehicles) + 1 {
		truth.MovingObject = append(truth.MovingObject, s.vehicle(k, span.End.Seconds()))
	}
	s.count, s.valid = s.vehicles+1, true
	return message.Publish(s.view, &osi3.SensorView{
		Version: message.Version(), Timestamp: now, SensorId: s.sensor,
		HostVehicleId: message.ID(hostID), MountingPosition: s.mounting,
		HostVehicleData: s.hostData(truth.MovingObject[0], now), GlobalGroundTruth: truth,
	})
}

// vehicle returns vehicle k at time t in seconds.
func (s *source) vehicle(k int, t float64) *osi3.MovingObject {
	l := lanes[k%len(lanes)]
	slot := k / len(lanes)
	ahead := float64((slot + 1) / 2) // 0, 1, -1, 2, -2, ...
	if slot%2 == 0 {
		ahead = -ahead
	}
	start := s.gap * (ahead + float64(k%len(lanes))/float64(len(lanes)))
	return movingObject(hostID+uint64(k), l.body, l.on(s.radius, s.speed, start, t))
}

// hostData returns the host vehicle's data about itself, without error. Its motion is the motion of
// the middle of the rear axle in the frame of the vehicle (OSI, HostVehicleData.VehicleMotion),
// which turns about the centre of its box.
func (s *source) hostData(host *osi3.MovingObject, now *osi3.Timestamp) *osi3.HostVehicleData {
	base := host.Base
	yaw, turning := base.Orientation.GetYaw(), base.OrientationRate.GetYaw()
	arm := lanes[0].body.rear()
	centre := frames.Vector{X: base.Position.GetX(), Y: base.Position.GetY(),
		Z: base.Position.GetZ()}
	return &osi3.HostVehicleData{
		Version: message.Version(), Timestamp: now, HostVehicleId: host.Id, Location: base,
		VehicleLocalization: &osi3.HostVehicleData_VehicleLocalization{
			Position: base.Position, Orientation: base.Orientation,
		},
		VehicleMotion: &osi3.HostVehicleData_VehicleMotion{
			Position:    message.Vector(centre.Add(frames.RotateZ(arm, yaw))),
			Orientation: base.Orientation, OrientationRate: base.OrientationRate,
			Velocity: message.Vector(frames.Vector{X: s.speed, Y: turning * arm.X}),
			Acceleration: message.Vector(frames.Vector{X: -turning * turning * arm.X,
				Y: turning * s.speed}),
			CurrentCurvature: proto.Float64(1 / s.radius),
		},
	}
}
