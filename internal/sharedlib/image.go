package sharedlib

import (
	"encoding/binary"
	"math"
	"strings"
)

// image is a library in memory. Reading outside of it gives zeros.
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

// address is a number of the size of an address.
func (m *image) address(at uint64) uint64 {
	if m.wide {
		return m.order.Uint64(m.bytes(at, 8))
	}
	return m.u32(at)
}

// name is a text that ends with a zero byte, empty if it does not end in time.
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

// pick is the first value for 64 bits, else the second one.
func (m *image) pick(wide, narrow uint64) uint64 {
	if m.wide {
		return wide
	}
	return narrow
}

// segment is a part of a file that is loaded at an address.
type segment struct{ address, offset, size uint64 }

// place is the offset in the file of what will be loaded at an address, and math.MaxUint64 if that
// is in no segment.
func place(segments []segment, address uint64) uint64 {
	for _, s := range segments {
		if address >= s.address && address-s.address < s.size {
			return s.offset + (address - s.address)
		}
	}
	return math.MaxUint64
}
