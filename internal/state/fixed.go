package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
)

// ErrShort reports that there are fewer bytes than a value of fixed size takes.
var ErrShort = errors.New("too few bytes")

// AppendFixed appends the value at an address as [encoding/binary.Append] does, in little-endian
// order and without gaps. The type must be of fixed size, see [FixedSize]. It panics for any other
// type, which is a mistake in the program.
func AppendFixed(dst []byte, at any) []byte {
	b, err := binary.Append(dst, binary.LittleEndian, at)
	if err != nil {
		panic(fmt.Errorf("AppendFixed: %w", err))
	}
	return b
}

// DecodeFixed sets the value at an address to the value that AppendFixed has appended, and returns
// the rest of src. If src is too short, it returns [ErrShort] and changes nothing.
func DecodeFixed(src []byte, at any) (rest []byte, err error) {
	size := binary.Size(at)
	if size > len(src) {
		return nil, ErrShort
	}
	if _, err := binary.Decode(src, binary.LittleEndian, at); err != nil {
		panic(fmt.Errorf("DecodeFixed: %w", err))
	}
	return src[size:], nil
}

// FixedSize reports whether AppendFixed can write a type, and DecodeFixed can set it: a boolean, a
// sized number, or an array of these, or a struct of these with exported fields (reflection cannot
// set others).
func FixedSize(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return FixedSize(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !f.IsExported() || !FixedSize(f.Type) {
				return false
			}
		}
		return true
	}
	return binary.Size(reflect.Zero(t).Interface()) > 0 && t.Kind() != reflect.Slice &&
		t.Kind() != reflect.Pointer
}
