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

var permitted atomic.Int64 // 0 means maxUnpacked

// SetMemory sets the number of bytes that the unpacked chunks of a file may take: one chunk, or all
// that overlap in time when messages are read in the order of their times. 0 means the default, 512
// MB; the maximum is 4 GB. It applies to the files of the whole process that are read afterwards.
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
	return fault.New(ErrMemory, fault.At(fmt.Sprintf("byte %d", at)), found,
		fmt.Sprintf("at most %d bytes", memory())).WithHint(
		"if the file can be trusted, set GOSMP_TRACE_MEMORY to more megabytes, such as 2048")
}

// CheckMemory reports, from the indexes alone, whether reading the messages in the order of their
// times needs more memory than is permitted. The error is of kind [ErrMemory].
func (f *File) CheckMemory() error {
	var open byEnd // those that contain the beginning of the current one
	held := uint64(0)
	for _, c := range f.chunksFor(&Query{}) { // sorted by their beginnings
		for len(open) > 0 && open[0].End < c.Start {
			held -= heap.Pop(&open).(*ChunkIndex).UncompressedSize
		}
		heap.Push(&open, c)
		if c.UncompressedSize > memory() || held > memory()-c.UncompressedSize {
			return tooLarge(int64(c.ChunkStart), len(open), held+c.UncompressedSize)
		}
		held += c.UncompressedSize
	}
	return nil
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
