package objects_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
)

// This file uses plain matrices and differences to calculate what a sensor must see, without any
// code from package frames.

type triple [3]float64

func (a triple) plus(b triple, times float64) (c triple) {
	for i := range c {
		c[i] = a[i] + times*b[i]
	}
	return c
}

// matrix has the axes of a frame as its columns.
type matrix [3]triple

func (a matrix) times(b matrix) (c matrix) {
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

func (a matrix) apply(v triple) (w triple) {
	for i := range 3 {
		for k := range 3 {
			w[i] += a[i][k] * v[k]
		}
	}
	return w
}

func (a matrix) transposed() (b matrix) {
	for i := range 3 {
		for k := range 3 {
			b[k][i] = a[i][k]
		}
	}
	return b
}

// attitude rotates by yaw, pitch and roll, in this order, each about an axis of the rotated frame.
func attitude(rollPitchYaw triple) matrix {
	sr, cr := math.Sincos(rollPitchYaw[0])
	sp, cp := math.Sincos(rollPitchYaw[1])
	sy, cy := math.Sincos(rollPitchYaw[2])
	yaw := matrix{{cy, -sy, 0}, {sy, cy, 0}, {0, 0, 1}}
	pitch := matrix{{cp, 0, sp}, {0, 1, 0}, {-sp, 0, cp}}
	roll := matrix{{1, 0, 0}, {0, cr, -sr}, {0, sr, cr}}
	return yaw.times(pitch).times(roll)
}

func (a matrix) angles() triple {
	return triple{math.Atan2(a[2][1], a[2][2]), math.Asin(-a[2][0]), math.Atan2(a[1][0], a[0][0])}
}

// swing is a smooth function of time whose derivatives are known.
type swing struct{ start, slope, amplitude, frequency, phase float64 }

func (s swing) at(t float64) (x, dx, ddx float64) {
	sin, cos := math.Sincos(s.frequency*t + s.phase)
	a := s.amplitude
	return s.start + s.slope*t + a*sin, s.slope + a*s.frequency*cos,
		-a * s.frequency * s.frequency * sin
}

// mover is a body that tumbles through the world.
type mover struct{ place, turn [3]swing }

func drawMover(random *rand.Rand) (m mover) {
	any := func(scale float64) float64 { return scale * (2*random.Float64() - 1) }
	for i := range 3 {
		m.place[i] = swing{any(60), any(20), any(3), 1 + any(1), any(3)}
		m.turn[i] = swing{any(0.6), any(0.3), any(0.3), 1 + any(1), any(3)}
	}
	m.turn[2].start = any(3)
	return m
}

func at3(s [3]swing, t float64) (x, dx, ddx triple) {
	for i := range s {
		x[i], dx[i], ddx[i] = s[i].at(t)
	}
	return x, dx, ddx
}

var toRear = triple{-1.3, 0.1, -0.4}

func (m mover) object(n uint64, t float64) *osi3.MovingObject {
	vector := func(v triple) *osi3.Vector3D { return vec(v[0], v[1], v[2]) }
	orientation := func(v triple) *osi3.Orientation3D { return turn(v[0], v[1], v[2]) }
	p, v, a := at3(m.place, t)
	o, rate, acceleration := at3(m.turn, t)
	return &osi3.MovingObject{
		Id: id(n), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
		Base: &osi3.BaseMoving{
			Dimension: size(4, 2, 1), Position: vector(p), Velocity: vector(v),
			Acceleration: vector(a), Orientation: orientation(o),
			OrientationRate: orientation(rate), OrientationAcceleration: orientation(acceleration),
		},
		VehicleAttributes: &osi3.MovingObject_VehicleAttributes{BbcenterToRear: vector(toRear)},
	}
}

// eye is the frame of detections: of a sensor on a vehicle, or of the vehicle itself.
type eye struct {
	vehicle         mover
	mounted, turned triple
}

// see returns the position and attitude of a body as seen by the eye.
func (e eye) see(m mover, t float64) (place triple, turned matrix) {
	center, _, _ := at3(e.vehicle.place, t)
	angles, _, _ := at3(e.vehicle.turn, t)
	axes := attitude(angles)
	origin := center.plus(axes.apply(toRear.plus(e.mounted, 1)), 1)
	back := axes.times(attitude(e.turned)).transposed()
	p, _, _ := at3(m.place, t)
	o, _, _ := at3(m.turn, t)
	return back.apply(p.plus(origin, -1)), back.times(attitude(o))
}

// TestDetect_TumblingBodiesByMatrices compares detections with matrices, and their motion with
// differences, when nothing is level: host vehicle, mounting and object rotate about all axes.
func TestDetect_TumblingBodiesByMatrices(t *testing.T) {
	const h = 1e-4 // s
	random := rand.New(rand.NewPCG(11, 12))
	compared := 0
	for trial := range 300 {
		e := eye{vehicle: drawMover(random)}
		c := objects.Default()
		c.HalfAngle = math.Pi
		mounted := frames.Pose{
			Position: frames.Vector{X: 3 * random.Float64(), Y: random.Float64(),
				Z: random.Float64()},
			Orientation: frames.Orientation{Roll: random.NormFloat64(),
				Pitch: 0.4 * random.NormFloat64(), Yaw: random.NormFloat64()},
		}
		c.Mounting = &mounted
		if c.Frame = objects.Frame(trial % 2); c.Frame == objects.SensorFrame {
			p, o := mounted.Position, mounted.Orientation
			e.mounted, e.turned = triple{p.X, p.Y, p.Z}, triple{o.Roll, o.Pitch, o.Yaw}
		}
		body, now := drawMover(random), 2*random.Float64()
		view := plainView(body.object(9, now))
		view.GlobalGroundTruth.MovingObject[0] = e.vehicle.object(7, now)
		data, p := detect(t, c, view)
		place, turned := e.see(body, now)
		// too far away, or close to the singularity of the angles
		if len(data.MovingObject) == 0 || math.Abs(turned[2][0]) > 0.99 {
			continue
		}
		compared++
		require.Zero(t, p.fast.Problems())
		seen := data.MovingObject[0].Base
		before, turnedBefore := e.see(body, now-h)
		after, turnedAfter := e.see(body, now+h)
		near := func(want triple, got [3]float64, delta float64, what string) {
			for i := range want {
				require.InDelta(t, want[i], got[i], delta, "%s, coordinate %d, trial %d", what, i,
					trial)
			}
		}
		xyz := func(v *osi3.Vector3D) [3]float64 { return [3]float64{v.GetX(), v.GetY(), v.GetZ()} }
		rpy := func(o *osi3.Orientation3D) [3]float64 {
			return [3]float64{o.GetRoll(), o.GetPitch(), o.GetYaw()}
		}
		near(place, xyz(seen.Position), 1e-9, "position")
		near(triple{}.plus(after, 0.5/h).plus(before, -0.5/h), xyz(seen.Velocity), 1e-4, "velocity")
		near(triple{}.plus(after, 1/h/h).plus(before, 1/h/h).plus(place, -2/h/h),
			xyz(seen.Acceleration), 1e-3, "acceleration")
		near(turned.angles(), rpy(seen.Orientation), 1e-9, "orientation")
		var rate triple
		for i, a := range turnedAfter.angles() {
			rate[i] = math.Remainder(a-turnedBefore.angles()[i], 2*math.Pi) * 0.5 / h
		}
		near(rate, rpy(seen.OrientationRate), 1e-3, "orientation_rate")
	}
	require.Greater(t, compared, 150)
}
