package recording

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// BenchmarkStep measures what recording adds to a step with one output: of OSMPDummySensor without
// a SensorView, and with one of 100 objects. The files are truncated now and then to keep them
// small.
func BenchmarkStep(b *testing.B) {
	for _, size := range []int{600, 11_000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			r := begun(b, b.TempDir())
			empty := r.AppendState(nil)
			data := slices.Concat(message(0, 'a')[:6], make([]byte, size))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			k := timebase.Time(0)
			for b.Loop() {
				data[5] = byte(k & 0x7f)
				r.Take(1, data)
				require.NoError(b, r.EndStep(k*10*ms))
				if k++; k%(1<<13) == 0 {
					require.NoError(b, r.RestoreState(empty))
				}
			}
			require.NoError(b, r.Finish())
		})
	}
}
