package sharedlib

import (
	"encoding/binary"
	"math"
	"strings"
)

// image is a library in memory. Reading outside its bounds yields zeros.
type image struct {
	data  []byte
	order binary.ByteOrder
	wide  bool // addresses have 64 bits
}

func (m *image) bytes(at, n uint64) []byte {
	if at > uint64(len(m.data)) || n > uint64(len(m.data))-at {
		return make([]byte, min(n, 8))
	}
	return m.data[at : at+n]
}

func (m *image) u8(at uint64) byte    { return m.bytes(at, 1)[0] }
func (m *image) u16(at uint64) uint64 { return uint64(m.order.Uint16(m.bytes(at, 2))) }
func (m *image) u32(at uint64) uint64 { return uint64(m.order.Uint32(m.bytes(at, 4))) }

// address reads a number that has the size of an address.
func (m *image) address(at uint64) uint64 {
	if m.wide {
		return m.order.Uint64(m.bytes(at, 8))
	}
	return m.u32(at)
}

// name reads a text up to its zero byte; the text is empty if there is no zero byte within the
// limit.
func (m *image) name(at uint64) string {
	if at >= uint64(len(m.data)) {
		return ""
	}
	text, _, found := strings.Cut(string(m.data[at:min(at+maxName, uint64(len(m.data)))]), "\x00")
	if !found {
		return ""
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// pick returns the first value for 64 bits, otherwise the second.
func (m *image) pick(wide, narrow uint64) uint64 {
	if m.wide {
		return wide
	}
	return narrow
}

// segment is a part of a file that is loaded at an address.
type segment struct{ address, offset, size uint64 }

// place returns the file offset of the byte that is loaded at an address, or math.MaxUint64 if the
// address is in no segment.
func place(segments []segment, address uint64) uint64 {
	for _, s := range segments {
		if address >= s.address && address-s.address < s.size {
			return s.offset + (address - s.address)
		}
	}
	return math.MaxUint64
}
