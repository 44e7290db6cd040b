package trace_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
	"gosmp/trace"
)

// manyMessages is an .osi file of many messages of one mebibyte, which are generated when they are
// read.
type manyMessages struct{ count int64 }

const (
	manySize = 1 << 20
	manyHead = 4 + 8 // the length, and a time stamp of 8 bytes
)

// ReadAt implements io.ReaderAt. A message consists of a time stamp, which is its number in ms, and
// field 100.
func (m *manyMessages) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		number, inside := off/manySize, off%manySize
		if number >= m.count {
			return n, io.EOF
		}
		var head [manyHead + 6]byte
		binary.LittleEndian.PutUint32(head[:], manySize-4)
		k := uint64(number)
		copy(head[4:], []byte{0x12, 6, 0x08, byte(k)&0x7f | 0x80, byte(k>>7)&0x7f | 0x80,
			byte(k>>14) & 0x7f, 0x10, 0})
		rest := uint64(manySize - manyHead - 5)
		copy(head[manyHead:], []byte{0xa2, 0x06, byte(rest)&0x7f | 0x80, byte(rest>>7)&0x7f | 0x80,
			byte(rest>>14) & 0x7f})
		step := min(int64(len(b)-n), manySize-inside)
		clear(b[n : n+int(step)])
		if inside < manyHead+5 {
			copy(b[n:n+int(step)], head[inside:manyHead+5])
		}
		n, off = n+int(step), off+step
	}
	return n, nil
}

// T43, and playing a 10 GB file: memory use depends on the largest messages, not on the file size.
// This test plays the first 200 MB.
func TestPlayer_MemoryDoesNotGrowWithTheFile(t *testing.T) {
	const size = 200
	file := &manyMessages{count: 10 << 10}
	s, err := trace.OpenAt("a.osi", file, file.count*manySize, trace.Options{Type: "sv"})
	require.NoError(t, err)
	p, err := trace.NewPlayer(s, trace.PlayerOptions{Strict: true})
	require.NoError(t, err)
	var before, after runtime.MemStats
	for k := range timebase.Time(size) {
		m, err := p.At(k * timebase.Second)
		require.NoError(t, err)
		require.Len(t, m, manySize-4)
		stamp, ok := trace.StampOf("osi3.SensorView", m)
		require.True(t, ok)
		require.Equal(t, k*timebase.Second, stamp)
		if k == size/10 {
			runtime.ReadMemStats(&before)
		}
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8*manySize),
		"allocated while 180 messages of 1 MiB were played")
}

// T20 and T30: a chunk is closed when it reaches 4 MiB.
func TestMCAP_ChunksOf4MiB(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("a", "sv"))
	require.NoError(t, err)
	for k := range timebase.Time(17) {
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: k, Publish: k,
			Data: make([]byte, 1<<19)}))
	}
	require.NoError(t, sink.Close())
	s, err := trace.OpenAt("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()), trace.Options{})
	require.NoError(t, err)
	require.Equal(t, 3, s.Info().MCAP.Chunks, "8 and 8 messages of half a mebibyte, and one")
}
