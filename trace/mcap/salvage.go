package mcap

import "slices"

// The functions in this file unpack damaged chunks. The decoders of the libraries give nothing of a
// damaged block, but most of its messages can still be read.

// withSize returns a zstd frame whose header states the given size of its content, if it states
// one. The decoder refuses a frame with another size. Source: RFC 8878, 3.1.1.1.
func withSize(frame []byte, size uint64) []byte {
	if len(frame) < 5 {
		return frame
	}
	head, at := frame[4], 5
	single := head&0x20 != 0
	if !single {
		at++ // the window
	}
	at += [4]int{0, 1, 2, 4}[head&3] // the dictionary
	width := [4]int{0, 2, 4, 8}[head>>6]
	if width == 0 && single {
		width = 1
	}
	if width == 0 || at+width > len(frame) {
		return frame
	}
	if width == 2 {
		size -= 256
	}
	frame = slices.Clone(frame)
	copy(frame[at:at+width], le.AppendUint64(nil, size))
	return frame
}

// salvageLZ4 unpacks as much as possible of a damaged LZ4 frame, at most limit bytes. It ignores
// checksums. Source: LZ4 frame format 1.6 and block format.
func salvageLZ4(frame []byte, limit int) (records []byte) {
	const magic, sizeFlag, dictFlag, blockSum = 0x184D2204, 1 << 3, 1, 1 << 4
	if len(frame) < 7 || le.Uint32(frame) != magic {
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
// that what follows keeps its place.
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
