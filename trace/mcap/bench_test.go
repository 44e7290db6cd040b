package mcap_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	osimessage "gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace/mcap"
)

// drive returns a series of 9 kB messages, larger in total than a chunk, from a sensor that sees
// 100 objects. The objects keep their number, size and type; their positions and velocities change
// and are noisy.
func drive(b *testing.B) (messages [][]byte) {
	const objects, count = 100, 500
	r := rand.New(rand.NewPCG(1, 2))
	speeds := make([]float64, objects)
	for k := range speeds {
		speeds[k] = 30 * r.Float64()
	}
	noisy := func(x float64) *float64 { return proto.Float64(x + 0.1*r.NormFloat64()) }
	for step := range count {
		d := &osi3.SensorData{Timestamp: osimessage.Time(timebase.Time(step) * 20 *
			timebase.Millisecond)}
		for k, v := range speeds {
			d.MovingObject = append(d.MovingObject, &osi3.DetectedMovingObject{
				Header: &osi3.DetectedItemHeader{
					TrackingId:           &osi3.Identifier{Value: proto.Uint64(uint64(k))},
					ExistenceProbability: proto.Float64(0.9)},
				Base: &osi3.BaseMoving{
					Dimension: &osi3.Dimension3D{Length: proto.Float64(4.5),
						Width: proto.Float64(1.8)},
					Position: &osi3.Vector3D{X: noisy(float64(3*k) + 0.02*v*float64(step)),
						Y: noisy(float64(k%4) * 3.5)},
					Velocity: &osi3.Vector3D{X: noisy(v), Y: noisy(0)},
				},
				Candidate: []*osi3.DetectedMovingObject_CandidateMovingObject{{Probability: proto.Float64(1), Type: osi3.MovingObject_TYPE_VEHICLE.Enum()}},
			})
		}
		data, err := proto.Marshal(d)
		require.NoError(b, err)
		messages = append(messages, data)
	}
	return messages
}

// BenchmarkWrite writes the messages of drive; "gosmp" is this package, "plain" is the format
// authors' library.
func BenchmarkWrite(b *testing.B) {
	messages := drive(b)
	for _, compression := range compressions {
		b.Run("compression="+string(compression)+"/gosmp", func(b *testing.B) {
			w, err := mcap.NewWriter(io.Discard, mcap.Options{Compression: compression})
			require.NoError(b, err)
			require.NoError(b, w.AddChannel(&mcap.Channel{ID: 1, Topic: "t"}))
			b.SetBytes(int64(len(messages[0])))
			b.ReportAllocs()
			m := mcap.Message{ChannelID: 1}
			for k := 0; b.Loop(); k++ {
				m.LogTime, m.Data = m.LogTime+20_000_000, messages[k%len(messages)]
				require.NoError(b, w.WriteMessage(&m))
			}
		})
		b.Run("compression="+string(compression)+"/plain", func(b *testing.B) {
			w, err := official.NewWriter(io.Discard, &official.WriterOptions{Chunked: true,
				Compression: official.CompressionFormat(compression), IncludeCRC: true})
			require.NoError(b, err)
			require.NoError(b, w.WriteHeader(&official.Header{}))
			require.NoError(b, w.WriteChannel(&official.Channel{ID: 1, Topic: "t"}))
			b.SetBytes(int64(len(messages[0])))
			m := official.Message{ChannelID: 1}
			for k := 0; b.Loop(); k++ {
				m.LogTime, m.Data = m.LogTime+20_000_000, messages[k%len(messages)]
				require.NoError(b, w.WriteMessage(&m))
			}
		})
	}
}

// BenchmarkRead reads such a file of 2000 messages, by index.
func BenchmarkRead(b *testing.B) {
	messages := drive(b)
	for _, compression := range compressions {
		var file bytes.Buffer
		w, err := mcap.NewWriter(&file, mcap.Options{Compression: compression})
		require.NoError(b, err)
		require.NoError(b, w.AddChannel(&mcap.Channel{ID: 1, Topic: "t"}))
		for k := range 2000 {
			require.NoError(b, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: uint64(k),
				Data: messages[k%len(messages)]}))
		}
		require.NoError(b, w.Close())
		b.Run("compression="+string(compression)+"/gosmp", func(b *testing.B) {
			b.SetBytes(int64(2000 * len(messages[0])))
			for b.Loop() {
				f, err := mcap.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
				require.NoError(b, err)
				for _, err := range f.Messages(mcap.Query{}) {
					require.NoError(b, err)
				}
			}
		})
		b.Run("compression="+string(compression)+"/plain", func(b *testing.B) {
			b.SetBytes(int64(2000 * len(messages[0])))
			for b.Loop() {
				r, err := official.NewReader(bytes.NewReader(file.Bytes()))
				require.NoError(b, err)
				it, err := r.Messages()
				require.NoError(b, err)
				for {
					if _, _, _, err := it.NextInto(nil); err != nil {
						require.ErrorIs(b, err, io.EOF)
						break
					}
				}
			}
		})
	}
}
