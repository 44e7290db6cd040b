package fmu

import (
	"encoding/binary"
	"errors"
)

// errShort reports state bytes that end too early.
var errShort = errors.New("state bytes end too early")

// Decoder takes apart what the append functions of a model's state have written. Reading past the end gives zeros; Err tells
// about it once at the end, so that decoding reads as a plain list.
//
// Nobody waits for a state, so that its calls are kept calls here: inlined, they are a good part of the code of saving.
type Decoder struct {
	Data  []byte // what has not been read yet
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

// Err is nil if nothing was missing so far.
func (d *Decoder) Err() error {
	if d.short {
		return errShort
	}
	return nil
}

// Byte reads one byte.
//
//go:noinline
func (d *Decoder) Byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint32 reads four bytes, little-endian.
func (d *Decoder) Uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads eight bytes, little-endian.
//
//go:noinline
func (d *Decoder) Uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Bytes reads what AppendBytes has written; the result shares the memory of Data.
func (d *Decoder) Bytes() []byte { return d.take(d.Uint64()) }

// String reads what AppendString has written.
func (d *Decoder) String() string { return string(d.Bytes()) }

// AppendBytes appends a length and the bytes.
//
//go:noinline
func AppendBytes(b, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(data))), data...)
}

// AppendString appends a length and the text.
//
//go:noinline
func AppendString(b []byte, text string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(text))), text...)
}

// AppendUint64 appends eight bytes, little-endian.
//
//go:noinline
func AppendUint64(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }

// Flag is a bool as the byte 0 or 1.
func Flag(x bool) byte {
	if x {
		return 1
	}
	return 0
}
