package objects_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/sensor/objects"
	"gosmp/sensor/objects/reference"
	"gosmp/sensor/objects/scene"
)

// BenchmarkStep measures a whole step, SensorView bytes in and SensorData bytes out: the fast detector, the plain one
// on generated messages, and a bare copy of the input and the output. The metrics:
//
//	best-ns       ns of a step in the fastest stretch of about a thousand objects, which other load on the machine disturbs least
//	ns/object     the same by object
//	x-fast        the same in relation to the fast detector: how many times slower (or, below 1, faster) this one is
//	B-out         size of the SensorData
//
// Run it with
//
//	go test -run '^$' -bench Step ./sensor/objects
func BenchmarkStep(b *testing.B) {
	for _, boundaries := range []int{0, 200} {
		for _, n := range []int{1, 10, 100, 1000, 5000} {
			view := marshal(b, scene.Crowd(n, boundaries, 50))
			b.Run(fmt.Sprintf("objects=%d/boundaries=%d", n, boundaries), func(b *testing.B) {
				s := stepBench{view: view, objects: n}
				b.Run("fast", s.benchFast)
				b.Run("plain", s.benchPlain)
				b.Run("copy", s.benchCopy)
			})
		}
	}
}

// stepBench is one input, and what the fast detector has made of it.
type stepBench struct {
	view    []byte
	objects int
	out     int     // bytes
	fast    float64 // ns
}

// run measures step and reports it.
func (s *stepBench) run(b *testing.B, step func()) {
	step() // grows the buffers
	b.SetBytes(int64(len(s.view)))
	b.ReportAllocs()
	stretch := max(1, 1000/s.objects)
	best, since := math.Inf(1), time.Now()
	for k := 1; b.Loop(); k++ {
		step()
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
	var data []byte
	s.fast = 0
	s.run(b, func() {
		r, err := d.Detect(s.view, until(step))
		if err != nil {
			b.Fatal(err)
		}
		data = appendSensorData(data[:0], s.view, d, r, step)
	})
	s.out = len(data)
	b.ReportMetric(float64(s.out), "B-out")
}

func (s *stepBench) benchPlain(b *testing.B) {
	d := reference.New(objects.Default())
	var data []byte
	s.run(b, func() {
		m, err := d.Detect(s.view, until(step))
		if err == nil {
			data, err = proto.MarshalOptions{}.MarshalAppend(data[:0], m)
		}
		if err != nil {
			b.Fatal(err)
		}
	})
}

func (s *stepBench) benchCopy(b *testing.B) {
	source, target := make([]byte, s.out), make([]byte, s.out)
	s.run(b, func() {
		n := copy(target, s.view)
		copy(target[n:], source[n:])
	})
}
