package metrics_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
	"gosmp/trace/metrics"
)

// BenchmarkMeasure measures 100 messages of 101 vehicles on 8 lanes, one of which is curved;
// "check" checks the same messages.
func BenchmarkMeasure(b *testing.B) {
	content := crowd(b, 100, 101)
	b.Run("metrics", func(b *testing.B) {
		for b.Loop() {
			s, err := trace.OpenAt("a.mcap", bytes.NewReader(content), int64(len(content)),
				trace.Options{})
			require.NoError(b, err)
			_, err = metrics.Measure(s, metrics.Options{}, func(metrics.Value) error { return nil })
			require.NoError(b, err)
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			_, err := check.File("a.mcap", bytes.NewReader(content), int64(len(content)),
				check.Options{Rules: true})
			require.NoError(b, err)
		}
	})
}

func crowd(b *testing.B, messages, cars int) []byte {
	var file bytes.Buffer
	s, err := trace.Create(&file, trace.MCAP, trace.SinkOptions{})
	require.NoError(b, err)
	c, err := s.Add(trace.OSI("truth", "gt"))
	require.NoError(b, err)
	var list []car
	for k := range cars {
		list = append(list, car{id: uint64(k + 1), x: float64(k%13) * 9, y: float64(k/13) * 4,
			v: 20 + float64(k%7)})
	}
	list[5].yaw = math.Pi / 3
	for n := range timebase.Time(messages) {
		at := n * 50 * ms
		data, err := proto.Marshal(truth(at, list...))
		require.NoError(b, err)
		require.NoError(b, s.Write(&trace.Message{Channel: c, Time: at, Publish: at, Data: data}))
	}
	require.NoError(b, s.Close())
	return file.Bytes()
}
