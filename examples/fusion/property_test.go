package main

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/frames"
	"gosmp/proto/osi3"
)

// cheapest is the least sum of all pairings, found by trying them all.
func cheapest(costs [][]float64, limit float64, used []bool) float64 {
	if len(costs) == 0 {
		return 0
	}
	best := limit + cheapest(costs[1:], limit, used)
	for j, c := range costs[0] {
		if !used[j] && c < limit {
			used[j] = true
			best = min(best, c+cheapest(costs[1:], limit, used))
			used[j] = false
		}
	}
	return best
}

func TestAssignIsCheapest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(0, 6).Draw(t, "n"), rapid.IntRange(0, 6).Draw(t, "m")
		limit := rapid.Float64Range(1, 20).Draw(t, "limit")
		cost := rapid.OneOf(rapid.Float64Range(0, 30), rapid.SampledFrom([]float64{0, 1, 2, math.Inf(1), math.NaN()}))
		costs := make([][]float64, n)
		for i := range costs {
			costs[i] = rapid.SliceOfN(cost, m, m).Draw(t, "costs")
		}
		columns := assign(n, m, limit, func(i, j int) float64 { return costs[i][j] })
		require.Len(t, columns, n)
		sum, used := 0.0, make([]bool, m)
		for i, j := range columns {
			if j < 0 {
				sum += limit
				continue
			}
			require.Less(t, costs[i][j], limit, "a pair beyond the limit")
			require.False(t, used[j], "a column of two rows")
			used[j] = true
			sum += costs[i][j]
		}
		require.InDelta(t, cheapest(costs, limit, make([]bool, m)), sum, 1e-9)
	})
}

func drawVector(t *rapid.T, size float64, label string) frames.Vector {
	c := rapid.Float64Range(-size, size)
	return frames.Vector{X: c.Draw(t, label), Y: c.Draw(t, label), Z: c.Draw(t, label)}
}

func drawEstimate(t *rapid.T, label string) estimate {
	s := rapid.Float64Range(0.05, 5)
	d := frames.Vector{X: s.Draw(t, label), Y: s.Draw(t, label), Z: s.Draw(t, label)}
	a := drawVector(t, 3, label)
	r := orientation(a).Rotation()
	return estimate{Known: true, Value: drawVector(t, 100, label), Cov: diagonal(d.X*d.X, d.Y*d.Y, d.Z*d.Z)}.turned(&r)
}

func TestNoCovarianceIsTooThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		thin := rapid.SampledFrom([]float64{0.01, 1, 1e3})
		var e [2]estimate
		for k := range e {
			x, y, z := thin.Draw(t, "x"), thin.Draw(t, "y"), thin.Draw(t, "z")
			r := orientation(drawVector(t, 3, "angles")).Rotation()
			e[k] = estimate{Known: true, Value: drawVector(t, 1, "value"), Cov: diagonal(x*x, y*y, z*z)}.turned(&r)
		}
		m := e[0].merged(e[1])
		require.True(t, m.Value.Finite() && m.Cov.deviations().Finite(), "%+v", m)
		require.LessOrEqual(t, m.Cov.trace(), 1.001*min(e[0].Cov.trace(), e[1].Cov.trace()))
		require.GreaterOrEqual(t, e[0].distance2(&e[1], 1e12), 0.0)
	})
}

func near(t require.TestingT, want, got frames.Vector, tolerance float64) {
	require.InDelta(t, 0, got.Sub(want).Length(), tolerance*(1+want.Length()))
}

func TestMergingIsInformationAddedUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawEstimate(t, "a"), drawEstimate(t, "b")
		c := a.merged(b)
		v := drawVector(t, 10, "v")
		near(t, v, a.Cov.inverse().times(a.Cov.times(v)), 1e-6)
		// C⁻¹ v = C1⁻¹ v + C2⁻¹ v for any v, and the same with the values: what defines the best linear combination.
		near(t, c.Cov.inverse().times(v), a.Cov.inverse().times(v).Add(b.Cov.inverse().times(v)), 1e-6)
		near(t, c.Cov.inverse().times(c.Value), a.Cov.inverse().times(a.Value).Add(b.Cov.inverse().times(b.Value)), 1e-6)
		d := b.merged(a)
		near(t, c.Value, d.Value, 1e-6)
		require.InEpsilon(t, a.distance2(&b, 1e12), b.distance2(&a, 1e12), 1e-6)
		if d2 := a.distance2(&b, 9); !math.IsInf(d2, 1) {
			require.Equal(t, a.distance2(&b, 1e12), d2)
		} else {
			require.Greater(t, a.distance2(&b, 1e12), 9.0, "what the quick look refuses is beyond the limit")
		}
	})
}

