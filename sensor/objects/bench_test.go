package objects_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/sensor/objects/internal/reference"
)

// BenchmarkStep measures a whole step, from SensorView bytes to SensorData bytes: the fast
// detector, the plain one on generated messages, and a bare copy of the input and the output. The
// scenes are traffic on flat ground, the general case, in which neither the objects nor the host
// vehicle are level, and traffic whose objects differ in shape. The metrics:
//
//	best-ns       ns per step in the fastest stretch of about a thousand objects, the one least disturbed by other load
//	ns/object     the same per object
//	x-fast        the same relative to the fast detector: how many times slower (or, below 1, faster) this one is
//	B-out         size of the SensorData
//
// Run it with
//
//	go test -run '^$' -bench Step ./sensor/objects
func BenchmarkStep(b *testing.B) {
	for _, in := range []struct {
		name   string
		change func(*osi3.SensorView) *osi3.SensorView
	}{
		{"level", func(v *osi3.SensorView) *osi3.SensorView { return v }},
		{"tilted", scene.Tilt},
		{"mixed", func(v *osi3.SensorView) *osi3.SensorView { return scene.Mix(scene.Tilt(v)) }},
	} {
		for _, size := range []struct{ objects, boundaries int }{{1, 0}, {10, 0}, {100, 0},
			{100, 200}, {1000, 0}, {5000, 0}} {
			view := marshal(b, in.change(scene.Crowd(size.objects, size.boundaries, 50)))
			b.Run(fmt.Sprintf("%s/objects=%d/boundaries=%d", in.name, size.objects,
				size.boundaries), func(b *testing.B) {
				s := stepBench{views: [][]byte{view}, objects: size.objects}
				b.Run("fast", s.benchFast)
				b.Run("plain", s.benchPlain)
				b.Run("copy", s.benchCopy)
			})
		}
	}
}

// BenchmarkStepFromMemory is a step with 5000 objects whose input and output buffer are no longer
// in any cache, as in a host that does a lot of other work between two steps.
func BenchmarkStepFromMemory(b *testing.B) {
	view := marshal(b, scene.Crowd(5000, 0, 0))
	s := stepBench{objects: 5000}
	for range 128 << 20 / len(view) {
		s.views = append(s.views, append([]byte(nil), view...))
	}
	b.Run("fast", s.benchFast)
	b.Run("copy", s.benchCopy)
}

// stepBench is one input, possibly at several addresses, and the fast detector's output for it.
type stepBench struct {
	views   [][]byte
	objects int
	out     int     // bytes
	fast    float64 // ns
}

// run measures step, which takes the n-th view, and reports it.
func (s *stepBench) run(b *testing.B, step func(n int)) {
	for n := range s.views {
		step(n) // grows the buffers
	}
	b.SetBytes(int64(len(s.views[0])))
	b.ReportAllocs()
	stretch := max(1, 1000/s.objects)
	best, since := math.Inf(1), time.Now()
	for k := 1; b.Loop(); k++ {
		step(k % len(s.views))
		if k%stretch == 0 {
			now := time.Now()
			best, since = min(best, float64(now.Sub(since).Nanoseconds())/float64(stretch)), now
		}
	}
	if math.IsInf(best, 1) {
		best = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	}
	if s.fast == 0 {
		s.fast = best
	}
	b.ReportMetric(best, "best-ns")
	b.ReportMetric(best/float64(s.objects), "ns/object")
	b.ReportMetric(best/s.fast, "x-fast")
}

func (s *stepBench) benchFast(b *testing.B) {
	d, err := objects.New(objects.Default())
	require.NoError(b, err)
	data := make([][]byte, len(s.views))
	s.fast = 0
	s.run(b, func(n int) {
		r, err := d.Detect(s.views[n], until(step))
		if err != nil {
			b.Fatal(err)
		}
		data[n] = appendSensorData(data[n][:0], s.views[n], d, r, step)
	})
	s.out = len(data[0])
	b.ReportMetric(float64(s.out), "B-out")
}

func (s *stepBench) benchPlain(b *testing.B) {
	d := reference.New(objects.Default())
	var data []byte
	s.run(b, func(n int) {
		m, err := d.Detect(s.views[n], until(step))
		if err == nil {
			data, err = proto.MarshalOptions{}.MarshalAppend(data[:0], m)
		}
		if err != nil {
			b.Fatal(err)
		}
	})
}

// benchCopy copies as many bytes as the fast detector reads and writes.
func (s *stepBench) benchCopy(b *testing.B) {
	rest := make([]byte, s.out-len(s.views[0]))
	targets := make([][]byte, len(s.views))
	for n := range targets {
		targets[n] = make([]byte, s.out)
	}
	s.run(b, func(n int) {
		k := copy(targets[n], s.views[n])
		copy(targets[n][k:], rest)
	})
}
