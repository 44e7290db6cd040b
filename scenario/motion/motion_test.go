package motion

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var shapes = []Shape{Linear, Cubic, Sinusoidal}

// TestShapeValues compares values at a quarter of the duration with the formulas of the standard.
func TestShapeValues(t *testing.T) {
	require.InDelta(t, 0.25, Linear.At(0.25), 1e-15)
	require.InDelta(t, 0.15625, Cubic.At(0.25), 1e-15)
	require.InDelta(t, 0.1464466094, Sinusoidal.At(0.25), 1e-10)
	for _, s := range shapes {
		require.InDelta(t, 0, s.At(0), 1e-15)
		require.InDelta(t, 1, s.At(1), 1e-15)
	}
}

// TestShapeDerivatives checks that derivatives, integrals and peaks agree with differences and sums
// of the values.
func TestShapeDerivatives(t *testing.T) {
	const n, h = 20000, 1.0 / 20000
	for _, s := range shapes {
		sum, slope, bend := 0.0, 0.0, 0.0
		for k := range n {
			a, b := s.At(float64(k)*h), s.At(float64(k+1)*h)
			sum += (a + b) / 2 * h
			q := (float64(k) + 0.5) * h
			require.InDelta(t, (b-a)/h, s.Slope(q), 1e-7)
			require.InDelta(t, sum, s.Integral(float64(k+1)*h), 1e-8)
			slope = max(slope, s.Slope(q))
			if k > 0 {
				bend = max(bend, math.Abs(s.At(float64(k-1)*h)-2*a+b)/h/h)
			}
		}
		require.InDelta(t, slope, s.PeakSlope(), 1e-6)
		if s != Linear {
			require.InDelta(t, bend, s.PeakBend(), 0.01)
		}
	}
}

func TestDurations(t *testing.T) {
	require.InDelta(t, 5, RateDuration(Linear, 10, 2), 1e-12)
	require.InDelta(t, 7.5, RateDuration(Cubic, -10, 2), 1e-12)
	require.InDelta(t, 3.5/2*math.Pi/2, RateDuration(Sinusoidal, 3.5, 2), 1e-12)
	require.True(t, math.IsInf(RateDuration(Linear, 1, 0), 1))
	require.Zero(t, RateDuration(Linear, 0, 0))
	require.InDelta(t, 2.221441, BendDuration(Sinusoidal, 1, 1), 1e-6)
	require.InDelta(t, 2.449490, BendDuration(Cubic, 1, 1), 1e-6)
	require.InDelta(t, 1.110721, BendDuration(Sinusoidal, 0.5, 2), 1e-6)
	require.Zero(t, BendDuration(Cubic, 1, math.Inf(1)))
	require.InDelta(t, 5, DistanceDuration(10, 20, 75), 1e-12)
	require.True(t, math.IsInf(DistanceDuration(0, 1e-300, 75), 1) || DistanceDuration(0, 1e-300,
		75) > 1e300)
}

// TestDistanceIsCovered checks that a change of speed over a distance covers exactly this distance.
func TestDistanceIsCovered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := Transition{Shape: rapid.SampledFrom(shapes).Draw(t, "shape"),
			From: rapid.Float64Range(0, 60).Draw(t, "from"), To: rapid.Float64Range(0.1,
				60).Draw(t, "to")}
		distance := rapid.Float64Range(0.1, 1000).Draw(t, "distance")
		if math.Abs(x.From-x.To) < 1e-6 {
			return
		}
		x.Duration = DistanceDuration(x.From, x.To, distance)
		steps, way := rapid.IntRange(1, 50).Draw(t, "steps"), 0.0
		for k := range steps {
			way += x.Integral(x.Duration*float64(k)/float64(steps),
				x.Duration*float64(k+1)/float64(steps))
		}
		require.InEpsilon(t, distance, way, 1e-9)
	})
}

