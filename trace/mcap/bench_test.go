package mcap_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"
	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

// payload is like a SensorData of 100 objects: 11 kB, of which about half are random.
func payload() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 11_000)
	for k := range b {
		if k%4 < 2 {
			b[k] = byte(r.Uint32())
		}
	}
	return b
}

// BenchmarkWrite writes messages of 11 kB; "gosmp" is this package, "plain" the library of the
// format's authors.
func BenchmarkWrite(b *testing.B) {
	data := payload()
	for _, compression := range compressions {
		b.Run("compression="+string(compression)+"/gosmp", func(b *testing.B) {
			w, err := mcap.NewWriter(io.Discard, mcap.Options{Compression: compression})
			require.NoError(b, err)
			require.NoError(b, w.AddChannel(&mcap.Channel{ID: 1, Topic: "t"}))
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			m := mcap.Message{ChannelID: 1, Data: data}
			for b.Loop() {
				m.LogTime += 20_000_000
				require.NoError(b, w.WriteMessage(&m))
			}
		})
		b.Run("compression="+string(compression)+"/plain", func(b *testing.B) {
			w, err := official.NewWriter(io.Discard, &official.WriterOptions{Chunked: true, Compression: official.CompressionFormat(compression), IncludeCRC: true})
			require.NoError(b, err)
			require.NoError(b, w.WriteHeader(&official.Header{}))
			require.NoError(b, w.WriteChannel(&official.Channel{ID: 1, Topic: "t"}))
			b.SetBytes(int64(len(data)))
			m := official.Message{ChannelID: 1, Data: data}
			for b.Loop() {
				m.LogTime += 20_000_000
				require.NoError(b, w.WriteMessage(&m))
			}
		})
	}
}

// BenchmarkRead reads such a file of 2000 messages, by index.
func BenchmarkRead(b *testing.B) {
	data := payload()
	for _, compression := range compressions {
		var file bytes.Buffer
		w, err := mcap.NewWriter(&file, mcap.Options{Compression: compression})
		require.NoError(b, err)
		require.NoError(b, w.AddChannel(&mcap.Channel{ID: 1, Topic: "t"}))
		for k := range 2000 {
			require.NoError(b, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: uint64(k), Data: data}))
		}
		require.NoError(b, w.Close())
		b.Run("compression="+string(compression)+"/gosmp", func(b *testing.B) {
			b.SetBytes(int64(2000 * len(data)))
			for b.Loop() {
				f, err := mcap.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
				require.NoError(b, err)
				for _, err := range f.Messages(mcap.Query{}) {
					require.NoError(b, err)
				}
			}
		})
		b.Run("compression="+string(compression)+"/plain", func(b *testing.B) {
			b.SetBytes(int64(2000 * len(data)))
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
