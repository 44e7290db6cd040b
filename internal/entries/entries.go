// Package entries limits the harm that the entries of a foreign zip archive can do when it is
// unpacked.
//
// An archive of 7 MB can unpack to terabytes if its entries share their compressed bytes, which no
// single entry reveals. [Overlap] finds such entries, [Misstated] finds entries whose sizes or
// positions are impossible, [Unpacked] returns the total size that all entries state, and [Allowed]
// returns the size to which an archive may unpack.
package entries

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Overlap returns two entries that share compressed bytes, in the order of their bytes, or nil. No
// program that packs files creates such entries.
func Overlap(list []*zip.File) (first, second *zip.File) {
	type span struct {
		entry    *zip.File
		from, to int64 // offsets in the archive
	}
	spans := make([]span, 0, len(list))
	for _, e := range list {
		at, err := e.DataOffset()
		if err != nil || e.CompressedSize64 == 0 {
			continue // the entry cannot be unpacked or is empty
		}
		size := int64(min(e.CompressedSize64, uint64(math.MaxInt64-at)))
		spans = append(spans, span{e, at, at + size})
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for k := 1; k < len(spans); k++ {
		if spans[k].from < spans[k-1].to {
			return spans[k-1].entry, spans[k].entry
		}
	}
	return nil, nil
}

const encrypted = 1 // in the flags of an entry

// The errors of Misstated.
var (
	errOutside  = errors.New("its bytes are not in the archive, which may be incomplete")
	errTwoSizes = errors.New("it has two sizes, but is not compressed")
)

// Misstated returns the first entry of an archive of the given size whose size or position cannot
// be as stated, and the reason, or nil. Encryption, which makes an entry larger, is no such reason.
func Misstated(list []*zip.File, size int64) (*zip.File, error) {
	for _, e := range list {
		at, err := e.DataOffset()
		switch {
		case errors.Is(err, zip.ErrFormat):
			return e, err
		case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return e, fmt.Errorf("its bytes cannot be read: %w", err)
		case err != nil || at < 0 || at > size || e.CompressedSize64 > uint64(size-at):
			return e, errOutside
		case e.Method == zip.Store && e.CompressedSize64 != e.UncompressedSize64 &&
			e.Flags&encrypted == 0:
			return e, errTwoSizes
		}
	}
	return nil, nil
}

// Unpacked returns the total number of bytes that the entries state. The zip reader fails at an
// entry that has more bytes than it states.
func Unpacked(list []*zip.File) int64 {
	var sum int64
	for _, e := range list {
		sum += int64(min(e.UncompressedSize64, uint64(math.MaxInt64-sum)))
	}
	return sum
}

const (
	expansion = 200     // multiple of the archive's size
	always    = 1 << 30 // bytes that are allowed for any archive
)

// Allowed returns the number of bytes to which an archive of the given size may unpack: at most the
// limit of its kind, and not hundreds of times its size unless the result is small.
func Allowed(size, limit int64) int64 {
	if size >= limit/expansion {
		return limit
	}
	return min(limit, max(always, size*expansion))
}
