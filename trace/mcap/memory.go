package mcap

import (
	"container/heap"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"gosmp/internal/fault"
	"gosmp/internal/quantity"
)

// ErrMemory is the kind of errors about files whose chunks need more memory than [SetMemory]
// permits.
var ErrMemory = errors.New("too much memory needed")

// maxUnpacked is the default of [SetMemory]. Recorders write chunks of a few megabytes; a small
// file can contain chunks that unpack to thousands of times their size, and many that overlap in
// time.
const maxUnpacked = 512 << 20

// largestMemory keeps the offsets in a chunk below 2^32.
const largestMemory = math.MaxUint32

// A small file of many chunks, none of which takes much memory, can take hours to read. Recordings
// compress at most some hundred-fold.
const (
	mostExpansion = 1000 // times the size of the file that all of its chunks may unpack to
	freeExpansion = 4    // times the permitted memory that they may unpack to in any case
)

var permitted atomic.Int64 // 0 means maxUnpacked

// SetMemory sets the number of bytes that the unpacked chunks of a file may take: one chunk, or all
// that overlap in time when messages are read in the order of their times. 0 means the default, 512
// MB; the maximum is 4 GB. All chunks of a file together may unpack to a thousand times its size,
// or to four times this memory if that is more. It applies to the files of the whole process that
// are read afterwards.
func SetMemory(bytes int64) { permitted.Store(min(bytes, largestMemory)) }

// memory returns the value that SetMemory has set.
func memory() uint64 {
	if n := permitted.Load(); n > 0 {
		return uint64(n)
	}
	return maxUnpacked
}

// tooLarge returns the error for chunks that need more memory than is permitted.
func tooLarge(at int64, chunks int, bytes uint64) error {
	found := fmt.Sprintf("a chunk that unpacks to %d bytes", bytes)
	if chunks > 1 {
		found = fmt.Sprintf("%s that overlap in time and unpack to %d bytes",
			quantity.Of(chunks, "chunk"), bytes)
	}
	return refused(at, found, memory())
}

func refused(at int64, found string, most uint64) error {
	return fault.New(ErrMemory, fault.At(fmt.Sprintf("byte %d", at)), found,
		fmt.Sprintf("at most %d bytes", most)).WithHint(
		"if the file can be trusted, set GOSMP_TRACE_MEMORY to more megabytes, such as 2048")
}

// expansion adds up what the chunks of a file unpack to while it is read once.
type expansion struct{ bytes uint64 }

// add adds a chunk at an offset. size is the size of the file, or how much of it has been read.
func (e *expansion) add(at int64, bytes uint64, size int64) error {
	e.bytes += bytes
	most := max(mostExpansion*uint64(size), freeExpansion*memory())
	if e.bytes <= most {
		return nil
	}
	return refused(at, fmt.Sprintf("chunks that unpack to %d bytes, from %d bytes of the file",
		e.bytes, size), most)
}

// CheckMemory reports, from the indexes alone, whether reading the messages in the order of their
// times needs more memory than is permitted, or whether all chunks together unpack to more than a
// file of this size should. The error is of kind [ErrMemory].
func (f *File) CheckMemory() error {
	var open byEnd // those that contain the beginning of the current one
	held := uint64(0)
	var all expansion
	for _, c := range f.chunksFor(&Query{}) { // sorted by their beginnings
		for len(open) > 0 && open[0].End < c.Start {
			held -= heap.Pop(&open).(*ChunkIndex).UncompressedSize
		}
		heap.Push(&open, c)
		if c.UncompressedSize > memory() || held > memory()-c.UncompressedSize {
			return tooLarge(int64(c.ChunkStart), len(open), held+c.UncompressedSize)
		}
		if err := f.expand(&all, c, c.UncompressedSize); err != nil {
			return err
		}
		held += c.UncompressedSize
	}
	return nil
}

// expand adds a chunk that unpacks to a number of bytes, unless it stands for bare records.
func (f *File) expand(all *expansion, c *ChunkIndex, bytes uint64) error {
	if c.loose {
		return nil
	}
	return all.add(int64(c.ChunkStart), bytes, f.size)
}

// byEnd is a heap of chunks, ordered by their ends.
type byEnd []*ChunkIndex

func (b byEnd) Len() int           { return len(b) }
func (b byEnd) Less(i, j int) bool { return b[i].End < b[j].End }
func (b byEnd) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// Push implements [heap.Interface].
func (b *byEnd) Push(v any) { *b = append(*b, v.(*ChunkIndex)) }

// Pop implements [heap.Interface].
func (b *byEnd) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}
