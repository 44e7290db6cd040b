package frames

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func near(t require.TestingT, want, got Vector, tolerance float64, what ...any) {
	require.InDelta(t, want.X, got.X, tolerance, what...)
	require.InDelta(t, want.Y, got.Y, tolerance, what...)
	require.InDelta(t, want.Z, got.Z, tolerance, what...)
}

func triple(o Orientation) Vector { return Vector{o.Roll, o.Pitch, o.Yaw} }

func drawVector(t *rapid.T, size float64, label string) Vector {
	g := rapid.Float64Range(-size, size)
	return Vector{g.Draw(t, label+".x"), g.Draw(t, label+".y"), g.Draw(t, label+".z")}
}

// drawOrientation avoids a vertical x axis.
func drawOrientation(t *rapid.T, label string) Orientation {
	turn, tilt := rapid.Float64Range(-3.1, 3.1), rapid.Float64Range(-1.3, 1.3)
	return Orientation{turn.Draw(t, label+".roll"), tilt.Draw(t, label+".pitch"),
		turn.Draw(t, label+".yaw")}
}

func TestRotation_ISO8855(t *testing.T) {
	quarter := math.Pi / 2
	x, y, z := Vector{X: 1}, Vector{Y: 1}, Vector{Z: 1}
	for _, c := range []struct {
		name     string
		o        Orientation
		from, to Vector
	}{
		{"yaw turns forward to the left", Orientation{Yaw: quarter}, x, y},
		{"pitch takes the nose down", Orientation{Pitch: quarter}, x, Vector{Z: -1}},
		{"roll lifts the left side", Orientation{Roll: quarter}, y, z},
		{"yaw comes first", Orientation{Yaw: quarter, Pitch: quarter}, x, Vector{Z: -1}},
		{"pitch is about the turned axis", Orientation{Yaw: quarter, Pitch: quarter}, y,
			Vector{X: -1}},
		{"roll is about the axis turned twice", Orientation{Yaw: quarter, Roll: quarter}, z, x},
	} {
		r := c.o.Rotation()
		near(t, c.to, r.Apply(c.from), 1e-15, c.name)
		near(t, c.from, r.Into(c.to), 1e-15, c.name)
	}
}

func TestRotation_ProductOfElementary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, v := drawOrientation(t, "o"), drawVector(t, 10, "v")
		yaw, pitch, roll := Orientation{Yaw: o.Yaw}.Rotation(),
			Orientation{Pitch: o.Pitch}.Rotation(), Orientation{Roll: o.Roll}.Rotation()
		r := o.Rotation()
		near(t, yaw.Apply(pitch.Apply(roll.Apply(v))), r.Apply(v), 1e-13)
		near(t, RotateZ(v, o.Yaw), yaw.Apply(v), 1e-13)
		require.InDelta(t, v.Length(), r.Apply(v).Length(), 1e-13)
	})
}

func TestRotation_ComposeAndRelative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parent, child := drawOrientation(t, "parent").Rotation(), drawOrientation(t,
			"child").Rotation()
		v := drawVector(t, 10, "v")
		whole := parent.Compose(&child)
		near(t, parent.Apply(child.Apply(v)), whole.Apply(v), 1e-13)
		back := parent.Relative(&whole)
		near(t, child.Apply(v), back.Apply(v), 1e-13)
	})
}

func TestRotation_OrientationGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrientation(t, "o")
		r := o.Rotation()
		near(t, triple(o), triple(r.Orientation()), 1e-13)
	})
}

// TestRotation_Vertical covers an x axis that points straight up or down, for which yaw and roll
// coincide.
func TestRotation_Vertical(t *testing.T) {
	for _, pitch := range []float64{math.Pi / 2, -math.Pi / 2} {
		o := Orientation{Roll: 0.3, Pitch: pitch, Yaw: 1.1}
		r := o.Rotation()
		got := r.Orientation()
		require.Zero(t, got.Roll)
		require.InDelta(t, pitch, got.Pitch, 1e-9)
		again := got.Rotation()
		near(t, r.Apply(Vector{1, 2, 3}), again.Apply(Vector{1, 2, 3}), 1e-9)
		_, ok := r.Rates(Vector{0.1, 0.2, 0.3})
		require.False(t, ok)
	}
}

// h is the step of numeric differentiation.
const h = 1e-5

// moving is an orientation whose angles are quadratic in time.
type moving struct{ o, rate, acceleration Orientation }

