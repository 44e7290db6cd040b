package objects

import "gosmp/frames"

// groupSize is the number of objects that are measured together: as many as the processor
// transforms to the frame of detections at once.
const groupSize = 4

// group holds the objects in view that are not measured yet. Their detections are the last ones in
// Detector.found.
type group struct {
	size    int
	kind    Kind
	objects [groupSize]object // the one after the last is free
	read    vectors
	seen    vectors // in the frame of detections, without vectors that are not rotated
}

// vectors holds the vectors in the bases of the objects of a group, indexed by field number;
// missing ones are zero.
type vectors [baseFields]frames.Triple4

// begin empties the group for objects of a kind in a view.
func (g *group) begin(view []byte, kind Kind) {
	g.size, g.kind = 0, kind
	for k := range g.objects {
		g.objects[k].view, g.objects[k].kind = view, kind
	}
}

// end forgets the bytes of the view.
func (g *group) end() {
	for k := range g.objects {
		g.objects[k].view = nil
	}
}

// next returns the place for the next object.
func (g *group) next() *object { return &g.objects[g.size] }

// measureSoon adds the newest object and the newest detection to the group. When the group is full
// its objects are measured. It returns false when a part of one is malformed.
func (d *Detector) measureSoon(o *object) bool {
	g := &d.group
	if !o.vectors(&g.read, g.size) {
		return false
	}
	if g.size++; g.size < groupSize {
		return true
	}
	return d.measureGroup()
}

// measureGroup completes the detections of the group and empties it. It returns false when a part
// of an object is malformed.
func (d *Detector) measureGroup() bool {
	g := &d.group
	n := g.size
	if n == 0 {
		return true
	}
	v, seen := &g.read, &g.seen
	turn := d.sight.observer.SeenTurning4(n, &v[fieldOrientation], &v[fieldRate],
		&seen[fieldOrientation], &seen[fieldRate])
	d.sight.observer.SeenMotion4(n, &v[fieldPosition], &v[fieldVelocity], &v[fieldAcceleration],
		&seen[fieldPosition], &seen[fieldVelocity], &seen[fieldAcceleration])
	found := d.found[g.kind][len(d.found[g.kind])-n:]
	for k := range found {
		x, turns := &found[k], turn>>k&1 != 0
		if turns && d.measureFull(k, x) {
			if !d.describe(&g.objects[k], x, g.read[fieldOrientation].Orientation(k)) {
				return false
			}
		} else if !d.measure(k, x, turns) {
			return false
		}
	}
	g.size = 0
	return true
}

// measureFull is like [Detector.measure] for an object with all vectors, seen from a host vehicle
// that also has all of them, if all numbers are finite. Otherwise it returns false and changes
// nothing.
func (d *Detector) measureFull(k int, x *Detection) bool {
	o, read, seen := &d.group.objects[k], &d.group.read, &d.group.seen
	if o.kind != MovingObject || !o.seen.Has(allQuantities) ||
		!d.host.Has.Has(HasVelocity|HasAcceleration) {
		return false
	}
	size, speed, angles := read[fieldDimension].Vector(k), read[fieldVelocity].Vector(k),
		read[fieldOrientation].Vector(k)
	velocity, acceleration, rate := seen[fieldVelocity].Vector(k), seen[fieldAcceleration].Vector(
		k), seen[fieldRate].Orientation(k)
	if !(nothing(size)+nothing(speed)+nothing(angles)+(nothing(velocity)+nothing(acceleration)+
		nothing(triple(rate))) == 0) ||
		!validSize(size) {
		return false
	}
	x.Has, x.Type, x.Movement = allQuantities, o.class, Stationary
	if speed.Dot(speed) > standstill*standstill {
		x.Movement = Moving
	}
	x.Position, x.Orientation, x.Dimension = seen[fieldPosition].Vector(k),
		seen[fieldOrientation].Orientation(k), size
	x.Velocity, x.Acceleration, x.OrientationRate = velocity, acceleration, rate
	return true
}

// nothing returns 0 for a finite vector and NaN for any other.
func nothing(v frames.Vector) float64 { return (v.X - v.X) + (v.Y - v.Y) + (v.Z - v.Z) }

// measure completes the sensor's view x of the object at place k of the group. turns reports
// whether its angles have rates. It returns false when a part of the object is malformed.
func (d *Detector) measure(k int, x *Detection, turns bool) bool {
	g := &d.group
	o := &g.objects[k]
	x.Position = g.seen[fieldPosition].Vector(k)
	if o.seen.Has(HasDimension) {
		if size := g.read[fieldDimension].Vector(k); validSize(size) {
			x.Dimension, x.Has = size, x.Has|HasDimension
		} else {
			d.blame(ObjectBadSize, o, x.nth)
		}
	}
	d.measureTurning(k, x, turns)
	if o.kind == MovingObject {
		x.Type = o.class
		d.measureMotion(k, x)
	}
	return d.describe(o, x, g.read[fieldOrientation].Orientation(k))
}

// measureTurning adds the orientation and its rate.
func (d *Detector) measureTurning(k int, x *Detection, turns bool) {
	g := &d.group
	o := &g.objects[k]
	switch {
	case !o.seen.Has(HasOrientation):
		d.blame(ObjectNoOrientation, o, x.nth)
		return
	case !g.read[fieldOrientation].Vector(k).Finite():
		d.blame(ObjectBadNumber, o, x.nth)
		return
	}
	x.Orientation, x.Has = g.seen[fieldOrientation].Orientation(k), x.Has|HasOrientation
	rate := g.seen[fieldRate].Orientation(k)
	switch {
	case !o.seen.Has(HasOrientationRate) || !turns:
		// a vertical object has no defined rates; the input is not at fault
	case !rate.Finite():
		d.blame(ObjectBadNumber, o, x.nth)
	default:
		x.OrientationRate, x.Has = rate, x.Has|HasOrientationRate
	}
}

// measureMotion adds velocity and acceleration where both the object's and the host vehicle's are
// known.
func (d *Detector) measureMotion(k int, x *Detection) {
	g := &d.group
	o := &g.objects[k]
	if speed := g.read[fieldVelocity].Vector(k); o.seen.Has(HasVelocity) && speed.Finite() {
		x.Movement = Stationary
		if speed.Dot(speed) > standstill*standstill {
			x.Movement = Moving
		}
	}
	known := o.seen & d.host.Has
	if !known.Has(HasVelocity) {
		return
	}
	fine := x.setVector(HasVelocity, &x.Velocity, g.seen[fieldVelocity].Vector(k))
	if known.Has(HasAcceleration) {
		fine = x.setVector(HasAcceleration, &x.Acceleration, g.seen[fieldAcceleration].Vector(k)) &&
			fine
	}
	if !fine {
		d.blame(ObjectBadNumber, o, x.nth)
	}
}

// setVector stores v if it is finite.
func (x *Detection) setVector(q Quantities, to *frames.Vector, v frames.Vector) bool {
	if !v.Finite() {
		return false
	}
	*to, x.Has = v, x.Has|q
	return true
}
