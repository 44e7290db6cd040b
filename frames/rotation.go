package frames

import (
	"math"

	"gosmp/internal/portable"
)

// The arithmetic of this file produces the same bits on every platform: products are rounded by a
// conversion before they are added, which prevents the compiler from fusing the two operations on
// processors that support it.

// Add returns v + w.
func (v Vector) Add(w Vector) Vector { return Vector{v.X + w.X, v.Y + w.Y, v.Z + w.Z} }

// Sub returns v - w.
func (v Vector) Sub(w Vector) Vector { return Vector{v.X - w.X, v.Y - w.Y, v.Z - w.Z} }

// Scale returns v times s.
func (v Vector) Scale(s float64) Vector {
	return Vector{float64(v.X * s), float64(v.Y * s), float64(v.Z * s)}
}

// Dot returns the scalar product of v and w.
func (v Vector) Dot(w Vector) float64 {
	return float64(v.X*w.X) + float64(v.Y*w.Y) + float64(v.Z*w.Z)
}

// Cross returns the vector product of v and w.
func (v Vector) Cross(w Vector) Vector {
	return Vector{
		float64(v.Y*w.Z) - float64(v.Z*w.Y),
		float64(v.Z*w.X) - float64(v.X*w.Z),
		float64(v.X*w.Y) - float64(v.Y*w.X),
	}
}

// Length returns the Euclidean length of v.
func (v Vector) Length() float64 { return math.Sqrt(v.Dot(v)) }

// Finite reports whether no coordinate is infinite or NaN.
func (v Vector) Finite() bool { return finite(v.X) && finite(v.Y) && finite(v.Z) }

// finite relies on the fact that subtracting an infinity or NaN from itself yields NaN.
func finite(x float64) bool { return x-x == 0 }

// Orientation holds the Tait-Bryan angles of ISO 8855 in rad: a frame is rotated from its parent by
// yaw about z, then by pitch about the new y, then by roll about the new x. The same fields also
// hold the time derivatives of these angles in rad/s and rad/s2, as in OSI; such derivatives are
// not the components of an angular velocity.
type Orientation struct{ Roll, Pitch, Yaw float64 }

// Finite reports whether no angle is infinite or NaN.
func (o Orientation) Finite() bool { return finite(o.Roll) && finite(o.Pitch) && finite(o.Yaw) }

// Quaternion returns the attitude as a unit quaternion, w its real part.
func (o Orientation) Quaternion() (x, y, z, w float64) {
	sr, cr := portable.Sincos(o.Roll / 2)
	sp, cp := portable.Sincos(o.Pitch / 2)
	sy, cy := portable.Sincos(o.Yaw / 2)
	return float64(sr*cp*cy) - float64(cr*sp*sy), float64(cr*sp*cy) + float64(sr*cp*sy),
		float64(cr*cp*sy) - float64(sr*sp*cy), float64(cr*cp*cy) + float64(sr*sp*sy)
}

// Rotation is the attitude of a frame in its parent frame, as the matrix whose columns are the
// frame's axes in the parent's coordinates. Its zero value is not a rotation; use
// [Orientation.Rotation].
type Rotation struct {
	xx, xy, xz float64
	yx, yy, yz float64
	zx, zy, zz float64
}

// Rotation returns the attitude described by the angles.
func (o Orientation) Rotation() Rotation {
	var r Rotation
	r.Set(o)
	return r
}

// Set sets the attitude to the one described by the angles. It writes the numbers one by one: a
// processor that copies a structure whose fields were just written has to wait for those writes.
func (r *Rotation) Set(o Orientation) {
	sr, cr := portable.SincosFlat(o.Roll)
	sp, cp := portable.SincosFlat(o.Pitch)
	sy, cy := portable.Sincos(o.Yaw)
	r.xx, r.xy, r.xz = cy*cp, float64(cy*sp*sr)-float64(sy*cr), float64(cy*sp*cr)+float64(sy*sr)
	r.yx, r.yy, r.yz = sy*cp, float64(sy*sp*sr)+float64(cy*cr), float64(sy*sp*cr)-float64(cy*sr)
	r.zx, r.zy, r.zz = -sp, cp*sr, cp*cr
}

// Apply converts a vector from the frame's coordinates to the parent's.
func (r *Rotation) Apply(v Vector) Vector {
	return Vector{
		float64(r.xx*v.X) + float64(r.xy*v.Y) + float64(r.xz*v.Z),
		float64(r.yx*v.X) + float64(r.yy*v.Y) + float64(r.yz*v.Z),
		float64(r.zx*v.X) + float64(r.zy*v.Y) + float64(r.zz*v.Z),
	}
}

// Into converts a vector from the parent's coordinates to the frame's; it is the inverse of
// [Rotation.Apply].
func (r *Rotation) Into(v Vector) Vector {
	return Vector{r.IntoX(v), r.IntoY(v), r.IntoZ(v)}
}

