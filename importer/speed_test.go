//go:build linux && cgo

package importer_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// BenchmarkStep measures a step of one FMU with three recorded variables; BenchmarkRoundTrip in
// package worker measures the part due to the process boundary.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name   string
		shared bool
		fmus   int
	}{{"isolated", false, 1}, {"shared", true, 1}, {"shared2", true, 2}} {
		b.Run(c.name, func(b *testing.B) {
			pool := &importer.Pool{}
			e := cosim.New(cosim.Spec{Stop: timebase.Time(b.N) * timebase.Millisecond,
				Step: cosim.Every(0.001)})
			var signals []*cosim.Signal
			for k := range c.fmus {
				name := string(rune('a' + k))
				i, err := open(b, testfmu.Recipe{}).NewInstance(name, pool,
					importer.Options{Shared: c.shared})
				require.NoError(b, err)
				e.Add(name, i)
				signals = append(signals, e.Watch(name+".out"), e.Watch(name+".clock"),
					e.Watch(name+".steps"))
			}
			e.Observe(cosim.NewRecorder(io.Discard, signals...))
			b.ReportAllocs()
			b.ResetTimer()
			_, err := e.Run(context.Background())
			require.NoError(b, err)
			b.StopTimer()
			require.NoError(b, pool.Close())
		})
	}
}

// BenchmarkStart measures a run without steps: the FMU is unpacked from the cache, loaded,
// initialized and terminated.
func BenchmarkStart(b *testing.B) {
	path := testfmu.Build(b, testfmu.Recipe{})
	for b.Loop() {
		f, err := importer.Open(path)
		require.NoError(b, err)
		pool := &importer.Pool{}
		i, err := f.NewInstance("x", pool, importer.Options{})
		require.NoError(b, err)
		e := cosim.New(cosim.Spec{Step: cosim.Every(1)})
		e.Add("x", i)
		_, err = e.Run(context.Background())
		require.NoError(b, err)
		require.NoError(b, pool.Close())
	}
}