func TestTransition(t *testing.T) {
	x := Transition{Sinusoidal, 10, 20, 5}
	require.InDelta(t, 15, x.At(2.5), 1e-12)
	require.InDelta(t, 75, x.Integral(0, 5), 1e-12)
	require.InDelta(t, 75+40, x.Integral(0, 7), 1e-12)
	require.InDelta(t, 20, x.At(9), 0)
	never := Transition{Linear, 10, 20, math.Inf(1)}
	require.InDelta(t, 10, never.At(1e6), 0)
	require.InDelta(t, 30, never.Integral(1, 4), 1e-12)
	step := Transition{Step, 10, 20, 0}
	require.InDelta(t, 60, step.Integral(0, 3), 1e-12)
}

// TestTransition_Both checks that both values at once have the same bits as each of them alone.
func TestTransition_Both(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := Transition{Shape: rapid.SampledFrom([]Shape{Linear, Cubic, Sinusoidal, Step}).Draw(t,
			"shape"), From: rapid.Float64Range(-60, 60).Draw(t, "from"),
			To:       rapid.Float64Range(-60, 60).Draw(t, "to"),
			Duration: rapid.SampledFrom([]float64{0, 0.3, 7, math.Inf(1)}).Draw(t, "duration")}
		at := rapid.Float64Range(-1, 9).Draw(t, "t")
		value, integral := x.Both(at)
		require.Equal(t, math.Float64bits(x.At(at)), math.Float64bits(value))
		require.InDelta(t, x.Integral(0, at), integral, 0)
	})
}

// checkProfile compares distances with sums of speeds, and speeds with the limits.
func checkProfile(t require.TestingT, p *Profile, l Limits) {
	const h = 1e-3
	way, last, rate := 0.0, 0.0, 0.0
	for k := 0; float64(k)*h < p.Duration()+1; k++ {
		v, a := p.At(float64(k) * h)
		if k > 0 {
			before, past := p.At(float64(k-1) * h)
			way += (v + before) / 2 * h
			rate = max(rate, math.Abs(a-past)/h)
		}
		last = v
		require.LessOrEqual(t, a, l.Acceleration+1e-6)
		require.GreaterOrEqual(t, a, -l.Deceleration-1e-6)
		require.InDelta(t, way, p.Way(0, float64(k)*h), 1e-3+2e-6*float64(k))
	}
	require.LessOrEqual(t, rate, max(l.AccelerationRate, l.DecelerationRate)+1e-6)
	require.False(t, math.IsNaN(last))
}

func TestProfileOfOneSpeed(t *testing.T) {
	l := Limits{100, 5, 10, 2, 4}
	for _, c := range []struct{ from, to, time float64 }{{0, 10, 8}, {0, 10, 4}, {10, 0, 6}, {20,
		5, 3},
		{0, 40, 2}} {
		var p Profile
		p.Make([]ProfileEntry{{c.to, c.time}}, c.from, 0, l, true)
		v, a := p.At(p.Duration())
		require.InDelta(t, c.to, v, 1e-9, c)
		require.InDelta(t, 0, a, 1e-9)
		checkProfile(t, &p, l)
		if !p.Limited {
			require.InDelta(t, c.time, p.Duration(), 1e-9)
		}
	}
}

func TestProfileOfSeveralSpeeds(t *testing.T) {
	l := Limits{100, 5, 10, 5, 5}
	var p Profile
	entries := []ProfileEntry{{0, 0}, {10, 5}, {15, 10}, {5, 5}}
	p.Make(entries, 0, 0, l, true)
	require.False(t, p.Limited)
	checkProfile(t, &p, l)
	p.Make(entries, 3, 0, NoLimits(), false)
	for at, want := range map[float64]float64{0: 0, 5: 10, 10: 12.5, 15: 15, 17.5: 10, 20: 5,
		30: 5} {
		v, _ := p.At(at)
		require.InDelta(t, want, v, 1e-12)
	}
	require.InDelta(t, 25+125+50, p.Way(0, 20), 1e-9)
	p.Make([]ProfileEntry{{20, -1}, {0, -1}}, 10, 0, Limits{100, 5, 10, 1, 1}, false)
	require.InDelta(t, 2+2, p.Duration(), 1e-12)
}

