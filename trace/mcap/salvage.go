package mcap

import (
	"hash/crc32"
	"math/bits"
	"slices"
)

// The functions in this file unpack damaged chunks. The library decoders return nothing from a
// damaged block, although most of its messages can still be read.

// salvage unpacks as much as possible of a damaged chunk, even if its compression or its size is
// wrong. The records may be longer than the chunk states; wider extends to the end of the file
// part. right reports that the chunk's checksum matches the result, so only fields of the chunk are
// damaged.
func (u *unpacker) salvage(c *Chunk, wider []byte) (records []byte, right bool) {
	u.lenient = true
	candidates := [][]byte{c.Records, wider}
	if len(wider) <= len(c.Records) {
		candidates = candidates[:1]
	}
	for k, packed := range candidates {
		var some []byte
		if plausible(c) {
			some = u.salvageFrame(c.Compression, packed, int(c.UncompressedSize))
		}
		if uint64(len(some)) == c.UncompressedSize || !plausible(c) {
			if !checks(c, some) {
				some = u.salvageFrame(c.Compression, packed, int(usualSize(packed)))
			}
		}
		if checks(c, some) {
			return some, true
		}
		if k+1 < len(candidates) { // the next one uses its memory
			some = slices.Clone(some)
		}
		if len(some) > len(records) {
			records = some
		}
	}
	return records, false
}

// checks reports whether the checksum of a chunk is that of records.
func checks(c *Chunk, records []byte) bool {
	return c.UncompressedCRC != 0 && crc32.ChecksumIEEE(records) == c.UncompressedCRC
}

// Beginnings of compressed records.
const (
	magicLZ4  = 0x184D2204
	magicZstd = 0xFD2FB528
)

var magics = map[uint32]Compression{magicLZ4: LZ4, magicZstd: Zstd}

// salvageFrame unpacks up to limit bytes. An unknown compression is recognized by the first bytes
// of the records.
func (u *unpacker) salvageFrame(compression string, packed []byte, limit int) []byte {
	kind := Compression(compression)
	if kind != LZ4 && kind != Zstd && len(packed) >= 4 {
		kind = magics[le.Uint32(packed)]
	}
	switch {
	case kind == LZ4:
		return salvageLZ4(packed, limit)
	case kind != Zstd:
		return packed
	case u.needZstd() != nil:
		return nil
	}
	return u.salvageZstd(unsized(packed, limit), limit)
}

// salvageZstd unpacks up to limit bytes of a frame that does not state its size. Unpacking block by
// block and unpacking all at once stop at different places.
func (u *unpacker) salvageZstd(frame []byte, limit int) []byte {
	const block = 128 << 10 // the most by which the content can exceed its limit before that shows
	u.wide = room(u.wide[:0], limit+block)
	whole, err := u.zstd.DecodeAll(frame, u.wide) // the data before the damage
	whole = whole[:min(len(whole), limit)]
	if err == nil || len(whole) == limit {
		return whole
	}
	if part, _ := u.readZstd(frame, nil, limit); len(part) > len(whole) {
		return part
	}
	return whole
}

// unsized returns a zstd frame without the size of its content, which the decoder would compare.
// Its window holds limit bytes, so that no distance within the content is too large. Source: RFC
// 8878, 3.1.1.1.
func unsized(frame []byte, limit int) []byte {
	const smallest = 17 // a window of one block
	if len(frame) < 5 {
		return frame
	}
	head, at := frame[4], 5
	single := head&0x20 != 0
	if !single {
		at++ // the window
	}
	dictionary := at
	at += [4]int{0, 1, 2, 4}[head&3]
	named := at
	at += [4]int{0, 2, 4, 8}[head>>6]
	if single && head>>6 == 0 {
		at++
	}
	if at > len(frame) {
		return frame
	}
	window := byte(max(smallest, bits.Len(uint(limit)))-10) << 3
	shorter := append(le.AppendUint32(nil, magicZstd), head&0x1F, window)
	shorter = append(shorter, frame[dictionary:named]...)
	return append(shorter, frame[at:]...)
}

// salvageLZ4 unpacks as much as possible of a damaged LZ4 frame, at most limit bytes. It ignores
// checksums. Source: LZ4 frame format 1.6 and block format.
func salvageLZ4(frame []byte, limit int) (records []byte) {
	const sizeFlag, dictFlag, blockSum = 1 << 3, 1, 1 << 4
	if len(frame) < 7 || le.Uint32(frame) != magicLZ4 {
		return nil
	}
	flags, at := frame[4], 7
	if flags&sizeFlag != 0 {
		at += 8
	}
	if flags&dictFlag != 0 {
		at += 4
	}
	for len(records) < limit && at+4 <= len(frame) {
		size := le.Uint32(frame[at:])
		at += 4
		packed := size>>31 == 0
		length := int(size & (1<<31 - 1))
		if length == 0 {
			break
		}
		block := frame[at:min(at+length, len(frame))]
		if packed {
			records = appendBlock(records, block, limit)
		} else {
			records = append(records, block[:min(len(block), limit-len(records))]...)
		}
		at += length
		if flags&blockSum != 0 {
			at += 4
		}
	}
	return records
}

// appendBlock unpacks an LZ4 block up to limit bytes. A match before the beginning gives zeros, so
// that the data after it keeps its position.
func appendBlock(to, block []byte, limit int) []byte {
	length := func(short byte) int {
		n := int(short)
		for short == 15 && len(block) > 0 {
			more := block[0]
			block = block[1:]
			n += int(more)
			if more != 255 {
				break
			}
		}
		return n
	}
	for len(block) > 0 && len(to) < limit {
		token := block[0]
		block = block[1:]
		literals := min(length(token>>4), len(block), limit-len(to))
		to = append(to, block[:literals]...)
		block = block[literals:]
		if len(block) < 2 {
			break
		}
		offset := int(le.Uint16(block))
		block = block[2:]
		match := min(length(token&15)+4, limit-len(to))
		if offset == 0 || offset > len(to) {
			to = append(to, make([]byte, match)...)
			continue
		}
		to = slices.Grow(to, match)
		for range match {
			to = append(to, to[len(to)-offset])
		}
	}
	return to
}
