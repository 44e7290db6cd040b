package live_test

import (
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/live"
	"gosmp/trace/mcap"
)

// BenchmarkRow measures how much recording to a compressed MCAP file adds to an engine step with
// one message of 11 kB, the size of a SensorData of 100 objects. It measures steps with no work
// between them, where most messages are dropped, and steps of 100 us. For the latter, it reports
// the median and the 99th percentile, with and without recording: a bare copy of the same bytes
// serves as the baseline.
func BenchmarkRow(b *testing.B) {
	b.Run("steps=0us", func(b *testing.B) {
		row, data := recorded(b)
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			row()
		}
	})
	b.Run("steps=100us", func(b *testing.B) {
		row, data := recorded(b)
		bare := make([]byte, len(data))
		var rows, copies []time.Duration
		for b.Loop() {
			begun := time.Now()
			copy(bare, data)
			copied := time.Now()
			row()
			ended := time.Now()
			copies, rows = append(copies, copied.Sub(begun)), append(rows, ended.Sub(copied))
			for time.Since(ended) < 100*time.Microsecond {
			}
		}
		b.ReportMetric(0, "ns/op")
		report(b, "copy", copies)
		report(b, "row", rows)
	})
}

// recorded returns a function that records one more message, and the bytes of that message.
func recorded(b *testing.B) (row func(), data []byte) {
	e := cosim.New(cosim.Spec{Stop: ms, Step: cosim.Every(0.001)})
	s := &sensor{hold: 1 << 30}
	e.Add("radar", s)
	sink, err := trace.Create(io.Discard, trace.MCAP, trace.SinkOptions{Compression: mcap.Zstd})
	require.NoError(b, err)
	r, err := live.NewRecorder(sink, live.RecorderOptions{Drop: true},
		e.Watch("radar.OSMPSensorDataOut"))
	require.NoError(b, err)
	_, err = e.Run(b.Context())
	require.NoError(b, err)
	require.NoError(b, r.Begin(nil))
	rows := int64(0)
	b.Cleanup(func() {
		require.NoError(b, r.End(nil))
		require.Equal(b, rows, r.Messages+r.Dropped, "every row is recorded or dropped")
	})
	data, err = proto.Marshal(&osi3.SensorData{Timestamp: message.Time(timebase.Second)})
	require.NoError(b, err)
	data = append(data, 0xa2, 0x06, 0xf8, 0x55) // field 100 of 11 000 bytes
	data = append(data, make([]byte, 11_000)...)
	s.frame.SetBlob(0, 0, data)
	k, at, sent := byte(0), timebase.Time(0), s.frame.Blob(0, 0)
	return func() {
		k = (k + 1) & 0x7f
		sent[3] = k // the seconds
		rows++
		at += ms // a second row at the same point would mean that the engine went back
		if err := r.Row(at, cosim.AtPoint); err != nil {
			b.Fatal(err)
		}
	}, data
}

// report reports the median and the 99th percentile.
func report(b *testing.B, name string, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), name+"-p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), name+"-p99-ns")
}
