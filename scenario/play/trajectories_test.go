package play

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario/storyboard"
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

// TestAppendTime compares with package strconv.
func TestAppendTime(t *testing.T) {
	for decimals := 1; decimals < 8; decimals++ {
		for k := range 5000 {
			x := float64(k*k) / 1e3
			require.Equal(t, strconv.FormatFloat(x, 'f', decimals, 64),
				string(appendTime(nil, x, decimals)))
		}
	}
}

// limited accepts a number of bytes, and then fails if err is not nil, or else writes less than it
// was given.
type limited struct {
	left, calls int
	err         error
}

func (l *limited) Write(p []byte) (int, error) {
	l.calls++
	n := min(len(p), l.left)
	l.left -= n
	if n < len(p) {
		return n, l.err
	}
	return n, nil
}

// TestTrajectories_WriterThatFails checks that the first failure is returned, also that of a writer
// that takes a part without an error, and that nothing is written after it.
func TestTrajectories_WriterThatFails(t *testing.T) {
	full := errors.New("full")
	for want, err := range map[error]error{full: full, io.ErrShortWrite: nil} {
		w := &limited{left: blockSize + 10, err: err}
		r := newTrajectories(w, []string{"Ego"}, 0.1)
		for k := range 10_000 {
			r.add(float64(k)*0.1, 0, &storyboard.State{})
		}
		require.Equal(t, want, r.flush())
		require.Equal(t, 2, w.calls)
	}
	w := &limited{left: blockSize}
	r := newTrajectories(w, nil, 0.1)
	require.NoError(t, r.flush())
	require.NoError(t, r.flush())
	require.Equal(t, 1, w.calls, "no empty block")
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
