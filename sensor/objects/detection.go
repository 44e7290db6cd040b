package objects

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/proto/field"
	"gosmp/sensor/objects/internal/draw"
	"gosmp/timebase"
)

// Quantities is a set of the vectors in an OSI base; the bit position is the field number.
type Quantities uint16

// The quantities.
const (
	HasDimension       Quantities = 1 << fieldDimension
	HasPosition        Quantities = 1 << fieldPosition
	HasOrientation     Quantities = 1 << fieldOrientation
	HasVelocity        Quantities = 1 << fieldVelocity
	HasAcceleration    Quantities = 1 << fieldAcceleration
	HasOrientationRate Quantities = 1 << fieldRate

	hasAngularAcceleration Quantities = 1 << fieldOrientationAcceleration

	allQuantities = HasDimension | HasPosition | HasOrientation | HasVelocity | HasAcceleration |
		HasOrientationRate
)

// Has reports whether all of q are in the set.
func (s Quantities) Has(q Quantities) bool { return s&q == q }

// Detection is one detected object. Lengths are in m, angles in rad, and derivatives per second,
// all in the configured frame and relative to it. Quantities that are not in Has are zero.
type Detection struct {
	ObjectID        uint64 // in the GroundTruth
	TrackingID      uint64
	Age             timebase.Duration // since the first detection of the track
	Existence       float64           // existence probability
	Type            int32             // osi3.MovingObject_Type; 0 for a stationary object
	Movement        Movement          // over the ground, as far back as the track goes
	Has             Quantities
	Position        frames.Vector // of the center of the bounding box, with noise
	Orientation     frames.Orientation
	Dimension       frames.Vector // length, width, height
	Velocity        frames.Vector // with noise
	Acceleration    frames.Vector
	OrientationRate frames.Orientation

	nth       int // index in the list of the GroundTruth
	distance  float64
	hidden    bool
	candidate extent // fields of the candidate after its type, in Detector.text
	color     extent // the field color_description, in Detector.text
}

// Movement is osi3.DetectedMovingObject_MovementState.
type Movement uint8

// The states of movement. An object moves if it is faster than 0.1 m/s over the ground.
const (
	MovementUnknown Movement = 0 // no finite true velocity; also for stationary objects
	Stationary      Movement = 2 // has not moved since the track began
	Moving          Movement = 3 // moves now
	Stopped         Movement = 4 // has moved since the track began, and is stationary now
)

// standstill is the speed in m/s up to which an object is considered stationary: because simulators
// rarely stop an object at exactly 0.
const standstill = 0.1

// lookAt processes the objects of one kind.
func (d *Detector) lookAt(kind Kind, list []extent) error {
	host := nowhere
	if kind == MovingObject {
		host = d.hostAt
	}
	d.group.begin(d.view.bytes, kind)
	for nth, at := range list {
		if nth == host {
			continue
		}
		o := d.group.next()
		switch {
		case !d.layouts[kind].read(o, at, d.group.size == 0):
			return errMalformed
		case host != nowhere && nth < host && o.id.set && o.id.id == d.host.ID:
			return errGuess
		case d.blind:
		case !o.id.set:
			d.blame(ObjectNoID, o, nth)
		case host != nowhere && o.id.id == d.host.ID:
			d.blame(DuplicateID, o, nth)
		default:
			if !d.lookFor(o, nth) {
				return errMalformed
			}
		}
	}
	if !d.measureGroup() {
		return errMalformed
	}
	return nil
}

// blame records a problem of an object.
func (d *Detector) blame(p Problem, o *object, nth int) {
	d.note(p, culprit{o.kind, o.id.id, nth})
}

// lookFor appends o to found if it is in view. It returns false if part of it is malformed.
func (d *Detector) lookFor(o *object, nth int) bool {
	position, has, ok := o.position()
	if !ok {
		return false
	}
	if !has {
		d.blame(ObjectNoPosition, o, nth)
		return true
	}
	arm := position.Sub(d.sight.eye)
	distance2 := arm.Dot(arm)
	near := distance2 <= d.reach2
	if !near && !position.Finite() {
		d.blame(ObjectBadPosition, o, nth)
		return true
	}
	if !near && !d.config.Occlusion {
		return true
	}
	distance := math.Sqrt(distance2)
	inView := near && d.detects[o.kind] && distance > 0 &&
		d.sight.axes.IntoX(arm) >= d.cosHalf*distance
	if inView {
		x := d.another(o.kind)
		x.ObjectID, x.nth, x.distance, x.Has = o.id.id, nth, distance, HasPosition
	}
	if d.config.Occlusion && !d.obstruct(o, position, distance, inView) {
		return false
	}
	return !inView || d.measureSoon(o)
}

// describe writes the fields of o outside its base. It returns false if part of it is malformed.
func (d *Detector) describe(o *object, x *Detection, turned frames.Orientation) (ok bool) {
	start, tag := len(d.text), tagStationaryColor
	if o.kind == MovingObject {
		tag = tagMovingColor
		ok = d.describeMoving(o, x, turned)
	} else {
		ok = d.appendPart(o, tagCandidateStationary, classification)
	}
	x.candidate = extent{start, len(d.text)}
	ok = ok && d.appendPart(o, tag, color)
	x.color = extent{x.candidate.hi, len(d.text)}
	return ok
}

