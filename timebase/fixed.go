package timebase

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
)

var errShort = errors.New("fewer bytes than the payload has")

// AppendFixed appends the value at an address as [encoding/binary.Append] does: little end first
// and without gaps. The type must be of fixed size: a boolean, a sized number, or an array or
// struct of them with exported fields. Any other type is a mistake in the program, and panics.
func AppendFixed(dst []byte, at any) []byte {
	b, err := binary.Append(dst, binary.LittleEndian, at)
	if err != nil {
		panic(fmt.Errorf("AppendFixed: %w", err))
	}
	return b
}

// DecodeFixed sets the value at an address to what AppendFixed has appended, and returns the rest
// of src. If src is too short, it returns an error and changes nothing.
func DecodeFixed(src []byte, at any) (rest []byte, err error) {
	size := binary.Size(at)
	if size > len(src) {
		return nil, errShort
	}
	if _, err := binary.Decode(src, binary.LittleEndian, at); err != nil {
		panic(fmt.Errorf("DecodeFixed: %w", err))
	}
	return src[size:], nil
}

// fixedSize reports whether AppendFixed can write a type, and DecodeFixed set it: reflection cannot
// set fields that are not exported.
func fixedSize(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return fixedSize(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !f.IsExported() || !fixedSize(f.Type) {
				return false
			}
		}
		return true
	}
	return binary.Size(reflect.Zero(t).Interface()) > 0 && t.Kind() != reflect.Slice && t.Kind() != reflect.Pointer
}
