// Package state defines the byte format of saved states: fixed-size little-endian numbers, byte
// strings with their length, and an envelope of a leading magic text and a trailing CRC-32 (IEEE),
// so that a damaged or foreign state is refused before anything is changed.
//
//	b = append(b, magic...)          // saving
//	b = state.AppendUint64(b, steps)
//	b = state.Seal(b, start)         // start: where the magic begins
//
//	d, err := state.Open(magic, b)   // restoring
//	steps := d.Uint64()
//	err = d.Done()
//
// Appending allocates nothing when the slice is large enough. [AppendFixed] and [DecodeFixed] take
// whole structs. Types: [Decoder]; errors: [ErrState], [ErrShort].
package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"gosmp/internal/fault"
)

// ErrState is the kind of all errors of this package: the bytes are not the expected state, or are
// incomplete.
var ErrState = errors.New("unusable state")

const checksumSize = 4

// Seal appends the checksum of b[start:], which begins with the magic text.
func Seal(b []byte, start int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}

// Open checks magic and checksum, and returns a decoder of the bytes between them.
func Open(magic string, b []byte) (*Decoder, error) {
	if len(b) < len(magic)+checksumSize || string(b[:len(magic)]) != magic {
		return nil, fault.New(ErrState, fault.At("state"),
			fmt.Sprintf("%d bytes that begin with %.16q", len(b), b),
			fmt.Sprintf("a state that begins with %q", magic))
	}
	body, stored := b[:len(b)-checksumSize], binary.LittleEndian.Uint32(b[len(b)-checksumSize:])
	if sum := crc32.ChecksumIEEE(body); sum != stored {
		return nil, fault.New(ErrState, fault.At("state"), fmt.Sprintf("checksum %08x", sum),
			fmt.Sprintf("%08x: the state is damaged", stored))
	}
	return &Decoder{Data: body[len(magic):]}, nil
}

// AppendBytes appends a length and the bytes.
func AppendBytes(b, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(data))), data...)
}

// AppendString appends a length and the text.
func AppendString(b []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(text))), text...)
}

// AppendUint64 appends eight bytes, little-endian.
func AppendUint64(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }

// AppendFloat64 appends the eight bytes of an IEEE 754 number, NaN payloads included.
func AppendFloat64(b []byte, x float64) []byte { return AppendUint64(b, math.Float64bits(x)) }

// AppendBool appends the byte 0 or 1.
func AppendBool(b []byte, x bool) []byte { return append(b, Flag(x)) }

// Flag returns a bool as the byte 0 or 1.
func Flag(x bool) byte {
	if x {
		return 1
	}
	return 0
}

// Decoder reads a state in the order in which it was appended. Reading past the end returns zeros;
// Err and Done report this once at the end, so that decoding code is a plain list of reads.
type Decoder struct {
	Data  []byte // the unread rest
	short bool
}

func (d *Decoder) take(n uint64) []byte {
	if n > uint64(len(d.Data)) {
		d.short, d.Data = true, nil
		return nil
	}
	part := d.Data[:n]
	d.Data = d.Data[n:]
	return part
}

// Err returns an error if data have been missing so far.
func (d *Decoder) Err() error {
	if d.short {
		return fault.New(ErrState, fault.At("state"), "an early end", "more bytes")
	}
	return nil
}

// Done returns the error of Err, or an error if bytes are left over.
func (d *Decoder) Done() error {
	if err := d.Err(); err != nil || len(d.Data) == 0 {
		return err
	}
	return fault.New(ErrState, fault.At("state"), fmt.Sprintf("%d bytes after the end",
		len(d.Data)), "the end of the state")
}

// Byte reads one byte.
func (d *Decoder) Byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// Bool reads a value written by AppendBool; any byte but 0 is true.
func (d *Decoder) Bool() bool { return d.Byte() != 0 }

// Uint32 reads four bytes, little-endian.
func (d *Decoder) Uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads eight bytes, little-endian.
func (d *Decoder) Uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Float64 reads a value written by AppendFloat64.
func (d *Decoder) Float64() float64 { return math.Float64frombits(d.Uint64()) }

// Bytes reads a value written by AppendBytes; the result shares the memory of Data.
func (d *Decoder) Bytes() []byte { return d.take(d.Uint64()) }

// String reads a value written by AppendString.
func (d *Decoder) String() string { return string(d.Bytes()) }