func (m moving) at(t float64) (o, rate Orientation) {
	f := func(a, b, c float64) (float64, float64) { return a + b*t + c*t*t/2, b + c*t }
	o.Roll, rate.Roll = f(m.o.Roll, m.rate.Roll, m.acceleration.Roll)
	o.Pitch, rate.Pitch = f(m.o.Pitch, m.rate.Pitch, m.acceleration.Pitch)
	o.Yaw, rate.Yaw = f(m.o.Yaw, m.rate.Yaw, m.acceleration.Yaw)
	return o, rate
}

func drawMoving(t *rapid.T, label string) moving {
	small := func(s string) Orientation {
		v := drawVector(t, 0.5, label+s)
		return Orientation{v.X, v.Y, v.Z}
	}
	return moving{drawOrientation(t, label), small(".rate"), small(".acceleration")}
}

// TestRotation_RatesAreDerivatives compares the rates with finite differences.
func TestRotation_RatesAreDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, v := drawMoving(t, "m"), drawVector(t, 1, "v")
		turned := func(dt float64) Vector {
			o, _ := m.at(dt)
			r := o.Rotation()
			return r.Apply(v)
		}
		omega := func(dt float64) Vector {
			o, rate := m.at(dt)
			r := o.Rotation()
			return r.AngularVelocity(rate)
		}
		r := m.o.Rotation()
		w := r.AngularVelocity(m.rate)
		near(t, turned(h).Sub(turned(-h)).Scale(0.5/h), w.Cross(r.Apply(v)), 1e-8)
		near(t, omega(h).Sub(omega(-h)).Scale(0.5/h), r.AngularAcceleration(m.rate, m.acceleration),
			1e-8)
		rates, ok := r.Rates(w)
		require.True(t, ok)
		near(t, triple(m.rate), triple(rates), 1e-12)
	})
}

// line is a point in accelerated motion.
type line struct{ p, v, a Vector }

func (l line) at(t float64) (p, v Vector) {
	return l.p.Add(l.v.Scale(t)).Add(l.a.Scale(t * t / 2)), l.v.Add(l.a.Scale(t))
}

func drawLine(t *rapid.T, label string) line {
	return line{drawVector(t, 100, label), drawVector(t, 30, label+".v"), drawVector(t, 5,
		label+".a")}
}

// observer is fixed to a body: its frame is at arm from the body's point and rotated by mounting.
func observer(body line, m moving, arm Vector, mounting Orientation, t float64) *Observer {
	turned, rate := m.at(t)
	r, mounted := turned.Rotation(), mounting.Rotation()
	o := Observer{Acceleration: body.a}
	o.Position, o.Velocity = body.at(t)
	o.AngularVelocity, o.AngularAcceleration = r.AngularVelocity(rate), r.AngularAcceleration(rate,
		m.acceleration)
	axes := r.Compose(&mounted)
	o.Face(o.Position.Add(r.Apply(arm)), &axes)
	return &o
}

// TestObserver_SeesDerivatives compares the observed motion with finite differences of the observed
// position.
func TestObserver_SeesDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, m := drawLine(t, "body"), drawMoving(t, "turning")
		arm, mounting := drawVector(t, 5, "arm"), drawOrientation(t, "mounting")
		point := drawLine(t, "point")
		seen := func(dt float64) (p, v, a Vector) {
			o := observer(body, m, arm, mounting, dt)
			where, velocity := point.at(dt)
			v, a = o.SeenMotion(where, velocity, point.a)
			return o.SeenPosition(where), v, a
		}
		p1, v1, _ := seen(-h)
		p2, v2, _ := seen(h)
		_, v, a := seen(0)
		near(t, p2.Sub(p1).Scale(0.5/h), v, 1e-5)
		near(t, v2.Sub(v1).Scale(0.5/h), a, 1e-5)
	})
}

// TestObserver_SeesTurning compares observed orientations and their rates in the same way.
func TestObserver_SeesTurning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, other := drawMoving(t, "own"), drawMoving(t, "other")
		mounting := drawOrientation(t, "mounting")
		seen := func(dt float64) (Orientation, Orientation) {
			o := observer(line{}, m, Vector{}, mounting, dt)
			turned, rate := other.at(dt)
			s, r, ok := o.SeenTurning(turned, rate)
			require.True(t, ok)
			return s, r
		}
		s, rate := seen(0)
		if math.Abs(s.Pitch) > 1.4 {
			t.Skip("close to vertical, differences are inaccurate")
		}
		before, _ := seen(-h)
		after, _ := seen(h)
		difference := func(a, b float64) float64 { return WrapAngle(a-b) * 0.5 / h }
		require.InDelta(t, difference(after.Roll, before.Roll), rate.Roll, 1e-4)
		require.InDelta(t, difference(after.Pitch, before.Pitch), rate.Pitch, 1e-4)
		require.InDelta(t, difference(after.Yaw, before.Yaw), rate.Yaw, 1e-4)
	})
}

