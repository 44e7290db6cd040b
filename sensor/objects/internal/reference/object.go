package reference

import (
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/sensor/objects/internal/draw"
	"gosmp/sensor/objects/internal/sightline"
)

// thing holds the common parts of both kinds of objects.
type thing struct {
	kind        objects.Kind
	id          *osi3.Identifier
	dimension   *osi3.Dimension3D
	position    *osi3.Vector3D
	orientation *osi3.Orientation3D
	stationary  *osi3.StationaryObject
	color       *osi3.ColorDescription
}

func movingThing(o *osi3.MovingObject) thing {
	b := o.GetBase()
	return thing{objects.MovingObject, o.Id, b.GetDimension(), b.GetPosition(), b.GetOrientation(),
		nil, o.ColorDescription}
}

func stationaryThing(o *osi3.StationaryObject) thing {
	b := o.GetBase()
	return thing{objects.StationaryObject, o.Id, b.GetDimension(), b.GetPosition(),
		b.GetOrientation(), o, o.ColorDescription}
}

// candidate is an object in view.
type candidate struct {
	thing
	moving   *osi3.MovingObject // nil for a stationary object
	distance float64
	hidden   bool
	base     *osi3.BaseMoving // as seen by the sensor
}

// box is an object that can hide others or be hidden.
type box struct {
	sightline.Box
	distance float64
	owner    *candidate // nil when the object is not in view
	solid    bool
}

// consider adds an object to the candidates if it is in view.
func (d *Detector) consider(f *frame, t thing, moving *osi3.MovingObject) {
	if f.host == nil || moving == f.host {
		return
	}
	position := fromVector(t.position)
	switch {
	case t.id == nil:
		d.note(objects.ObjectNoID)
		return
	case moving != nil && t.id.GetValue() == f.host.GetId().GetValue():
		d.note(objects.DuplicateID)
		return
	case t.position == nil:
		d.note(objects.ObjectNoPosition)
		return
	case !position.Finite():
		d.note(objects.ObjectBadPosition)
		return
	}
	var c *candidate
	distance, yes := d.inView(f, position)
	wanted := moving != nil && d.config.Moving || moving == nil && d.config.Stationary
	if yes && wanted {
		c = &candidate{thing: t, moving: moving, distance: distance}
		d.perceive(f, c)
		f.candidates = append(f.candidates, c)
	}
	if d.config.Occlusion {
		d.addBox(f, t, distance, c)
	}
}

func (d *Detector) addBox(f *frame, t thing, distance float64, c *candidate) {
	size, turned := fromDimension(t.dimension), fromAngles(t.orientation)
	if !validSize(size) {
		size = frames.Vector{}
	}
	if !turned.Finite() {
		turned = frames.Orientation{}
	}
	b := box{distance: distance, owner: c}
	b.Box = sightline.Box{Center: fromVector(t.position), Attitude: turned.Rotation(),
		Half: size.Scale(0.5)}
	_, solid := b.From(f.eye)
	b.solid = solid && distance-b.Radius() < d.config.Range()
	f.boxes = append(f.boxes, b)
}

// perceive fills in the sensor's view of a candidate.
func (d *Detector) perceive(f *frame, c *candidate) {
	c.base = &osi3.BaseMoving{Position: vector(f.observer.SeenPosition(fromVector(c.position)))}
	if c.dimension != nil {
		if size := fromDimension(c.dimension); validSize(size) {
			c.base.Dimension = &osi3.Dimension3D{Length: &size.X, Width: &size.Y, Height: &size.Z}
		} else {
			d.note(objects.ObjectBadSize)
		}
	}
	if c.orientation == nil {
		d.note(objects.ObjectNoOrientation)
	} else {
		d.perceiveTurning(f, c)
	}
	if c.moving != nil {
		d.perceiveMotion(f, c)
	}
}

// perceiveTurning adds the orientation and its rate.
func (d *Detector) perceiveTurning(f *frame, c *candidate) {
	turned, rate := fromAngles(c.orientation), c.moving.GetBase().GetOrientationRate()
	if !turned.Finite() {
		d.note(objects.ObjectBadNumber)
		return
	}
	seen, seenRate, exist := f.observer.SeenTurning(turned, fromAngles(rate))
	c.base.Orientation = angles(seen)
	switch {
	case rate == nil || !exist:
	case seenRate.Finite():
		c.base.OrientationRate = angles(seenRate)
	default:
		d.note(objects.ObjectBadNumber)
	}
}

