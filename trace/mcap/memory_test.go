package mcap_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace/mcap"
)

// overlapping returns a file of chunks that all reach over the same time, with messages of a size.
func overlapping(t *testing.T, chunks, size int, compression mcap.Compression) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{Compression: compression, ChunkSize: size})
	require.NoError(t, err)
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "t"}))
	for range chunks {
		for _, at := range []uint64{1, 1000} {
			require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: at,
				Data: make([]byte, size/2)}))
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestMemory_ChunksThatOverlap: a small file with many chunks that are needed at the same time is
// refused before they take the memory, by the reader that seeks and by the check of the index.
func TestMemory_ChunksThatOverlap(t *testing.T) {
	mcap.SetMemory(8 << 20)
	defer mcap.SetMemory(0)
	for _, compression := range compressions {
		for chunks, fits := range map[int]bool{7: true, 20: false} {
			whole := overlapping(t, chunks, 1<<20, compression)
			f, err := mcap.Open(bytes.NewReader(whole), int64(len(whole)))
			require.NoError(t, err)
			require.Len(t, f.Chunks, chunks)
			arranged, _, err := mcap.Arrange(bytes.NewReader(whole), int64(len(whole)))
			require.NoError(t, err)
			n := 0
			it := f.Select(mcap.Query{})
			for err = nil; err == nil; n++ {
				_, err = it.Next()
			}
			if fits {
				require.ErrorIs(t, err, io.EOF)
				require.Equal(t, 2*chunks, n-1)
				require.NoError(t, f.CheckMemory())
				require.NoError(t, arranged.CheckMemory())
				continue
			}
			require.ErrorIs(t, err, mcap.ErrMemory)
			require.ErrorContains(t, err, "8 chunks that overlap in time and unpack to 83")
			require.ErrorContains(t, err, "GOSMP_TRACE_MEMORY")
			require.EqualError(t, f.CheckMemory(), err.Error())
			require.EqualError(t, arranged.CheckMemory(), err.Error())
		}
	}
}

// TestMemory_Chunk: a chunk that unpacks to more than is permitted is refused, and read when more
// is permitted.
func TestMemory_Chunk(t *testing.T) {
	defer mcap.SetMemory(0)
	for _, compression := range []mcap.Compression{mcap.LZ4, mcap.Zstd} {
		whole := overlapping(t, 1, 4<<20, compression)
		for permitted, fits := range map[int64]bool{0: true, 5 << 20: true, 4 << 20: false} {
			mcap.SetMemory(permitted)
			s, err := mcap.NewScanner(bytes.NewReader(whole))
			for err == nil {
				_, err = s.Next()
			}
			require.Equal(t, fits, errors.Is(err, io.EOF))
			require.Equal(t, !fits, errors.Is(err, mcap.ErrMemory))
		}
	}
}

// TestMemory_ManyMessages: the messages of a chunk cost a few bytes each beyond the chunk itself,
// for readers in the order of times and for the check of the index.
func TestMemory_ManyMessages(t *testing.T) {
	const messages = 1 << 20
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{Compression: mcap.LZ4, ChunkSize: 64 << 20})
	require.NoError(t, err)
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "t"}))
	for k := range uint64(messages) {
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: k ^ 1}))
	}
	require.NoError(t, w.Close())
	whole := b.Bytes()
	f, err := mcap.Open(bytes.NewReader(whole), int64(len(whole)))
	require.NoError(t, err)
	require.Len(t, f.Chunks, 1)
	unpacked := f.Chunks[0].UncompressedSize
	require.LessOrEqual(t, allocated(func() {
		n, err := f.Select(mcap.Query{}).Next()
		require.NoError(t, err)
		require.Zero(t, n.LogTime)
	}), unpacked+uint64(len(whole))+8*messages)
	require.LessOrEqual(t, allocated(func() {
		n, err := f.Verify(f.Chunks[0])
		require.NoError(t, err)
		require.Equal(t, messages, n)
	}), unpacked+uint64(2*len(whole))+8*messages)
	list := slices.Collect(func(yield func(uint64) bool) {
		for m, err := range f.Messages(mcap.Query{End: 4}) {
			if err != nil || !yield(m.LogTime) {
				return
			}
		}
	})
	require.Equal(t, []uint64{0, 1, 2, 3}, list)
}