// drawCars are cars that may be anywhere, in the same place, too.
func drawCars(t *rapid.T, label string) []car {
	coarse := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-6, 6).Draw(t, "cell")) / 2 })
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) car {
		return car{
			id: rapid.Uint64Range(1, 1000).Draw(t, "id"), x: coarse.Draw(t, "x"), y: coarse.Draw(t, "y"), vx: coarse.Draw(t, "vx"),
			sigma:     rapid.SampledFrom([]float64{0, 0.25, 1}).Draw(t, "sigma"),
			existence: rapid.Float64Range(0.1, 1).Draw(t, "existence"),
		}
	}), 0, 8).Draw(t, label)
}

func shuffled(t *rapid.T, cars []car, label string) []car {
	return rapid.Permutation(cars).Draw(t, label)
}

// places are the objects of a message without what names them, in an order of their own.
func places(d *osi3.SensorData) (list [][3]float64) {
	for _, m := range d.GetMovingObject() {
		b := m.GetBase()
		list = append(list, [3]float64{b.GetPosition().GetX(), b.GetPosition().GetY(), b.GetVelocity().GetX()})
	}
	return list
}

// alike says whether every place of one list is in the other, whatever the order.
func alike(a, b [][3]float64) bool {
	for _, p := range a {
		k := slices.IndexFunc(b, func(q [3]float64) bool {
			return max(math.Abs(p[0]-q[0]), math.Abs(p[1]-q[1]), math.Abs(p[2]-q[2])) < 1e-9
		})
		if k < 0 {
			return false
		}
		b = slices.Delete(b, k, k+1)
	}
	return len(b) == 0
}

func TestOrderAndIDsOfTheInputsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawCars(rt, "a"), drawCars(rt, "b")
		for k := range a {
			a[k].x += float64(k) / 1024 // no two alike, so that there is one answer
			a[k].id = uint64(k)
		}
		for k := range b {
			b[k].y += float64(k) / 1024
			b[k].id = uint64(k)
		}
		c, d := shuffled(rt, a, "c"), shuffled(rt, b, "d")
		offset := rapid.Uint64Range(0, 1000).Draw(rt, "offset")
		for _, list := range [][]car{c, d} {
			for k := range list {
				list[k].id = (list[k].id*7919 + offset) % 10007 // other ids, in another order
			}
		}
		one, two, three := start(t, nil), start(t, nil), start(t, nil)
		for n := 1; n <= 2; n++ {
			first := step(t, one, front.sees(ms(20*n), slices.Clone(a)...), left.sees(ms(20*n), slices.Clone(b)...))
			second := step(t, two, front.sees(ms(20*n), slices.Clone(c)...), left.sees(ms(20*n), slices.Clone(d)...))
			require.True(rt, proto.Equal(first, second), "%v\n%v", places(first), places(second))
			swapped := step(t, three, left.sees(ms(20*n), slices.Clone(b)...), front.sees(ms(20*n), slices.Clone(a)...))
			require.True(rt, alike(places(first), places(swapped)), "%v\n%v", places(first), places(swapped))
			require.LessOrEqual(rt, len(first.MovingObject), len(a)+len(b))
			require.GreaterOrEqual(rt, len(first.MovingObject), max(len(a), len(b)))
		}
	})
}

func TestExistenceNeverFallsByMerging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := rapid.Float64Range(0, 1).Draw(t, "p"), rapid.Float64Range(0, 1).Draw(t, "q")
		both := *either(&p, &q)
		require.GreaterOrEqual(t, both, max(p, q)-1e-15)
		require.LessOrEqual(t, both, 1.0)
		require.Equal(t, []*float64{&p, &p, nil}, []*float64{either(&p, nil), either(nil, &p), either(nil, nil)})
	})
}

