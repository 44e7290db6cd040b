package objects

import "gosmp/frames"

// groupSize is how many objects are measured together: as many as the processor turns into the
// frame of detections at once.
const groupSize = 4

// group holds the objects in view that are not measured yet. Their detections are the last ones in
// Detector.found.
type group struct {
	size    int
	kind    Kind
	objects [groupSize]object // the one after the last is free
	vectors [groupSize]vectors

	turned, rates, seen, seenRates frames.Turning4
}

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
	if !o.vectors(&g.vectors[g.size]) {
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
	for k := range n {
		angles, rates := orientation(g.vectors[k][fieldOrientation]), orientation(g.vectors[k][fieldRate])
		g.turned.Set(k, angles)
		g.rates.Set(k, rates)
	}
	exist := d.sight.observer.SeenTurning4(n, &g.turned, &g.rates, &g.seen, &g.seenRates)
	found := d.found[g.kind][len(d.found[g.kind])-n:]
	for k := range found {
		if !d.measure(&g.objects[k], &found[k], &g.vectors[k], k, exist>>k&1 != 0) {
			return false
		}
	}
	g.size = 0
	return true
}

// measure completes the sensor's view x of the object o with the vectors v, which is number k of the
// group. It returns false when a part of it is malformed.
func (d *Detector) measure(o *object, x *Detection, v *vectors, k int, turns bool) bool {
	x.Position = d.sight.observer.SeenPosition(v[fieldPosition])
	if o.seen.Has(HasDimension) {
		if validSize(v[fieldDimension]) {
			x.Dimension, x.Has = v[fieldDimension], x.Has|HasDimension
		} else {
			d.blame(ObjectBadSize, o, x.nth)
		}
	}
	d.measureTurning(o, x, v, k, turns)
	if o.kind == MovingObject {
		x.Type = o.class
		d.measureMotion(o, x, v)
	}
	return d.describe(o, x, orientation(v[fieldOrientation]))
}

// measureTurning adds the orientation and its rate.
func (d *Detector) measureTurning(o *object, x *Detection, v *vectors, k int, turns bool) {
	switch {
	case !o.seen.Has(HasOrientation):
		d.blame(ObjectNoOrientation, o, x.nth)
		return
	case !v[fieldOrientation].Finite():
		d.blame(ObjectBadNumber, o, x.nth)
		return
	}
	x.Orientation, x.Has = d.group.seen.Of(k), x.Has|HasOrientation
	rate := d.group.seenRates.Of(k)
	switch {
	case !o.seen.Has(HasOrientationRate) || !turns: // rates of a vertical object do not exist; the input is not at fault
	case !rate.Finite():
		d.blame(ObjectBadNumber, o, x.nth)
	default:
		x.OrientationRate, x.Has = rate, x.Has|HasOrientationRate
	}
}

// measureMotion adds velocity and acceleration where both the object's and the host vehicle's are
// known.
func (d *Detector) measureMotion(o *object, x *Detection, v *vectors) {
	if speed := v[fieldVelocity]; o.seen.Has(HasVelocity) && speed.Finite() {
		x.Movement = Stationary
		if speed.Dot(speed) > standstill*standstill {
			x.Movement = Moving
		}
	}
	known := o.seen & d.host.Has
	if !known.Has(HasVelocity) {
		return
	}
	velocity, acceleration := d.sight.observer.SeenMotion(v[fieldPosition], v[fieldVelocity], v[fieldAcceleration])
	fine := x.setVector(HasVelocity, &x.Velocity, velocity)
	if known.Has(HasAcceleration) {
		fine = x.setVector(HasAcceleration, &x.Acceleration, acceleration) && fine
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