// perceiveMotion adds a moving object's velocity and acceleration as seen by the sensor.
func (d *Detector) perceiveMotion(f *frame, c *candidate) {
	base, host := c.moving.GetBase(), f.host.GetBase()
	if base.Velocity == nil || host.Velocity == nil || !fromVector(host.Velocity).Finite() {
		return
	}
	v, a := f.observer.SeenMotion(fromVector(c.position), fromVector(base.Velocity),
		fromVector(base.Acceleration))
	c.base.Velocity = d.seen(v)
	if base.Acceleration != nil && host.Acceleration != nil &&
		fromVector(host.Acceleration).Finite() {
		c.base.Acceleration = d.seen(a)
	}
}

// seen converts a finite vector; it returns nil for any other.
func (d *Detector) seen(v frames.Vector) *osi3.Vector3D {
	if !v.Finite() {
		d.note(objects.ObjectBadNumber)
		return nil
	}
	return vector(v)
}

// report turns candidates into detections.
func (d *Detector) report(f *frame, data *osi3.SensorData) {
	if f.host == nil {
		qualifier := osi3.DetectedEntityHeader_DATA_QUALIFIER_NOT_AVAILABLE
		for _, h := range []*osi3.DetectedEntityHeader{data.MovingObjectHeader,
			data.StationaryObjectHeader} {
			if h != nil {
				h.DataQualifier = &qualifier
			}
		}
	}
	for _, c := range f.candidates {
		if c.hidden || d.lost(f, c) {
			continue
		}
		t, first := d.track(f, c)
		if !first {
			d.note(objects.DuplicateID)
			continue
		}
		d.disturb(f, c)
		header := d.itemHeader(f, c, t)
		if c.moving != nil {
			data.MovingObject = append(data.MovingObject, d.detectedMoving(f, c, header, t))
		} else {
			data.StationaryObject = append(data.StationaryObject, d.detectedStationary(c, header))
		}
	}
}

// track finds or starts the track of a candidate; first is false if it was already found in this
// cycle.
func (d *Detector) track(f *frame, c *candidate) (t *track, first bool) {
	key := trackKey{c.kind, c.id.GetValue()}
	t = d.tracks[key]
	if t == nil || d.cycle+d.skipped-t.seen > d.config.ForgetAfter {
		t = &track{number: d.next, since: f.now, seen: d.cycle + d.skipped}
		d.tracks[key] = t
		d.next++
		return t, true
	}
	first = t.seen != d.cycle+d.skipped
	t.seen = d.cycle + d.skipped
	return t, first
}

// key returns the key for random numbers about a candidate.
func (d *Detector) key(f *frame, c *candidate, cycle uint64, purpose draw.Purpose) draw.Key {
	return draw.Key{
		Seed: d.config.Seed, Sensor: f.sensorID, Kind: uint8(c.kind), Object: c.id.GetValue(),
		Cycle: cycle, Purpose: purpose,
	}
}

func (d *Detector) lost(f *frame, c *candidate) bool {
	length := d.config.DropoutCycles
	phase := d.key(f, c, 0, draw.DropoutPhase).Below(length)
	undetected := d.key(f, c, d.cycle, draw.Detection)
	dropped := d.key(f, c, (d.cycle+phase)/length, draw.Dropout)
	return undetected.Uniform() >= d.config.DetectionProbability ||
		dropped.Uniform() < d.config.DropoutProbability
}

func (d *Detector) disturb(f *frame, c *candidate) {
	shift := func(v *osi3.Vector3D, sigma float64, xy, z draw.Purpose) {
		if v == nil || sigma == 0 {
			return
		}
		nx, ny := d.key(f, c, d.cycle, xy).Normals()
		nz, _ := d.key(f, c, d.cycle, z).Normals()
		*v.X += float64(nx * sigma)
		*v.Y += float64(ny * sigma)
		*v.Z += float64(nz * sigma)
	}
	shift(c.base.Position, d.config.PositionNoise, draw.PositionXY, draw.PositionZ)
	shift(c.base.Velocity, d.config.VelocityNoise, draw.VelocityXY, draw.VelocityZ)
}