// allocated returns the number of bytes that a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestRecover_TooLargeIsNoDamage: a file with a chunk that needs more memory than is permitted is
// not repaired without the messages of this chunk, with an index or without.
func TestRecover_TooLargeIsNoDamage(t *testing.T) {
	defer mcap.SetMemory(0)
	for _, compression := range compressions {
		whole := overlapping(t, 1, 20<<20, compression)
		f := opened(t, whole)
		for _, content := range [][]byte{whole,
			whole[:f.Chunks[0].ChunkStart+f.Chunks[0].ChunkLength]} {
			mcap.SetMemory(16 << 20)
			w, err := mcap.NewWriter(io.Discard, mcap.Options{})
			require.NoError(t, err)
			loss, err := mcap.Recover(bytes.NewReader(content), int64(len(content)), w,
				mcap.RecoverOptions{})
			require.ErrorIs(t, err, mcap.ErrMemory, compression)
			require.ErrorContains(t, err, "GOSMP_TRACE_MEMORY")
			require.Zero(t, loss.Damaged)
			mcap.SetMemory(0)
			messages, _ := recovered(t, content)
			require.Equal(t, 2, messages)
		}
	}
}

// TestMemory_AllChunks: a small file of many chunks, each of which may be unpacked, is refused by
// every reader before it takes long.
func TestMemory_AllChunks(t *testing.T) {
	mcap.SetMemory(1 << 20)
	defer mcap.SetMemory(0)
	for _, compression := range compressions {
		for chunks, fits := range map[int]bool{4: true, 6: compression != mcap.Zstd} {
			whole := consecutive(t, chunks, 1_000_000, compression)
			for name, read := range readers {
				err := read(t, whole)
				if fits {
					require.NoError(t, err, name)
					continue
				}
				require.ErrorIs(t, err, mcap.ErrMemory, name)
				require.ErrorContains(t, err, "found chunks that unpack to 50", name)
				require.ErrorContains(t, err, "expected at most 4194304 bytes", name)
				require.ErrorContains(t, err, "GOSMP_TRACE_MEMORY", name)
			}
			mcap.SetMemory(8 << 20)
			for name, read := range readers {
				require.NoError(t, read(t, whole), name)
			}
			mcap.SetMemory(1 << 20)
		}
	}
}

// consecutive returns a file of chunks that follow each other in time, with one message each.
func consecutive(t *testing.T, chunks, size int, compression mcap.Compression) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{Compression: compression, ChunkSize: size})
	require.NoError(t, err)
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "t"}))
	for k := range chunks {
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: uint64(k),
			Data: make([]byte, size)}))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// readers are all ways to read the messages of a file.
var readers = map[string]func(*testing.T, []byte) error{
	"by index": func(t *testing.T, whole []byte) (err error) {
		for _, failed := range opened(t, whole).Messages(mcap.Query{}) {
			err = failed
		}
		return err
	},
	"check of the index": func(t *testing.T, whole []byte) error {
		return opened(t, whole).CheckMemory()
	},
	"in file order": func(t *testing.T, whole []byte) error {
		f := opened(t, whole)
		for _, c := range f.Chunks {
			c.MessageIndexOffsets = nil
		}
		_, err := f.Drives(mcap.Query{})
		return err
	},
	"to verify": func(t *testing.T, whole []byte) error {
		f := opened(t, whole)
		for _, c := range f.Chunks {
			if _, err := f.Verify(c); err != nil {
				return err
			}
		}
		return nil
	},
	"as a stream": func(_ *testing.T, whole []byte) error {
		s, err := mcap.NewScanner(bytes.NewReader(whole))
		for err == nil {
			_, err = s.Next()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	},
	"to arrange": func(_ *testing.T, whole []byte) error {
		_, _, err := mcap.Arrange(bytes.NewReader(whole), int64(len(whole)))
		return err
	},
	"to recover": func(t *testing.T, whole []byte) error {
		w, err := mcap.NewWriter(io.Discard, mcap.Options{})
		require.NoError(t, err)
		_, err = mcap.Recover(bytes.NewReader(whole), int64(len(whole)), w, mcap.RecoverOptions{})
		return err
	},
}