// TestObserver_LevelIsNotASpecialCase compares the short computation for traffic on flat ground
// with the general one, which a negligible roll selects.
func TestObserver_LevelIsNotASpecialCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		angle := rapid.Float64Range(-4, 4)
		flat := moving{o: Orientation{Yaw: angle.Draw(t, "own")},
			rate: Orientation{Yaw: angle.Draw(t, "own rate")}}
		o := observer(line{}, flat, Vector{}, Orientation{Yaw: angle.Draw(t, "mounting")}, 0)
		require.True(t, o.level)
		turned, rate := Orientation{Yaw: angle.Draw(t, "other")}, Orientation{Yaw: angle.Draw(t,
			"other rate")}
		short, shortRate, ok := o.SeenTurning(turned, rate)
		require.True(t, ok)
		turned.Roll = 1e-300
		long, longRate, ok := o.SeenTurning(turned, rate)
		require.True(t, ok)
		require.InDelta(t, 0, math.Remainder(long.Yaw-short.Yaw, 2*math.Pi), 1e-12)
		require.LessOrEqual(t, math.Abs(short.Yaw), math.Pi)
		require.Zero(t, Vector{short.Roll, short.Pitch, 0})
		near(t, triple(longRate), triple(shortRate), 1e-12)
	})
}

// TestObserver_UprightForAMoment covers an observer that is momentarily upright while it rolls or
// pitches: other bodies appear to rotate the other way.
func TestObserver_UprightForAMoment(t *testing.T) {
	for _, w := range []Vector{{X: 0.3}, {Y: 0.3}, {X: -0.2, Y: 0.1, Z: 0.4}} {
		o, axes := Observer{AngularVelocity: w}, Orientation{}.Rotation()
		o.Face(Vector{}, &axes)
		seen, rate, ok := o.SeenTurning(Orientation{}, Orientation{})
		require.True(t, ok)
		require.Zero(t, seen)
		near(t, w.Scale(-1), triple(rate), 1e-15)
	}
}

// TestObserver_SeesWhatIsNotLevel covers each condition that rules out the short computation.
func TestObserver_SeesWhatIsNotLevel(t *testing.T) {
	level := Orientation{}.Rotation()
	for _, turned := range []Orientation{{}, {Roll: 0.1}, {Pitch: 0.1}} {
		for _, rate := range []Orientation{{Yaw: 0.2}, {Roll: 0.2}, {Pitch: 0.2}} {
			var o Observer
			o.Face(Vector{}, &level)
			seen, seenRate, ok := o.SeenTurning(turned, rate)
			require.True(t, ok)
			near(t, triple(turned), triple(seen), 1e-15)
			near(t, triple(rate), triple(seenRate), 1e-15)
		}
	}
	for _, c := range []struct {
		axes Rotation
		seen Orientation
	}{
		{Rotation{xx: 1, yy: -1, zz: -1}, Orientation{Roll: math.Pi, Yaw: -0.3}},
		{Orientation{Pitch: 1e-9}.Rotation(), Orientation{Roll: -1e-9 * math.Sin(0.3),
			Pitch: -1e-9 * math.Cos(0.3), Yaw: 0.3}},
	} {
		var o Observer
		o.Face(Vector{}, &c.axes)
		seen, _, ok := o.SeenTurning(Orientation{Yaw: 0.3}, Orientation{})
		require.True(t, ok)
		require.InDelta(t, math.Abs(c.seen.Roll), math.Abs(seen.Roll), 1e-15)
		require.InDelta(t, c.seen.Pitch, seen.Pitch, 1e-15)
		require.InDelta(t, c.seen.Yaw, seen.Yaw, 1e-15)
	}
}

func TestFinite(t *testing.T) {
	require.True(t, Vector{1, -2, math.MaxFloat64}.Finite())
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, v := range []Vector{{X: bad}, {Y: bad}, {Z: bad}} {
			require.False(t, v.Finite())
			require.False(t, Orientation{v.X, v.Y, v.Z}.Finite())
			require.False(t, Pose{Position: v}.Finite())
			require.False(t, Pose{Orientation: Orientation{v.X, v.Y, v.Z}}.Finite())
		}
	}
}