// IntoX returns the x coordinate of [Rotation.Into].
func (r *Rotation) IntoX(v Vector) float64 {
	return float64(r.xx*v.X) + float64(r.yx*v.Y) + float64(r.zx*v.Z)
}

// IntoY returns the y coordinate of [Rotation.Into].
func (r *Rotation) IntoY(v Vector) float64 {
	return float64(r.xy*v.X) + float64(r.yy*v.Y) + float64(r.zy*v.Z)
}

// IntoZ returns the z coordinate of [Rotation.Into].
func (r *Rotation) IntoZ(v Vector) float64 {
	return float64(r.xz*v.X) + float64(r.yz*v.Y) + float64(r.zz*v.Z)
}

// Compose returns the attitude, in the parent of r, of a frame with the attitude child in the frame
// of r.
func (r *Rotation) Compose(child *Rotation) Rotation {
	x := r.Apply(Vector{child.xx, child.yx, child.zx})
	y := r.Apply(Vector{child.xy, child.yy, child.zy})
	z := r.Apply(Vector{child.xz, child.yz, child.zz})
	return Rotation{x.X, y.X, z.X, x.Y, y.Y, z.Y, x.Z, y.Z, z.Z}
}

// Relative returns the attitude of other in the frame of r, where both are given in the same parent
// frame.
func (r *Rotation) Relative(other *Rotation) Rotation {
	x := r.Into(Vector{other.xx, other.yx, other.zx})
	y := r.Into(Vector{other.xy, other.yy, other.zy})
	z := r.Into(Vector{other.xz, other.yz, other.zz})
	return Rotation{x.X, y.X, z.X, x.Y, y.Y, z.Y, x.Z, y.Z, z.Z}
}

// vertical is the cosine of pitch below which a frame's x axis counts as vertical: yaw and roll
// then rotate about the same axis and only their sum, or difference, can be determined.
const vertical = 1e-9

// horizontal returns the horizontal length of an axis.
func horizontal(axis Vector) float64 {
	return math.Sqrt(float64(axis.X*axis.X) + float64(axis.Y*axis.Y))
}

// x returns the frame's x axis.
func (r *Rotation) x() Vector { return Vector{r.xx, r.yx, r.zx} }

// Orientation returns the angles of the attitude: roll and yaw in [-pi, pi], pitch in [-pi/2,
// pi/2]. With a vertical x axis, where they are not unique, roll is 0.
func (r *Rotation) Orientation() Orientation {
	x := r.x()
	cosPitch := horizontal(x)
	if cosPitch < vertical {
		return Orientation{Pitch: portable.Atan2Flat(0-r.zx, cosPitch), Yaw: portable.Atan2(0-r.xy,
			r.yy)}
	}
	return angles(x, cosPitch, r.zy, r.zz)
}

// angles returns the angles of a frame whose x axis is not vertical. zy and zz are the heights of
// its y and z axis.
func angles(x Vector, cosPitch, zy, zz float64) Orientation {
	return Orientation{Roll: portable.Atan2Flat(zy, zz), Pitch: portable.Atan2Flat(0-x.Z, cosPitch),
		Yaw: portable.Atan2(x.Y, x.X)}
}

// AngularVelocity returns the angular velocity, in the parent's coordinates and rad/s, of a frame
// with this attitude whose angles change at the given rates.
func (r *Rotation) AngularVelocity(rate Orientation) Vector {
	if rate.Roll == 0 && rate.Pitch == 0 {
		return Vector{Z: rate.Yaw}
	}
	x, y := r.rollAndPitchAxis()
	return about(x, y, rate)
}

// about returns the angular velocity that results from rotations about the axes of roll, pitch and
// yaw.
func about(x, y Vector, rate Orientation) Vector {
	return x.Scale(rate.Roll).Add(y.Scale(rate.Pitch)).Add(Vector{Z: rate.Yaw})
}

// AngularAcceleration returns the time derivative of [Rotation.AngularVelocity], for angles that
// change at the given rates and accelerations.
func (r *Rotation) AngularAcceleration(rate, acceleration Orientation) Vector {
	_, derivative := r.AngularMotion(rate, acceleration)
	return derivative
}

// AngularMotion returns [Rotation.AngularVelocity] and [Rotation.AngularAcceleration], which share
// most of their computation.
func (r *Rotation) AngularMotion(rate, acceleration Orientation) (velocity, derivative Vector) {
	x, y := r.rollAndPitchAxis()
	velocity = Vector{Z: rate.Yaw}
	if rate.Roll != 0 || rate.Pitch != 0 {
		velocity = about(x, y, rate)
	}
	turningX := velocity.Cross(x).Scale(rate.Roll)
	turningY := Vector{Z: rate.Yaw}.Cross(y).Scale(rate.Pitch)
	return velocity, about(x, y, acceleration).Add(turningX).Add(turningY)
}

