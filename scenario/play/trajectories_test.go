package play

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAppendFixed compares with package strconv, which rounds exactly, also next to halves of the
// last digit.
func TestAppendFixed(t *testing.T) {
	same := func(x float64) {
		want := strconv.FormatFloat(x, 'f', 4, 64)
		if math.Abs(x) < 0.00005 {
			want = "0.0000"
		}
		require.Equal(t, want, string(appendFixed(nil, x)), "%x", math.Float64bits(x))
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 0.00005, -0.00005, 0.99995, 9.99995, 1e8,
		99999999.99995, -123.45675, 2.5e-4, 1e15, 1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		same(x)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		size := math.Pow(10, float64(random.IntN(14)-4))
		x := (random.Float64() - 0.5) * size
		same(x)
		half := (math.Floor(x*1e4) + 0.5) / 1e4
		same(half)
		same(math.Nextafter(half, math.Inf(1)))
		same(math.Nextafter(half, math.Inf(-1)))
	}
}

func BenchmarkAppendFixed(b *testing.B) {
	list := make([]float64, 1000)
	random := rand.New(rand.NewPCG(1, 2))
	for k := range list {
		list[k] = (random.Float64() - 0.3) * []float64{1000, 10}[k%2]
	}
	var text []byte
	for b.Loop() {
		text = text[:0]
		for _, x := range list {
			text = appendFixed(text, x)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/number")
}
