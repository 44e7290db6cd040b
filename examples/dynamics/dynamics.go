package main

import (
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/model"
	"gosmp/model/message"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// dynamics is the vehicle; at is the middle of its rear axle.
type dynamics struct {
	in                        *model.Input
	out                       *model.Output
	throttle, brake, wheel    float64
	gear                      int32
	fastest, hardest, drag    float64 // m/s2
	ratio, wheelbase          float64
	begun                     bool
	at                        frames.Vector
	yaw, speed, before, steer float64
	middle                    float64 // m from the rear axle to the middle of the box
	id                        *osi3.Identifier
}

func newDynamics(d *model.Declaration) model.Model {
	m := &dynamics{in: d.Input(osmp.SensorViewIn), out: d.Output(osmp.TrafficUpdateOut)}
	share, a := model.Unit("1"), model.Unit("m/s2")
	model.PlainInput(d, &m.throttle, "throttle", 0, "accelerator pedal, 0 to 1", share)
	model.PlainInput(d, &m.brake, "brake", 0, "brake pedal, 0 to 1", share)
	model.PlainInput(d, &m.wheel, "steeringWheelAngle", 0, "positive to the left",
		model.Unit("rad"))
	model.PlainInput(d, &m.gear, "gear", 1, "-1 reverse, 0 neutral, 1 and above forward")
	model.Parameter(d, &m.fastest, "acceleration.most", 4, "at full throttle", a)
	model.Parameter(d, &m.hardest, "brake.most", 9, "at full brake", a)
	model.Parameter(d, &m.drag, "drag", 0.15, "resistance while it moves", a)
	model.Parameter(d, &m.ratio, "steering.ratio", 16, "steering wheel to front wheels", share)
	model.Parameter(d, &m.wheelbase, "wheelbase", 2.7, "distance of the axles", model.Unit("m"))
	model.PlainOutput(d, &m.speed, "speed", "at the end of the step", model.Unit("m/s"))
	return m
}

func (m *dynamics) Setup(model.Environment) error { return nil }

// Step implements model.Model.
func (m *dynamics) Step(span timebase.Span) error {
	if !m.begun {
		var view osi3.SensorView
		if !message.Read(m.in, &view) { // nowhere to begin
			return message.Publish(m.out, nil)
		}
		if err := m.begin(&view); err != nil {
			return err
		}
	}
	m.move(span.Length().Seconds())
	return message.Publish(m.out, &osi3.TrafficUpdate{Version: message.Version(),
		Timestamp: message.Time(span.End), Update: []*osi3.MovingObject{m.object(span)},
		InternalState: []*osi3.HostVehicleData{m.inside()}})
}

// begin takes over the pose and the speed of the vehicle.
func (m *dynamics) begin(view *osi3.SensorView) error {
	host, err := message.HostVehicle(view)
	if err != nil {
		return err
	}
	base := host.GetBase()
	m.begun, m.id, m.yaw = true, host.Id, base.GetOrientation().GetYaw()
	m.middle = m.wheelbase / 2
	if rear := host.GetVehicleAttributes().GetBbcenterToRear(); rear != nil {
		m.middle = -rear.GetX()
	}
	m.at = message.VectorOf(base.Position).Sub(frames.RotateZ(frames.Vector{X: m.middle}, m.yaw))
	m.speed = frames.RotateZ(message.VectorOf(base.Velocity), -m.yaw).X
	return nil
}

// move advances the vehicle by h seconds.
func (m *dynamics) move(h float64) {
	direction := math.Copysign(1, float64(m.gear))
	a := direction * m.throttle * m.fastest
	if m.gear == 0 || m.brake > 0 {
		a = 0
	}
	if m.speed != 0 {
		a -= math.Copysign(m.brake*m.hardest+m.drag, m.speed)
	} else if m.brake > 0 || math.Abs(a) < m.drag {
		a = 0
	}
	m.before = m.speed
	way := m.speed*h + a*h*h/2
	if m.speed = m.before + a*h; m.speed*m.before < 0 { // the brake only stops it
		way, m.speed = -m.before*m.before/(2*a), 0
	}
	m.steer = m.wheel / m.ratio
	turn := math.Tan(m.steer) / m.wheelbase * way
	chord := way
	if q := turn / 2; math.Abs(q) > 1e-6 {
		chord *= math.Sin(q) / q
	}
	m.at = m.at.Add(frames.RotateZ(frames.Vector{X: chord}, m.yaw+turn/2))
	m.yaw = frames.WrapAngle(m.yaw + turn)
}

// object returns the motion of the middle of the box.
func (m *dynamics) object(span timebase.Span) *osi3.MovingObject {
	rate := m.speed * math.Tan(m.steer) / m.wheelbase
	a := (m.speed - m.before) / max(span.Length().Seconds(), 1e-3)
	turned := func(x, y float64) *osi3.Vector3D {
		return message.Vector(frames.RotateZ(frames.Vector{X: x, Y: y}, m.yaw))
	}
	p := m.at.Add(frames.RotateZ(frames.Vector{X: m.middle}, m.yaw))
	return &osi3.MovingObject{Id: m.id, Base: &osi3.BaseMoving{
		Position:        &osi3.Vector3D{X: &p.X, Y: &p.Y},
		Orientation:     &osi3.Orientation3D{Yaw: proto.Float64(m.yaw)},
		OrientationRate: &osi3.Orientation3D{Yaw: &rate},
		Velocity:        turned(m.speed, rate*m.middle),
		Acceleration:    turned(a-rate*rate*m.middle, m.speed*rate)},
		VehicleAttributes: &osi3.MovingObject_VehicleAttributes{
			SteeringWheelAngle: proto.Float64(m.wheel)}}
}

// inside returns the internal state of the vehicle.
func (m *dynamics) inside() *osi3.HostVehicleData {
	return &osi3.HostVehicleData{HostVehicleId: m.id,
		VehiclePowertrain: &osi3.HostVehicleData_VehiclePowertrain{
			PedalPositionAcceleration: proto.Float64(m.throttle),
			GearTransmission:          proto.Int32(m.gear)},
		VehicleBrakeSystem: &osi3.HostVehicleData_VehicleBrakeSystem{
			PedalPositionBrake: proto.Float64(m.brake)},
		VehicleSteering: &osi3.HostVehicleData_VehicleSteering{
			VehicleSteeringWheel: &osi3.VehicleSteeringWheel{Angle: proto.Float64(m.wheel)}}}
}
