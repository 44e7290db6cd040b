package objects

import "gosmp/frames"

// HostVehicle is the vehicle that carries the sensor, in the world frame. Values missing from the
// view are zero and not in Has.
type HostVehicle struct {
	ID                  uint64
	Has                 Quantities
	Pose                frames.Pose   // of the center of the bounding box
	RearAxle            frames.Vector // middle of the rear axle, the origin of the vehicle frame
	Dimension           frames.Vector // length, width, height
	Velocity            frames.Vector
	Acceleration        frames.Vector
	OrientationRate     frames.Orientation
	angularAcceleration frames.Orientation
}

// sight is the position and motion of the sensor, in the world frame.
type sight struct {
	eye      frames.Vector
	axes     frames.Rotation // of the sensor
	vehicle  frames.Rotation // of the host vehicle
	observer frames.Observer // the host vehicle, with the frame of detections
}

// mount describes how the sensor is turned in the vehicle. It hardly ever changes, so the rotation
// is kept.
type mount struct {
	angles frames.Orientation
	axes   frames.Rotation
}

// rotation returns the rotation for the angles, which are finite.
func (m *mount) rotation(angles frames.Orientation) *frames.Rotation {
	if m.angles != angles {
		m.angles, m.axes = angles, angles.Rotation()
	}
	return &m.axes
}

// nowhere is an index that is outside of every list.
const nowhere = -1

// takeHost finds the host vehicle and derives the sight from it. Without one, the detector is blind
// for this view. The index of the host vehicle in the previous view is tried first;
// [Detector.lookAt] verifies that no earlier object has the same id.
func (d *Detector) takeHost(guess int) error {
	d.host, d.blind, d.hostAt = HostVehicle{}, true, nowhere
	id, ok := d.hostID()
	if !ok {
		return nil
	}
	list := d.view.moving
	if guess >= 0 && guess < len(list) {
		list = list[guess : guess+1]
	} else {
		guess = 0
	}
	o := &d.carrier
	o.view, o.kind = d.view.bytes, MovingObject
	for nth, at := range list {
		if !d.layouts[MovingObject].read(o, at, true) {
			return errMalformed
		}
		if o.id.set && o.id.id == id {
			d.hostAt = guess + nth
			return d.readHost(o)
		}
	}
	if len(list) < len(d.view.moving) {
		return errGuess
	}
	d.noteHost(HostNotFound, id)
	return nil
}

// hostID returns the id of the host vehicle; ok is false when the view does not name one.
func (d *Detector) hostID() (id uint64, ok bool) {
	truth, own := d.view.truthHost, d.view.viewHost
	switch {
	case !d.view.hasTruth:
		d.noteHost(NoGroundTruth, 0)
		return 0, false
	case !truth.set && !own.set:
		d.noteHost(NoHostID, 0)
		return 0, false
	case !truth.set:
		return own.id, true
	case own.set && own.id != truth.id:
		d.noteHost(HostIDsDiffer, own.id)
	}
	return truth.id, true
}

// readHost derives the sight from the host vehicle o.
func (d *Detector) readHost(o *object) error {
	h := &d.host
	h.ID = o.id.id
	read := &d.group.read // no object was measured yet
	last, _, ok := o.vector(fieldOrientationAcceleration)
	if !o.vectors(read, 0) || !ok {
		return errMalformed
	}
	v := [baseFields]frames.Vector{fieldOrientationAcceleration: last}
	bad := Quantities(0)
	for number := 1; number < len(v); number++ {
		if number <= fieldRate {
			v[number] = read[number].Vector(0)
		}
		switch q := Quantities(1) << number; {
		case o.seen&q == 0:
		case v[number].Finite():
			h.Has |= q
		default:
			bad |= q
			v[number] = frames.Vector{}
		}
	}
	h.Dimension, h.Pose.Position, h.Pose.Orientation = v[fieldDimension], v[fieldPosition],
		orientation(v[fieldOrientation])
	h.Velocity, h.Acceleration, h.OrientationRate = v[fieldVelocity], v[fieldAcceleration],
		orientation(v[fieldRate])
	h.angularAcceleration = orientation(v[fieldOrientationAcceleration])
	rear, hasRear, ok := o.bbCenterToRear()
	if !ok {
		return errMalformed
	}
	if !hasRear || !rear.Finite() {
		rear = frames.Vector{}
		d.noteHost(HostNoRearAxle, h.ID)
	}
	if bad.Has(HasOrientation) || !h.Has.Has(HasPosition) {
		d.noteHost(HostUnusable, h.ID)
		return nil
	}
	d.noteHostMotion(bad)
	d.takeSight(rear)
	return nil
}

// noteHostMotion reports missing quantities of a usable host vehicle.
func (d *Detector) noteHostMotion(bad Quantities) {
	h := &d.host
	if !h.Has.Has(HasOrientation) {
		d.noteHost(HostNoOrientation, h.ID)
	}
	if !h.Has.Has(HasVelocity) {
		d.noteHost(HostNoVelocity, h.ID)
	}
	if h.Has.Has(HasVelocity) && !(h.Has | bad).Has(HasOrientationRate) {
		d.noteHost(HostNoTurning, h.ID)
	}
	if bad&(HasAcceleration|HasOrientationRate|hasAngularAcceleration) != 0 {
		d.noteHost(HostBadMotion, h.ID)
	}
}

// takeSight places the sensor in the world: host vehicle, then rear axle, then mounting position.
func (d *Detector) takeSight(rear frames.Vector) {
	h, s := &d.host, &d.sight
	s.vehicle = h.Pose.Orientation.Rotation()
	vehicle := &s.vehicle
	mounting := d.mount.rotation(d.mounting.Orientation)
	h.RearAxle = h.Pose.Position.Add(vehicle.Apply(rear))
	s.eye = h.RearAxle.Add(vehicle.Apply(d.mounting.Position))
	s.axes = vehicle.Compose(mounting)
	s.observer = frames.Observer{Position: h.Pose.Position, Velocity: h.Velocity,
		Acceleration: h.Acceleration}
	s.observer.AngularVelocity, s.observer.AngularAcceleration = vehicle.AngularMotion(
		h.OrientationRate, h.angularAcceleration)
	if d.config.Frame == VehicleFrame {
		s.observer.Face(h.RearAxle, vehicle)
	} else {
		s.observer.Face(s.eye, &s.axes)
	}
	d.blind = !s.eye.Finite()
	if d.blind {
		d.noteHost(HostUnusable, h.ID)
	}
}
