package live_test

import (
	"io"
	"testing"

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

// BenchmarkRow is what recording into a compressed MCAP file adds to a step of the engine with one
// message of 11 kB, as a SensorData of 100 objects has.
func BenchmarkRow(b *testing.B) {
	e := cosim.New(cosim.Spec{Stop: ms, Step: cosim.Every(0.001)})
	s := &sensor{hold: 1 << 30}
	e.Add("radar", s)
	sink, err := trace.Create(io.Discard, trace.MCAP, trace.SinkOptions{Compression: mcap.Zstd})
	require.NoError(b, err)
	r, err := live.NewRecorder(sink, live.RecorderOptions{Drop: true}, e.Watch("radar.OSMPSensorDataOut"))
	require.NoError(b, err)
	_, err = e.Run(b.Context())
	require.NoError(b, err)
	require.NoError(b, r.Begin(nil))
	filler := make([]byte, 11_000)
	data, err := proto.Marshal(&osi3.SensorData{Timestamp: message.Time(timebase.Second)})
	require.NoError(b, err)
	data = append(data, 0xa2, 0x06, 0xf8, 0x55) // field 100 of 11 000 bytes
	data = append(data, filler...)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	k := byte(0)
	for b.Loop() {
		k = (k + 1) & 0x7f
		data[3] = k // the seconds
		s.frame.SetBlob(0, 0, data)
		require.NoError(b, r.Row(0, cosim.AtPoint))
	}
	require.NoError(b, r.End(nil))
}
