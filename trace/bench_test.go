package trace_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"
	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// BenchmarkConvert converts a compressed MCAP file of 2000 messages of 11 kB to .osi; "plain" does
// the same with only the MCAP authors' library.
func BenchmarkConvert(b *testing.B) {
	const messages, size = 2000, 11_000
	random := rand.New(rand.NewPCG(1, 2))
	data := []byte{0x12, 2, 0x10, 1, 0xa2, 0x06, 0xf8, 0x55}
	head := len(data)
	data = append(data, make([]byte, size)...)
	var file bytes.Buffer
	sink, err := trace.Create(&file, trace.MCAP, trace.SinkOptions{Compression: mcap.Zstd})
	require.NoError(b, err)
	c, err := sink.Add(trace.OSI("radar", "sd"))
	require.NoError(b, err)
	for k := range timebase.Time(messages) {
		for i := range size { // half of the bytes differ between messages
			data[head+i] = byte(random.Uint32()) * byte(i/2%2)
		}
		require.NoError(b, sink.Write(&trace.Message{Channel: c, Time: k, Publish: k, Data: data}))
	}
	require.NoError(b, sink.Close())
	b.Run("gosmp", func(b *testing.B) {
		b.SetBytes(messages * size)
		for b.Loop() {
			s, err := trace.OpenAt("a.mcap", bytes.NewReader(file.Bytes()), int64(file.Len()),
				trace.Options{})
			require.NoError(b, err)
			out, err := trace.Create(io.Discard, trace.OSIFile, trace.SinkOptions{})
			require.NoError(b, err)
			to, err := out.Add(*s.Channels()[0])
			require.NoError(b, err)
			for {
				m, err := s.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(b, err)
				copied := *m
				copied.Channel = to
				require.NoError(b, out.Write(&copied))
			}
			require.NoError(b, out.Close())
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(messages * size)
		for b.Loop() {
			r, err := official.NewReader(bytes.NewReader(file.Bytes()))
			require.NoError(b, err)
			it, err := r.Messages()
			require.NoError(b, err)
			for {
				_, _, m, err := it.NextInto(nil)
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(b, err)
				var length [4]byte
				binary.LittleEndian.PutUint32(length[:], uint32(len(m.Data)))
				_, _ = io.Discard.Write(length[:])
				_, _ = io.Discard.Write(m.Data)
			}
		}
	})
}