// rollAndPitchAxis returns the axes of roll and pitch, in the parent's coordinates.
func (r *Rotation) rollAndPitchAxis() (x, y Vector) {
	cos := horizontal(r.x())
	return r.x(), Vector{X: -r.yx / cos, Y: r.xx / cos}
}

// Rates returns the rates of change of the angles of a frame with this attitude and the angular
// velocity w, given in the parent's coordinates; it is the inverse of [Rotation.AngularVelocity].
// With a vertical x axis the rates do not exist and ok is false.
func (r *Rotation) Rates(w Vector) (rate Orientation, ok bool) {
	return rates(r.x(), horizontal(r.x()), w)
}

// rates computes Rates for a frame with this x axis.
func rates(x Vector, cosPitch float64, w Vector) (rate Orientation, ok bool) {
	if cosPitch < vertical {
		return Orientation{}, false
	}
	rate.Roll = (float64(x.X*w.X) + float64(x.Y*w.Y)) / (cosPitch * cosPitch)
	rate.Pitch = (float64(x.X*w.Y) - float64(x.Y*w.X)) / cosPitch
	rate.Yaw = w.Z - float64(x.Z*rate.Roll)
	return rate, true
}

// Pose is the position and orientation of a frame in its parent frame, with the origin in m.
type Pose struct {
	Position    Vector
	Orientation Orientation
}

// Finite reports whether no number of the pose is infinite or NaN.
func (p Pose) Finite() bool { return p.Position.Finite() && p.Orientation.Finite() }

// Observer is a rigid body in motion with a frame fixed to it, from which other bodies are
// observed. All fields are in the coordinates of one stationary frame: position, velocity and
// acceleration of one point of the body in m, m/s, m/s2, and its rotation in rad/s and rad/s2.
// Observations are in the coordinates of the observer's frame.
type Observer struct {
	Position, Velocity, Acceleration     Vector
	AngularVelocity, AngularAcceleration Vector

	origin Vector // of the frame
	axes   Rotation
	yaw    float64 // of the frame, if it is level
	level  bool    // the frame is upright, and the body rotates only about the vertical
}

// Face sets the origin and axes of the observer's frame. The angular velocity must already be set.
func (o *Observer) Face(origin Vector, axes *Rotation) {
	o.origin, o.axes = origin, *axes
	upright := axes.zx == 0 && axes.zy == 0 && axes.zz == 1
	o.level = upright && o.AngularVelocity.X == 0 && o.AngularVelocity.Y == 0
	if o.level {
		o.yaw = portable.Atan2(axes.yx, axes.xx)
	}
}

// SeenPosition returns the position of a point as seen by the observer.
func (o *Observer) SeenPosition(p Vector) Vector { return o.axes.Into(p.Sub(o.origin)) }

// SeenMotion returns the first and second time derivative, as the observer sees them, of the
// position of a point with the given velocity and acceleration. The first is the point's velocity
// minus the velocity of the observer's body at the point. The second contains the centrifugal,
// Euler and Coriolis terms, and these terms do not affect the first.
func (o *Observer) SeenMotion(position, velocity, acceleration Vector) (v, a Vector) {
	arm, w := position.Sub(o.Position), o.AngularVelocity
	carried := w.Cross(arm)
	v = velocity.Sub(o.Velocity).Sub(carried)
	a = acceleration.Sub(o.Acceleration).Sub(o.AngularAcceleration.Cross(arm)).Sub(
		w.Cross(carried.Add(v.Scale(2))))
	return o.axes.Into(v), o.axes.Into(a)
}

// SeenTurning returns the orientation of a body as the observer sees it, and the rates of change of
// its angles. ok is false when these do not exist, because the body's x axis is the observer's z
// axis.
func (o *Observer) SeenTurning(turned, rate Orientation) (seen, seenRate Orientation, ok bool) {
	if o.level && turned.Roll == 0 && turned.Pitch == 0 && rate.Roll == 0 && rate.Pitch == 0 {
		// Traffic on flat ground: all bodies rotate about the same axis, so no matrices are needed.
		seen.Yaw, seenRate.Yaw = turned.Yaw-o.yaw, rate.Yaw-o.AngularVelocity.Z
		if math.Abs(seen.Yaw) > math.Pi {
			seen.Yaw = WrapAngle(seen.Yaw)
		}
		return seen, seenRate, true
	}
	var own Rotation
	own.Set(turned)
	x := o.axes.Into(own.x())
	cosPitch := horizontal(x)
	seenRate, ok = rates(x, cosPitch, o.axes.Into(own.AngularVelocity(rate).Sub(o.AngularVelocity)))
	if !ok {
		relative := o.axes.Relative(&own)
		return relative.Orientation(), seenRate, false
	}
	// Of the relative attitude, only its x axis and the heights of the other axes are needed.
	zy, zz := o.axes.IntoZ(Vector{own.xy, own.yy, own.zy}), o.axes.IntoZ(Vector{own.xz, own.yz,
		own.zz})
	return angles(x, cosPitch, zy, zz), seenRate, true
}
