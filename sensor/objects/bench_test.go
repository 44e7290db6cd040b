package objects_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/sensor/objects"
	"gosmp/sensor/objects/reference"
	"gosmp/sensor/objects/scene"
)

// BenchmarkStep measures a whole step, SensorView bytes in and SensorData bytes out: the fast detector, the plain one
// on generated messages, and a bare copy of the input and the output. The metric x-fast of the others is their time in
// relation to the fast one.
//
//	go test -run '^$' -bench Step ./sensor/objects
func BenchmarkStep(b *testing.B) {
	for _, boundaries := range []int{0, 200} {
		for _, n := range []int{1, 10, 100, 1000, 5000} {
			view := marshal(b, scene.Crowd(n, boundaries, 50))
			b.Run(fmt.Sprintf("objects=%d/boundaries=%d", n, boundaries), func(b *testing.B) {
				out, fast := 0, 0.0
				b.Run("fast", func(b *testing.B) { out, fast = benchmarkFast(b, view, n) })
				b.Run("plain", func(b *testing.B) { benchmarkPlain(b, view, n, fast) })
				b.Run("copy", func(b *testing.B) { benchmarkCopy(b, view, out, fast) })
			})
		}
	}
}

func report(b *testing.B, n int, bytes int) float64 {
	nanoseconds := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(nanoseconds/float64(n), "ns/object")
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	return nanoseconds
}

func benchmarkFast(b *testing.B, view []byte, n int) (out int, nanoseconds float64) {
	d, err := objects.New(objects.Default())
	require.NoError(b, err)
	var data []byte
	run := func() {
		r, err := d.Detect(view, until(step))
		if err != nil {
			b.Fatal(err)
		}
		data = appendSensorData(data[:0], view, d, r, step)
	}
	run() // grows the buffers
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(len(data)), "B-out")
	return len(data), report(b, n, len(view))
}

func benchmarkPlain(b *testing.B, view []byte, n int, fast float64) {
	d := reference.New(objects.Default())
	var data []byte
	for b.Loop() {
		m, err := d.Detect(view, until(step))
		if err == nil {
			data, err = proto.MarshalOptions{}.MarshalAppend(data[:0], m)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(report(b, n, len(view))/fast, "x-fast")
}

func benchmarkCopy(b *testing.B, view []byte, out int, fast float64) {
	source, target := make([]byte, out), make([]byte, len(view)+out)
	for b.Loop() {
		copy(target, view)
		copy(target[len(view):], source)
	}
	b.ReportMetric(report(b, len(view), len(view)+out)/fast, "x-fast")
}
