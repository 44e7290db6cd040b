package frames

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/portable"
)

// angleFrom draws an angle or rate: mostly one that occurs in traffic, sometimes any other number.
func angleFrom(random *rand.Rand, width float64) float64 {
	special := [...]float64{0, math.Copysign(0, -1), math.Pi, -math.Pi, math.Pi / 2, -math.Pi / 2,
		math.Pi / 4,
		math.Nextafter(math.Pi/4, 0), 1 << 29, math.Nextafter(1<<29, 0), math.Inf(1), math.NaN(),
		5e-324, 1e300}
	switch random.IntN(20) {
	case 0:
		return special[random.IntN(len(special))]
	case 1:
		return (random.Float64() - 0.5) * math.Ldexp(1, random.IntN(40)-4)
	case 2:
		return float64(random.IntN(17)-8) * math.Pi / 4
	}
	return width * (random.Float64() - 0.5)
}

// sameNumber compares bits; all NaNs are the same.
func sameNumber(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

func sameAngles(a, b Orientation) bool {
	return sameNumber(a.Roll, b.Roll) && sameNumber(a.Pitch, b.Pitch) && sameNumber(a.Yaw, b.Yaw)
}

// TestSeenTurning4_SameBitsAsOneByOne checks that observing four bodies at once yields the same
// bits as observing each one alone, for any observer, bodies and number of bodies.
func TestSeenTurning4_SameBitsAsOneByOne(t *testing.T) {
	compareTurning(t)
	defer func(before bool) { fourAtOnce = before }(fourAtOnce)
	fourAtOnce = false
	compareTurning(t)
}

func compareTurning(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewPCG(11, 12))
	const observers, scenes = 200, 1500
	for range observers {
		o := Observer{AngularVelocity: Vector{angleFrom(random, 0.2), angleFrom(random, 0.2),
			angleFrom(random, 0.2)}}
		axes := Orientation{angleFrom(random, 0.4), angleFrom(random, 0.4), angleFrom(random,
			6.3)}.Rotation()
		o.Face(Vector{}, &axes)
		for range scenes {
			n := 1 + random.IntN(4)
			var turned, rate, seen, seenRate Triple4
			for k := range 4 {
				turned.SetOrientation(k, Orientation{angleFrom(random, 0.3), angleFrom(random, 0.3),
					angleFrom(random, 6.3)})
				rate.SetOrientation(k, Orientation{angleFrom(random, 0.3), angleFrom(random, 0.3),
					angleFrom(random, 0.3)})
			}
			ok := o.SeenTurning4(n, &turned, &rate, &seen, &seenRate)
			for k := range n {
				angles, rates, exist := o.SeenTurning(turned.Orientation(k), rate.Orientation(k))
				if !sameAngles(angles, seen.Orientation(k)) || exist && !sameAngles(rates,
					seenRate.Orientation(k)) || exist != (ok>>k&1 != 0) {
					require.Fail(t, "different",
						"body %d of %d, %v turning with %v, seen by %+v:\n%v %v %v alone\n%v %v "+
							"%v with others",
						k, n, turned.Orientation(k), rate.Orientation(k), o, angles, rates, exist,
						seen.Orientation(k), seenRate.Orientation(k), ok>>k&1 != 0)
				}
			}
		}
	}
}

// TestSeenMotion4_SameBitsAsOneByOne checks the motion of bodies in the same way.
func TestSeenMotion4_SameBitsAsOneByOne(t *testing.T) {
	compareMotion(t)
	defer func(before bool) { fourAtOnce = before }(fourAtOnce)
	fourAtOnce = false
	compareMotion(t)
}