// TestTwoParts checks that two parts with opposite accelerations cover the distance in the given
// time, and end at the given speed.
func TestTwoParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := rapid.Float64Range(0, 30).Draw(t, "v"), rapid.Float64Range(0, 30).Draw(t, "w")
		time := rapid.Float64Range(1, 60).Draw(t, "time")
		way := time * rapid.Float64Range(0.1, 40).Draw(t, "mean")
		peak, a := TwoParts(v, w, way, time)
		if a == 0 {
			return
		}
		first := (peak - v) / a
		second := (peak - w) / a
		require.InDelta(t, time, first+second, 1e-6*time)
		require.InDelta(t, way, (v+peak)/2*first+(peak+w)/2*second, 1e-6*way+1e-6)
	})
}

// TestMeeting checks that an actor that starts from rest reaches its place when the master reaches
// the master's place.
func TestMeeting(t *testing.T) {
	for _, c := range []struct{ way, final, steady, time float64 }{{20, 5, 0, 8}, {20, 1.5, 5, 18},
		{60, 5, 10, 8}, {4, 5 / 3.6, 3, 6}} {
		m := Meeting{HasFinal: true, Final: c.final, Steady: c.steady}
		m.Start()
		const h = 0.001
		v, way, at := 0.0, c.way, 0.0
		for at < c.time-h/2 && way > 0 {
			v = m.Speed(v, way, c.time-at, h)
			way, at = way-v*h, at+h
		}
		require.InDelta(t, 0, way, 0.02, c)
		require.InDelta(t, c.final, v, 0.05, c)
	}
	var m Meeting
	require.Zero(t, m.Speed(5, 10, math.Inf(1), 0.01))
	require.InDelta(t, 1+2*(10-5.0)/25*0.01, m.Speed(1, 10, 5, 0.01), 1e-12)
}

func TestClothoid(t *testing.T) {
	c, err := NewClothoids([]Spiral{{Curvature: 0.1, Length: 5 * math.Pi}})
	require.NoError(t, err)
	var p Point
	c.At(15.707963267948966, &p)
	require.InDelta(t, 10, p.X, 1e-9)
	require.InDelta(t, 10, p.Y, 1e-9)
	require.InDelta(t, math.Pi/2, p.Heading, 1e-9)
	// Compare with the result of small steps along the heading.
	s := Spiral{X: 1, Y: 2, Heading: 0.3, Curvature: -0.02, Change: 0.003, Length: 60}
	c, err = NewClothoids([]Spiral{s})
	require.NoError(t, err)
	x, y := 1.0, 2.0
	const n = 200000
	for k := range n {
		d := 60 * (float64(k) + 0.5) / n
		h := 0.3 - 0.02*d + 0.0015*d*d
		x, y = x+math.Cos(h)*60/n, y+math.Sin(h)*60/n
	}
	c.At(60, &p)
	require.InDelta(t, x, p.X, 1e-8)
	require.InDelta(t, y, p.Y, 1e-8)
	_, err = NewClothoids([]Spiral{{Length: 0}})
	require.ErrorIs(t, err, ErrCurve)
	// Every point of a tight circle is exact.
	c, err = NewClothoids([]Spiral{{Curvature: 0.5, Length: 12}})
	require.NoError(t, err)
	for s := 0.0; s <= 12; s += 0.017 {
		c.At(s, &p)
		require.InDelta(t, 2*math.Sin(s/2), p.X, 1e-13, s)
		require.InDelta(t, 2-2*math.Cos(s/2), p.Y, 1e-13, s)
	}
}

// TestNURBS checks that a quarter of a circle is a NURBS of order 3 with the weight sqrt(2)/2 in
// the middle.
func TestNURBS(t *testing.T) {
	n, err := NewNURBS([]ControlPoint{{Point{X: 10, Time: 0}, 1}, {Point{X: 10, Y: 10, Time: 1},
		math.Sqrt2 / 2},
		{Point{Y: 10, Time: 2}, 1}}, []float64{0, 0, 0, 1, 1, 1}, 3)
	require.NoError(t, err)
	require.InDelta(t, 5*math.Pi, n.Length(), 1e-9)
	var p Point
	for k := range 11 {
		angle := math.Pi / 2 * float64(k) / 10
		n.At(10*angle, &p)
		require.InDelta(t, 10*math.Cos(angle), p.X, 1e-8)
		require.InDelta(t, 10*math.Sin(angle), p.Y, 1e-8)
		require.InDelta(t, angle+math.Pi/2, p.Heading, 1e-8)
		require.InDelta(t, 10*angle, n.AtTime(p.Time), 1e-6)
	}
	s, aside := Closest(n, 4*math.Sqrt2, 4*math.Sqrt2)
	require.InDelta(t, 10*math.Pi/4, s, 1e-6)
	require.InDelta(t, 2, aside, 1e-6)
	_, err = NewNURBS(nil, nil, 3)
	require.ErrorIs(t, err, ErrCurve)
}