func TestUselessInputIsToldAndLeftOut(t *testing.T) {
	nan, far := math.NaN(), 1e9
	good := left.sees(ms(20), car{x: 5, sigma: 1})
	for name, c := range map[string]struct {
		spoil func(d *osi3.SensorData)
		log   string
		count int
	}{
		"mounting": {func(d *osi3.SensorData) { d.MountingPosition.Position.Z = &nan }, "useless mounting_position", 1},
		"old list": {func(d *osi3.SensorData) { d.MovingObjectHeader.MeasurementTime.Seconds = proto.Int64(-1) },
			"1 s before the end of the step; inputs.maxAge allows 0.5 s", 1},
		"future": {func(d *osi3.SensorData) { d.Timestamp.Seconds = proto.Int64(9) }, "stamped 9.020000000s, -9 s before", 1},
		"NaN":    {func(d *osi3.SensorData) { d.MovingObject[0].Base.Position.X = &nan }, "OSMPSensorDataIn[1]: 1 objects without", 2},
		"far":    {func(d *osi3.SensorData) { d.MovingObject[0].Base.Position.Y = &far }, "beyond 1e+06 m, are left out", 2},
		"no base": {func(d *osi3.SensorData) { d.MovingObject[0].Base, d.MovingObject[0].Header = nil, nil },
			"1 objects without a position", 2},
		"old recording": {func(d *osi3.SensorData) { d.LastMeasurementTime.Seconds = proto.Int64(-9) }, "", 3},
		"no header":     {func(d *osi3.SensorData) { d.MovingObject[0].Header = nil }, "", 3},
		"no head":       {func(d *osi3.SensorData) { *d = osi3.SensorData{MovingObject: d.MovingObject} }, "", 3},
		"NaN velocity":  {func(d *osi3.SensorData) { d.MovingObject[0].Base.Velocity.X = &nan }, "", 3},
		"NaN rmse":      {func(d *osi3.SensorData) { d.MovingObject[0].BaseRmse.Position.X = &nan }, "", 3},
		"probability":   {func(d *osi3.SensorData) { d.MovingObject[0].Header.ExistenceProbability = &far }, "", 3},
	} {
		r := start(t, nil)
		bad := front.sees(ms(20), car{x: 40, sigma: 1}, car{x: 60, sigma: 1})
		c.spoil(bad)
		d := step(t, r, bad, proto.Clone(good).(*osi3.SensorData))
		require.Len(t, d.GetMovingObject(), c.count, name)
		log := r.Log()
		if c.log == "" {
			require.Empty(t, log, name)
			continue
		}
		require.Len(t, log, 1, name)
		require.Contains(t, log[0], c.log, name)
		step(t, r, bad, nil)
		require.Empty(t, r.Log(), "once")
	}
}

func FuzzAnyBytesGiveAMessageOrNone(f *testing.F) {
	seed := func(d *osi3.SensorData) []byte { b, _ := proto.Marshal(d); return b }
	f.Add(seed(front.sees(ms(20), drive(1)...)), seed(left.sees(ms(20), drive(1)...)))
	f.Add([]byte{}, []byte("no message"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		r := start(t, nil)
		for n := range 3 {
			r.Write(in1, a)
			r.Write(in2, b)
			require.LessOrEqual(t, r.TryStep(h), fmi.Warning)
			var d osi3.SensorData
			if !r.Decode(out, &d) {
				continue
			}
			seen := map[uint64]bool{}
			for _, m := range d.GetMovingObject() {
				id := m.GetHeader().GetTrackingId().GetValue()
				require.False(t, seen[id] || id == 0, "%d: tracking id %d", n, id)
				seen[id] = true
				p, v := vector(m.GetBase().GetPosition()).Vector, vector(m.GetBase().GetVelocity()).Vector
				require.True(t, p.Finite() && v.Finite())
			}
		}
	})
}

func BenchmarkStepOfTwiceFiftyObjects(b *testing.B) {
	var cars []car
	for k := range 50 {
		cars = append(cars, car{id: uint64(k + 1), x: 8 * float64(k), y: 3.5 * float64(k%3), vx: float64(k % 7), sigma: 0.2,
			existence: 0.8, kind: osi3.MovingObject_TYPE_VEHICLE, truth: uint64(k + 1)})
	}
	r := start(b, nil)
	one, err := proto.Marshal(front.sees(ms(20), slices.Clone(cars)...))
	require.NoError(b, err)
	two, err := proto.Marshal(left.sees(ms(20), slices.Clone(cars)...))
	require.NoError(b, err)
	for n := range b.N {
		b.StopTimer()
		r.Write(in1, one)
		r.Write(in2, two)
		b.StartTimer()
		if r.Instance().DoStep(float64(n)*1e-6, 1e-6) > fmi.Warning {
			b.Fatal(r.Log())
		}
	}
	b.StopTimer()
	require.Equal(b, int32(50), r.Get("matched"))
}
