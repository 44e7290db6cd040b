package mocksim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// The expected values in these tests come from an independent calculation.

func TestIDM_MeetsFigures(t *testing.T) {
	d := Driver{TimeGap: 1.5}.completed()
	for _, c := range []struct{ v, v0, gap, approach, want float64 }{
		{20, 30, math.Inf(1), 0, 1.203703704},
		{20, 30, 30, 5, -4.971053288},
		{20, 30, 30, -5, 1.187349584},
		{30, 30, 100, 0, -0.33135},
		{33, 30, math.Inf(1), 0, -0.69615},
		{0, 15, 2, 0, 0},
		{20, 30, 35.722002, 0, 0},
		{10, 15, 18.977314, 0, 0},
	} {
		require.InDelta(t, c.want, d.idm(c.v, c.v0, c.gap, c.approach), 2e-7, "%+v", c)
	}
	require.Equal(t, -hardest, d.idm(40, 30, 0.1, 40))
}

func TestIDM_StopsBeforeAnObstacle(t *testing.T) {
	d := Driver{TimeGap: 1.5}.completed()
	v, gap, hard := 20.0, 200.0, 0.0
	for range 60 * 50 {
		a := d.idm(v, 30, gap, v)
		hard = min(hard, a)
		way, after := travel(v, a, 0.02)
		v, gap = after, gap-way
	}
	require.InDelta(t, 2.0, gap, 0.05)
	require.Greater(t, hard, -2.2)
}

func TestBicycle_MeetsFiguresAtAnyStep(t *testing.T) {
	for _, c := range []struct{ v, a, steer, time, x, y, yaw float64 }{
		{10, 0, 0.05, 10, 51.814791540, 69.000543107, 1.853396607},
		{5, 1, 0.1, 5, 26.488279444, 22.164845653, 1.393537112},
		{8, -3, -0.02, 5, 10.655568593, -0.421236099, math.NaN()},
	} {
		for _, steps := range []int{1, 7, 500} {
			x, y, yaw, v := 0.0, 0.0, 0.0, c.v
			h := c.time / float64(steps)
			for range steps {
				if v == 0 {
					break
				}
				way, after := rolled(v, c.a, h)
				dx, dy, turn := arc(way, math.Tan(c.steer)/2.7, yaw)
				x, y, yaw, v = x+dx, y+dy, yaw+turn, after
			}
			require.InDelta(t, c.x, x, 1e-8)
			require.InDelta(t, c.y, y, 1e-8)
			if !math.IsNaN(c.yaw) {
				require.InDelta(t, c.yaw, yaw, 1e-9)
			}
		}
	}
}

func TestPedals_FullThrottle(t *testing.T) {
	a := &actor{kind: Car, shape: Car.Shape()}
	v := 0.0
	want := map[int]float64{5000: 18.9, 10000: 30.6, 20000: 42.8}
	for ms := 1; ms <= 20000; ms++ {
		_, v = rolled(v, a.pedals(&Controls{Throttle: 1, Gear: 1}, v, 0), 0.001)
		if w, ok := want[ms]; ok {
			require.InDelta(t, w, v, 0.1)
		}
	}
}

func TestPedals_NothingRollsAgainstItsGear(t *testing.T) {
	a := &actor{kind: Car, shape: Car.Shape()}
	uphill := -0.1
	require.Zero(t, a.pedals(&Controls{Gear: 1}, 0, uphill))
	require.Positive(t, a.pedals(&Controls{Gear: 1}, 0, -uphill), "it rolls downhill")
	require.Zero(t, a.pedals(&Controls{Gear: 1, Throttle: 1, Brake: 0.1}, 0, 0), "the brake wins")
	require.Negative(t, a.pedals(&Controls{Gear: -1, Throttle: 1}, 0, 0))
}