func compareMotion(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewPCG(17, 18))
	vector := func(width float64) Vector {
		return Vector{angleFrom(random, width), angleFrom(random, width), angleFrom(random, width)}
	}
	same := func(a, b Vector) bool {
		return sameNumber(a.X, b.X) && sameNumber(a.Y, b.Y) && sameNumber(a.Z, b.Z)
	}
	for range 20_000 {
		o := Observer{Position: vector(1000), Velocity: vector(60), Acceleration: vector(10),
			AngularVelocity: vector(1), AngularAcceleration: vector(1)}
		axes := Orientation{angleFrom(random, 0.4), angleFrom(random, 0.4), angleFrom(random,
			6.3)}.Rotation()
		o.Face(vector(1000), &axes)
		n := 1 + random.IntN(4)
		var position, velocity, acceleration, seen, seenVelocity, seenAcceleration Triple4
		for k := range 4 {
			position.SetVector(k, vector(1000))
			velocity.SetVector(k, vector(60))
			acceleration.SetVector(k, vector(10))
		}
		o.SeenMotion4(n, &position, &velocity, &acceleration, &seen, &seenVelocity,
			&seenAcceleration)
		for k := range n {
			p := position.Vector(k)
			v, a := o.SeenMotion(p, velocity.Vector(k), acceleration.Vector(k))
			if !same(o.SeenPosition(p), seen.Vector(k)) || !same(v, seenVelocity.Vector(k)) ||
				!same(a, seenAcceleration.Vector(k)) {
				require.Fail(t, "different",
					"body %d of %d at %v with %v and %v, seen by %+v:\n%v %v %v alone\n%v %v "+
						"%v with others", k, n, p,
					velocity.Vector(k), acceleration.Vector(k), o, o.SeenPosition(p), v, a,
					seen.Vector(k), seenVelocity.Vector(k), seenAcceleration.Vector(k))
			}
		}
	}
}

// TestSeenTurning4_SameSignsOfZeros checks zeros of either sign in the same way.
func TestSeenTurning4_SameSignsOfZeros(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	zero := func() float64 { return math.Copysign(0, random.Float64()-0.5) }
	for range 20_000 {
		var turned, rate, seen, seenRate Triple4
		o := Observer{AngularVelocity: Vector{zero(), zero(), zero()}}
		axes := Orientation{angleFrom(random, 1), angleFrom(random, 1), angleFrom(random,
			6.3)}.Rotation()
		o.Face(Vector{}, &axes)
		for k := range 4 {
			turned.SetOrientation(k, Orientation{zero(), angleFrom(random, 0.3), zero()})
			rate.SetOrientation(k, Orientation{zero(), zero(), zero()})
		}
		o.SeenTurning4(4, &turned, &rate, &seen, &seenRate)
		for k := range 4 {
			angles, rates, exist := o.SeenTurning(turned.Orientation(k), rate.Orientation(k))
			if !sameAngles(angles, seen.Orientation(k)) || exist && !sameAngles(rates,
				seenRate.Orientation(k)) {
				require.Fail(t, "different", "%v turning with %v, seen by %+v",
					turned.Orientation(k), rate.Orientation(k), o)
			}
		}
	}
}

// TestSeenTurning4_SameBitsAtTheEdges checks given and observed angles at which the formula
// changes.
func TestSeenTurning4_SameBitsAtTheEdges(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	limits := []float64{0, math.Pi / 4, portable.Atan(0.66), 3 * math.Pi / 8, math.Pi / 2,
		5 * math.Pi / 8, math.Pi}
	near := func() float64 {
		x := limits[random.IntN(len(limits))]
		x += float64(random.IntN(9)-4) * math.Ldexp(1, random.IntN(20)-53)
		if random.IntN(2) == 0 {
			x = -x
		}
		return x
	}
	var o Observer
	o.AngularVelocity.X = 1e-3 // not level, but with the axes of the world
	axes := Orientation{}.Rotation()
	o.Face(Vector{}, &axes)
	for range 300_000 {
		var turned, rate, seen, seenRate Triple4
		for k := range 4 {
			turned.SetOrientation(k, Orientation{near(), near(), near()})
		}
		o.SeenTurning4(4, &turned, &rate, &seen, &seenRate)
		for k := range 4 {
			if angles, _, _ := o.SeenTurning(turned.Orientation(k), Orientation{}); !sameAngles(
				angles, seen.Orientation(k)) {
				require.Fail(t, "different",
					fmt.Sprintf("%v is seen as %v alone and as %v with others",
						turned.Orientation(k), angles, seen.Orientation(k)))
			}
		}
	}
}