func (d *Detector) itemHeader(f *frame, c *candidate, t *track) *osi3.DetectedItemHeader {
	reach := d.config.Range()
	return &osi3.DetectedItemHeader{
		TrackingId:           identifier(t.number),
		GroundTruthId:        []*osi3.Identifier{identifier(c.id.GetValue())},
		ExistenceProbability: proto.Float64(math.Cos((2*c.distance - reach) / reach)),
		Age:                  proto.Float64(max(0, f.now-t.since).Seconds()),
		MeasurementState:     osi3.DetectedItemHeader_MEASUREMENT_STATE_MEASURED.Enum(),
		SensorId:             []*osi3.Identifier{identifier(f.sensorID)},
	}
}

func (d *Detector) detectedMoving(f *frame, c *candidate, header *osi3.DetectedItemHeader,
	t *track) *osi3.DetectedMovingObject {
	p, v := d.config.PositionNoise, d.config.VelocityNoise
	rmse := &osi3.BaseMoving{Position: vector(frames.Vector{X: p, Y: p, Z: p})}
	if c.base.Velocity != nil {
		rmse.Velocity = vector(frames.Vector{X: v, Y: v, Z: v})
	}
	guess := &osi3.DetectedMovingObject_CandidateMovingObject{
		Probability: proto.Float64(1), Type: c.moving.GetType().Enum(),
		MovingObjectClassification: c.moving.MovingObjectClassification,
	}
	if c.moving.GetType() == osi3.MovingObject_TYPE_PEDESTRIAN {
		guess.HeadPose, guess.UpperBodyPose = pose(f, c), pose(f, c)
	}
	if c.moving.GetType() == osi3.MovingObject_TYPE_VEHICLE {
		guess.VehicleClassification = c.moving.VehicleClassification
		if guess.VehicleClassification == nil {
			unknown := osi3.MovingObject_VehicleClassification_TYPE_UNKNOWN
			guess.VehicleClassification = &osi3.MovingObject_VehicleClassification{Type: &unknown}
		}
	}
	return &osi3.DetectedMovingObject{
		Header: header, Base: c.base, BaseRmse: rmse,
		ReferencePoint:   osi3.DetectedMovingObject_REFERENCE_POINT_CENTER.Enum(),
		MovementState:    movement(c, t),
		Candidate:        []*osi3.DetectedMovingObject_CandidateMovingObject{guess},
		ColorDescription: c.color,
	}
}

// pose returns the attitude of a pedestrian relative to the host vehicle. It is empty when unknown,
// because OSI requires the field.
func pose(f *frame, c *candidate) *osi3.Orientation3D {
	turned := fromAngles(c.orientation)
	if c.orientation == nil || !turned.Finite() {
		return &osi3.Orientation3D{}
	}
	own := turned.Rotation()
	relative := f.vehicle.Relative(&own)
	return angles(relative.Orientation())
}

// movement compares the speed over the ground, now and earlier in the track, with 0.1 m/s.
func movement(c *candidate, t *track) *osi3.DetectedMovingObject_MovementState {
	velocity := c.moving.GetBase().GetVelocity()
	switch v := fromVector(velocity); {
	case velocity == nil || !v.Finite():
		return nil
	case v.Length() > 0.1:
		t.moved = true
		return osi3.DetectedMovingObject_MOVEMENT_STATE_MOVING.Enum()
	case t.moved:
		return osi3.DetectedMovingObject_MOVEMENT_STATE_STOPPED.Enum()
	}
	return osi3.DetectedMovingObject_MOVEMENT_STATE_STATIONARY.Enum()
}

func (d *Detector) detectedStationary(c *candidate,
	header *osi3.DetectedItemHeader) *osi3.DetectedStationaryObject {
	p := d.config.PositionNoise
	return &osi3.DetectedStationaryObject{
		Header: header,
		Base: &osi3.BaseStationary{
			Dimension: c.base.Dimension, Position: c.base.Position, Orientation: c.base.Orientation,
		},
		BaseRmse:         &osi3.BaseStationary{Position: vector(frames.Vector{X: p, Y: p, Z: p})},
		ColorDescription: c.color,
		Candidate: []*osi3.DetectedStationaryObject_CandidateStationaryObject{{
			Probability: proto.Float64(1), Classification: c.stationary.Classification,
		}},
	}
}