// A jerk of 0 gives no infinite speeds.
func TestProfileWithoutJerk(t *testing.T) {
	for _, rates := range [][2]float64{{0, 5}, {5, 0}, {0, 0}} {
		l := Limits{Speed: 50, Acceleration: 4, Deceleration: 4, AccelerationRate: rates[0],
			DecelerationRate: rates[1]}
		var p Profile
		p.Make([]ProfileEntry{{Speed: 10, Time: 5}, {Speed: 4, Time: 3}}, 0, 0, l, true)
		require.True(t, p.Limited)
		require.InDelta(t, 25, p.Way(0, 5), 1e-9)
		v, a := p.At(2)
		require.InDelta(t, 4, v, 1e-9)
		require.InDelta(t, 2, a, 1e-9)
	}
}

// TestInterpolate: times between two others follow from the distances; all others stay unknown.
func TestInterpolate(t *testing.T) {
	none := math.NaN()
	times := []float64{none, 2, none, none, 5, none, 5, none}
	Interpolate(times, []float64{0, 1, 2, 2, 4, 4, 4, 9})
	require.InDeltaSlice(t, []float64{2, 3, 3, 5, 5, 5}, times[1:7], 1e-12)
	require.True(t, math.IsNaN(times[0]) && math.IsNaN(times[7]))
}

func TestPolyline(t *testing.T) {
	p, err := NewPolyline([]Point{{Time: 0}, {X: 10, Time: 2}, {X: 10, Y: 10, Time: 4}}, Corners)
	require.NoError(t, err)
	require.InDelta(t, 20, p.Length(), 1e-12)
	var at Point
	p.At(5, &at)
	require.InDelta(t, 0, at.Heading, 1e-12)
	p.At(10, &at)
	require.InDelta(t, math.Pi/4, at.Heading, 1e-6)
	p.At(9, &at)
	require.InDelta(t, math.Pi/8, at.Heading, 1e-9)
	p.At(15, &at)
	require.InDelta(t, math.Pi/2, at.Heading, 1e-9)
	require.InDelta(t, 5, p.AtTime(1), 1e-12)
	require.InDelta(t, 15, p.AtTime(3), 1e-12)
	require.InDelta(t, 20, p.AtTime(9), 1e-12)
	s, aside := Closest(p, 5, 1)
	require.InDelta(t, 5, s, 1e-12)
	require.InDelta(t, 1, aside, 1e-12)
	p.Pace(0) // a = 2 * 10 / 4 on the first line and v = 10 after it, so it comes to rest after 2 s
	require.InDelta(t, 2.5, p.AtTime(1), 1e-12)
	require.InDelta(t, 17.5, p.AtTime(3), 1e-12)
	_, err = NewPolyline([]Point{{}}, Corners)
	require.ErrorIs(t, err, ErrCurve)
}

// TestSpring_ClosedForm compares the spring with the closed form of a critically damped one, in
// steps of two sizes: the excess x(t) = (x0 + (w x0 - c0) t) exp(-w t), where the square of w is the
// tension.
func TestSpring_ClosedForm(t *testing.T) {
	limits := NoLimits()
	limits.Acceleration, limits.Deceleration = 5, 5
	for _, h := range []float64{0.01, 0.1} {
		var s Spring
		s.Start()
		x := Apart{Excess: 2, Closing: 0.5}
		w := math.Sqrt(0.4 * 5)
		for k := 1; float64(k)*h < 6; k++ {
			a := s.Next(x, h, limits)
			x.Excess -= x.Closing*h + a*h*h/2
			x.Closing += a * h
			now := float64(k) * h
			want := (2 + (w*2-0.5)*now) * math.Exp(-w*now)
			require.InDelta(t, want, x.Excess, 0.8*h*h, "h %g at %g", h, now)
		}
	}
}
