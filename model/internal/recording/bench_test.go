package recording

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// BenchmarkStep measures the overhead of recording in a step with one output: OSMPDummySensor
// without a SensorView, and with one of 100 objects. The files are truncated from time to time to
// keep them small.
func BenchmarkStep(b *testing.B) {
	for _, size := range []int{600, 11_000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			r := begun(b, b.TempDir())
			empty := r.AppendState(nil)
			data := slices.Concat(message(0, 'a')[:6], make([]byte, size))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			k, bare := timebase.Time(0), make([]byte, len(data))
			var steps, copies []time.Duration
			for b.Loop() {
				data[5] = byte(k & 0x7f)
				begun := time.Now()
				copy(bare, data)
				copied := time.Now()
				r.Take(1, data)
				err := r.EndStep(k * 10 * ms)
				steps, copies = append(steps, time.Since(copied)), append(copies, copied.Sub(begun))
				require.NoError(b, err)
				if k++; k%(1<<13) == 0 {
					require.NoError(b, r.RestoreState(empty))
				}
			}
			require.NoError(b, r.Finish())
			report(b, "copy", copies)
			report(b, "step", steps)
		})
	}
}

// report reports the median and the 99th percentile.
func report(b *testing.B, name string, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), name+"-p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), name+"-p99-ns")
}
