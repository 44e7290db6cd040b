package frames

import (
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkSeenTurning measures how long a tilted observer takes to observe 4096 tilted bodies that
// face in all directions. To compare two versions under load, run it with -benchtime 1x -count 400
// and take the minimum.
func BenchmarkSeenTurning(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	small := func() float64 { return 0.2 * (random.Float64() - 0.5) }
	o := Observer{AngularVelocity: Vector{0.01, 0.02, 0.03}}
	axes := Orientation{0.02, 0.03, 0.4}.Rotation()
	o.Face(Vector{}, &axes)
	turned, rates := make([]Orientation, 4096), make([]Orientation, 4096)
	for k := range turned {
		turned[k] = Orientation{small(), small(), 6.28 * random.Float64()}
		rates[k] = Orientation{small(), small(), small()}
	}
	sum := 0.0
	report := func(b *testing.B) {
		b.Helper()
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(turned)), "ns/body")
		if math.IsNaN(sum) {
			b.Fatal("an angle is not a number")
		}
	}
	b.Run("single", func(b *testing.B) {
		for b.Loop() {
			for k := range turned {
				seen, rate, _ := o.SeenTurning(turned[k], rates[k])
				sum += seen.Yaw + rate.Yaw
			}
		}
		report(b)
	})
	b.Run("four", func(b *testing.B) {
		var in, turning, seen, seenRate Triple4
		for b.Loop() {
			for k := 0; k < len(turned); k += 4 {
				for n := range 4 {
					in.SetOrientation(n, turned[k+n])
					turning.SetOrientation(n, rates[k+n])
				}
				o.SeenTurning4(4, &in, &turning, &seen, &seenRate)
				sum += seen[2][0] + seenRate[2][3]
			}
		}
		report(b)
	})
}