// describeMoving writes the fields of a candidate after its type. OSI requires a classification of
// every vehicle and poses of every pedestrian (osi_detectedobject.proto).
func (d *Detector) describeMoving(o *object, x *Detection, turned frames.Orientation) bool {
	switch {
	case x.Type == typePedestrian:
		d.text = d.appendPoses(d.text, x, turned)
	case x.Type != typeVehicle:
	case !o.has[classification]:
		d.text = append(d.text, tagCandidateVehicle, 2, tagVehicleType, 0)
	case !d.appendPart(o, tagCandidateVehicle, classification):
		return false
	}
	return d.appendPart(o, tagCandidateAssignment, assignment)
}

// appendPoses appends head_pose and upper_body_pose, which are relative to the host vehicle in
// either frame of detections. Both are the orientation of the pedestrian's bounding box, and empty
// if that is unknown.
func (d *Detector) appendPoses(b []byte, x *Detection, turned frames.Orientation) []byte {
	if !x.Has.Has(HasOrientation) {
		return append(b, tagCandidateHead, 0, tagCandidateBody, 0)
	}
	own := turned.Rotation()
	relative := d.sight.vehicle.Relative(&own)
	pose := triple(relative.Orientation())
	b = appendVector(b, field.DetectedMovingObjectCandidateMovingObjectHeadPose, pose)
	return appendVector(b, field.DetectedMovingObjectCandidateMovingObjectUpperBodyPose, pose)
}

// appendPart appends a part of o to the text if the part is present. It returns false when the part
// is malformed.
func (d *Detector) appendPart(o *object, tag byte, p part) (ok bool) {
	if !o.has[p] {
		return true
	}
	d.text, ok = o.appendPart(d.text, tag, p)
	return ok
}

// another returns a new, empty element of found.
func (d *Detector) another(kind Kind) *Detection {
	list, n := d.found[kind], len(d.found[kind])
	if n == cap(list) {
		list = append(list, Detection{})
	} else {
		list = list[:n+1]
		list[n] = Detection{}
	}
	d.found[kind] = list
	return &list[n]
}

func validSize(v frames.Vector) bool { return v.Finite() && v.X >= 0 && v.Y >= 0 && v.Z >= 0 }

// settle removes undetected objects from the objects in view and adds tracks and noise to the
// others.
func (d *Detector) settle(kind Kind) {
	m, found := &d.memory, d.found[kind]
	kept := 0
	for i := range found {
		x := &found[i]
		if x.hidden || d.lossy && d.lost(kind, x.ObjectID) {
			continue
		}
		t, first := m.tracks[kind].see(x.ObjectID, m.step(), d.now, &m.next)
		if !first {
			d.note(DuplicateID, culprit{kind, x.ObjectID, x.nth})
			continue
		}
		x.TrackingID, x.Age = t.number, max(0, d.now-t.since)
		if t.moved = t.moved || x.Movement == Moving; t.moved && x.Movement == Stationary {
			x.Movement = Stopped
		}
		x.Existence = portable.Cos((2*x.distance - d.reach) / d.reach)
		if d.noisy {
			d.disturb(kind, x)
		}
		if kept != i {
			found[kept] = *x
		}
		kept++
	}
	d.found[kind] = found[:kept]
}

// key returns the key for random numbers about an object in this cycle.
func (d *Detector) key(kind Kind, id uint64, purpose draw.Purpose) draw.Key {
	return draw.Key{
		Seed: d.config.Seed, Sensor: d.sensorID, Kind: uint8(kind), Object: id,
		Cycle: d.memory.cycle, Purpose: purpose,
	}
}

// lost draws whether an object in view goes undetected in this cycle. Time is divided into periods
// of DropoutCycles. Their start differs between objects, so that dropouts do not all begin at once.
func (d *Detector) lost(kind Kind, id uint64) bool {
	c := &d.config
	if d.key(kind, id, draw.Detection).Uniform() >= c.DetectionProbability {
		return true
	}
	if c.DropoutProbability == 0 {
		return false
	}
	piece := d.key(kind, id, draw.DropoutPhase)
	piece.Cycle = 0
	piece.Cycle = (d.memory.cycle + piece.Below(c.DropoutCycles)) / c.DropoutCycles
	piece.Purpose = draw.Dropout
	return piece.Uniform() < c.DropoutProbability
}

// disturb adds the noise.
func (d *Detector) disturb(kind Kind, x *Detection) {
	c := &d.config
	key := d.key(kind, x.ObjectID, 0)
	if c.PositionNoise > 0 {
		x.Position = x.Position.Add(noise(key, draw.PositionXY, draw.PositionZ).Scale(
			c.PositionNoise))
	}
	if c.VelocityNoise > 0 && x.Has.Has(HasVelocity) {
		x.Velocity = x.Velocity.Add(noise(key, draw.VelocityXY, draw.VelocityZ).Scale(
			c.VelocityNoise))
	}
}

// noise returns three independent normally distributed numbers.
func noise(key draw.Key, xy, z draw.Purpose) (v frames.Vector) {
	key.Purpose = xy
	v.X, v.Y = key.Normals()
	key.Purpose = z
	v.Z, _ = key.Normals()
	return v
}
