package reference

import (
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// Detector is a sensor that detects objects.
type Detector struct {
	config   objects.Config
	cycle    uint64
	skipped  uint64
	next     uint64
	tracks   map[trackKey]*track
	problems objects.Problems
}

type trackKey struct {
	kind objects.Kind
	id   uint64
}

type track struct {
	number uint64
	since  timebase.Time
	seen   uint64
	moved  bool
}

// New returns a detector for a configuration that passed its check.
func New(c objects.Config) *Detector {
	return &Detector{config: c, next: 1, tracks: map[trackKey]*track{}}
}

// Problems returns the anomalies of the newest view.
func (d *Detector) Problems() objects.Problems { return d.problems }

func (d *Detector) note(p objects.Problem) { d.problems = d.problems.With(p) }

// frame is one view while it is processed.
type frame struct {
	view       *osi3.SensorView
	truth      *osi3.GroundTruth
	now        timebase.Time
	sensorID   uint64
	host       *osi3.MovingObject // nil if there is no usable one
	vehicle    frames.Rotation    // attitude of the host vehicle
	rearAxle   frames.Vector
	sensor     frames.Rotation // attitude of the sensor
	eye        frames.Vector
	observer   frames.Observer
	mounting   frames.Pose
	candidates []*candidate
	boxes      []box
}

// Detect returns the SensorData of a step.
func (d *Detector) Detect(view []byte, span timebase.Span) (*osi3.SensorData, error) {
	d.problems = 0
	if len(view) == 0 {
		return nil, objects.ErrEmpty
	}
	f := frame{view: &osi3.SensorView{}, now: span.End}
	if err := proto.Unmarshal(view, f.view); err != nil {
		return nil, err
	}
	f.truth = f.view.GetGlobalGroundTruth()
	d.cycle++
	data := d.header(&f)
	if !d.config.Moving && !d.config.Stationary {
		return data, nil
	}
	d.findHost(&f)
	if d.config.Moving || d.config.Occlusion {
		for _, o := range f.truth.GetMovingObject() {
			d.consider(&f, movingThing(o), o)
		}
	}
	if d.config.Stationary || d.config.Occlusion {
		for _, o := range f.truth.GetStationaryObject() {
			d.consider(&f, stationaryThing(o), nil)
		}
	}
	if d.config.Occlusion {
		d.hide(&f)
	}
	d.report(&f, data)
	return data, nil
}

// header returns a SensorData without objects.
func (d *Detector) header(f *frame) *osi3.SensorData {
	measured, ok := instant(f.view.GetTimestamp())
	switch {
	case !ok:
		d.note(objects.NoTimestamp)
		measured = f.now
	case measured > f.now:
		d.note(objects.LateTimestamp)
		measured = f.now
	}
	f.sensorID = f.view.GetSensorId().GetValue()
	if d.config.SensorID != nil {
		f.sensorID = *d.config.SensorID
	} else if f.view.SensorId == nil {
		d.note(objects.NoSensorID)
		f.sensorID = objects.DefaultSensorID
	}
	f.mounting = d.mounting(f.view.GetMountingPosition())
	qualifier := osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE
	entityHeader := func() *osi3.DetectedEntityHeader {
		return &osi3.DetectedEntityHeader{
			MeasurementTime: timestamp(measured), CycleCounter: proto.Uint64(d.cycle),
			DataQualifier: &qualifier,
		}
	}
	data := &osi3.SensorData{
		Version: osi3.Version(), Timestamp: timestamp(f.now), SensorId: identifier(f.sensorID),
		MountingPosition: &osi3.MountingPosition{
			Position:    vector(f.mounting.Position),
			Orientation: angles(f.mounting.Orientation),
		},
		SensorView: []*osi3.SensorView{f.view}, LastMeasurementTime: timestamp(measured),
	}
	if d.config.Moving {
		data.MovingObjectHeader = entityHeader()
	}
	if d.config.Stationary {
		data.StationaryObjectHeader = entityHeader()
	}
	return data
}

func (d *Detector) mounting(m *osi3.MountingPosition) frames.Pose {
	if d.config.Mounting != nil {
		return *d.config.Mounting
	}
	pose := frames.Pose{Position: fromVector(m.GetPosition()),
		Orientation: fromAngles(m.GetOrientation())}
	if m.GetPosition() == nil && m.GetOrientation() == nil || !pose.Finite() {
		d.note(objects.NoMounting)
		return frames.Pose{}
	}
	return pose
}

// findHost sets f.host and the position of the sensor if there is a usable host vehicle.
func (d *Detector) findHost(f *frame) {
	own, named := f.truth.GetHostVehicleId(), f.view.GetHostVehicleId()
	switch {
	case f.truth == nil:
		d.note(objects.NoGroundTruth)
		return
	case own == nil && named == nil:
		d.note(objects.NoHostID)
		return
	case own == nil:
		own = named
	case named != nil && named.GetValue() != own.GetValue():
		d.note(objects.HostIDsDiffer)
	}
	for _, o := range f.truth.GetMovingObject() {
		if o.Id != nil && o.Id.GetValue() == own.GetValue() {
			d.useHost(f, o)
			return
		}
	}
	d.note(objects.HostNotFound)
}

func (d *Detector) useHost(f *frame, o *osi3.MovingObject) {
	base, rear := o.GetBase(), o.GetVehicleAttributes().GetBbcenterToRear()
	center, attitude := fromVector(base.GetPosition()), fromAngles(base.GetOrientation())
	if rear == nil || !fromVector(rear).Finite() {
		d.note(objects.HostNoRearAxle)
		rear = nil
	}
	if base.GetPosition() == nil || !center.Finite() || !attitude.Finite() {
		d.note(objects.HostUnusable)
		return
	}
	if base.GetOrientation() == nil {
		d.note(objects.HostNoOrientation)
	}
	f.vehicle = attitude.Rotation()
	mounted := f.mounting.Orientation.Rotation()
	f.sensor = f.vehicle.Compose(&mounted)
	f.rearAxle = center.Add(f.vehicle.Apply(fromVector(rear)))
	f.eye = f.rearAxle.Add(f.vehicle.Apply(f.mounting.Position))
	d.useMotion(f, base)
	if !f.eye.Finite() {
		d.note(objects.HostUnusable)
		return
	}
	f.host = o
}

// useMotion takes over the motion of the host vehicle; values that are not finite count as missing.
func (d *Detector) useMotion(f *frame, base *osi3.BaseMoving) {
	if base.Velocity == nil || !fromVector(base.Velocity).Finite() {
		d.note(objects.HostNoVelocity)
		base = proto.CloneOf(base)
		base.Velocity = nil
	}
	rate, turning := fromAngles(base.GetOrientationRate()),
		fromAngles(base.GetOrientationAcceleration())
	acceleration := fromVector(base.GetAcceleration())
	if base.Velocity != nil && base.OrientationRate == nil {
		d.note(objects.HostNoTurning)
	}
	if !rate.Finite() || !turning.Finite() || !acceleration.Finite() {
		d.note(objects.HostBadMotion)
		rate, turning, acceleration = finiteAngles(rate), finiteAngles(turning),
			finiteVector(acceleration)
	}
	f.observer = frames.Observer{
		Position: fromVector(base.GetPosition()), Velocity: fromVector(base.GetVelocity()),
		Acceleration:        acceleration,
		AngularVelocity:     f.vehicle.AngularVelocity(rate),
		AngularAcceleration: f.vehicle.AngularAcceleration(rate, turning),
	}
	if d.config.Frame == objects.VehicleFrame {
		f.observer.Face(f.rearAxle, &f.vehicle)
	} else {
		f.observer.Face(f.eye, &f.sensor)
	}
}

// inView reports whether the given position is in the field of view, and its distance.
func (d *Detector) inView(f *frame, position frames.Vector) (distance float64, yes bool) {
	arm := position.Sub(f.eye)
	distance = arm.Length()
	if !(arm.Dot(arm) <= d.config.Range()*d.config.Range()) || distance == 0 {
		return distance, false
	}
	ahead := f.sensor.Into(arm).X
	return distance, d.config.HalfAngle == math.Pi || ahead >= math.Cos(d.config.HalfAngle)*distance
}

// SkipStep counts a step without a view.
func (d *Detector) SkipStep() { d.skipped++ }

// Cycle returns the number of views processed.
func (d *Detector) Cycle() uint64 { return d.cycle }