func TestSlip_SteadyYawRates(t *testing.T) {
	for _, c := range []struct{ v, gain float64 }{{10, 3.332305}, {20, 5.123340}, {30, 5.546995}} {
		d := driving{}
		const steer = 0.02
		for range 1000 {
			d.slip(c.v, steer, 2.7, 0.02)
		}
		require.InDelta(t, c.gain, d.yawRate/steer, 1e-6)
		if c.v == 20 {
			require.InDelta(t, -0.149905, d.lateral, 1e-6)
		}
	}
}

func TestOverlap_MeetsPolygonAreas(t *testing.T) {
	a := box{0, 0, 1, 0, 4.5, 1.8}
	at := func(x, y, yaw, length, width float64) *box {
		sin, cos := math.Sincos(yaw)
		return &box{x, y, cos, sin, length, width}
	}
	for _, c := range []struct {
		b    *box
		want float64
	}{
		{at(4.4, 0, 0, 4.5, 1.8), 0.1},
		{at(4.6, 0, 0, 4.5, 1.8), -0.1},
		{at(3.2, 1.9, math.Pi/6, 4.5, 1.8), 0.904423},
		{at(3.2, 2.9, math.Pi/6, 4.5, 1.8), -0.095577},
		{at(3.7, 2.3, math.Pi/4, 4.5, 1.8), 0.234746},
		{at(2.4, 1.2, 0.3, 0.5, 0.6), 0.018043},
	} {
		depth, _ := overlap(&a, c.b)
		require.InDelta(t, c.want, depth, 1e-6)
		back, _ := overlap(c.b, &a)
		require.InDelta(t, depth, back, 1e-12)
	}
}

func TestSidestep_DerivativesAndCurvature(t *testing.T) {
	const bend = 2.0 / (15 * 15) // a lateral acceleration of 2 m/s2 at 15 m/s
	o := sidestep{from: 7, length: reachOf(-3.5, 0, bend)}
	require.InDelta(t, 3.178621*15, o.length, 1e-5)
	o.aside = decay(-3.5, 0, 0)
	most := 0.0
	for k := range 1001 {
		u := 7 + o.length*float64(k)/1000
		e, d, dd, ddd := o.at(u)
		most = max(most, math.Abs(dd))
		const h = 1e-4
		next, dNext, ddNext, _ := o.at(min(u+h, 7+o.length))
		if k < 1000 {
			require.InDelta(t, d, (next-e)/h, 1e-5)
			require.InDelta(t, dd, (dNext-d)/h, 1e-5)
			require.InDelta(t, ddd, (ddNext-dd)/h, 1e-5)
		}
	}
	require.InDelta(t, bend, most, 1e-5)
	for _, x := range [][3]float64{{1, 0.2, -0.3}, {0, 0.5, 0}, {-2, 0, 0.1}} {
		c := decay(x[0], x[1], x[2])
		v, d, dd, _ := c.at(0)
		require.Equal(t, x, [3]float64{v, d, dd})
		v, d, dd, _ = c.at(1)
		require.InDeltaSlice(t, []float64{0, 0, 0}, []float64{v, d, dd}, 1e-12)
	}
	kink := sidestep{length: reachOf(0, 0.1, 0.05)}
	kink.aside = decay(0, 0.1*kink.length, 0)
	most = 0
	for k := range 1001 {
		_, _, dd, _ := kink.at(kink.length * float64(k) / 1000)
		most = max(most, math.Abs(dd))
	}
	require.InDelta(t, 0.05, most, 1e-4)
}

func TestSamples_Parabola(t *testing.T) {
	var s samples
	for _, ms := range []timebase.Time{0, 20, 50} {
		x := (ms * timebase.Millisecond).Seconds()
		s.add(ms*timebase.Millisecond, 5+3*x+2*x*x, 0, 0, 0)
	}
	v, a := s.middle(&s.x)
	require.InDelta(t, 3.08, v, 1e-9)
	require.InDelta(t, 4, a, 1e-9)
	v, a = s.last(&s.x)
	require.InDelta(t, 3.2, v, 1e-9)
	require.InDelta(t, 4, a, 1e-9)
}
