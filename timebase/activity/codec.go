package activity

import (
	"encoding"
	"encoding/binary"
	"errors"
	"reflect"

	"gosmp/internal/state"
)

var errLength = errors.New("more bytes than the payload has")

// Codec converts payloads to bytes and back, for saved states and traces. The types that need none
// are []byte, string, int, uint, types of fixed size (booleans, sized numbers, and arrays and
// structs of them with exported fields), and types that implement [encoding.BinaryMarshaler] with
// [encoding.BinaryUnmarshaler] on their pointer. For other types, call [Channel.Codec] before the
// node is saved.
type Codec[T any] interface {
	// Append adds the bytes of v to dst.
	Append(dst []byte, v T) ([]byte, error)
	// Decode decodes exactly the bytes added by Append. It must not retain src.
	Decode(src []byte) (T, error)
}

// codec is a Codec for any type. It takes the addresses of values, so that no code is generated for
// each type. Its zero value is for types that cannot be encoded.
type codec struct {
	encode func(dst []byte, at any) ([]byte, error)
	decode func(src []byte, at any) error
}

func (c codec) known() bool { return c.encode != nil }

// defaultCodec returns the codec for a type that does not need its own; at is the address of a
// value.
func defaultCodec(at any) codec {
	switch at.(type) {
	case *[]byte, *string, *int, *uint:
		return codec{appendPlain, decodePlain}
	case encoding.BinaryUnmarshaler:
		if _, ok := at.(encoding.BinaryMarshaler); ok {
			return codec{appendMarshaled, decodeMarshaled}
		}
	}
	if state.FixedSize(reflect.TypeOf(at).Elem()) {
		return codec{appendOnly, decodeAll}
	}
	return codec{}
}

// appendPlain and decodePlain handle []byte, string, int and uint.
func appendPlain(dst []byte, at any) ([]byte, error) {
	switch v := at.(type) {
	case *[]byte:
		return append(dst, *v...), nil
	case *string:
		return append(dst, *v...), nil
	case *int:
		return binary.LittleEndian.AppendUint64(dst, uint64(*v)), nil
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(*at.(*uint))), nil
}

func decodePlain(src []byte, at any) error {
	switch v := at.(type) {
	case *[]byte:
		*v = append([]byte(nil), src...)
		return nil
	case *string:
		*v = string(src)
		return nil
	}
	var n uint64
	err := decodeAll(src, &n)
	if v, ok := at.(*int); ok {
		*v = int(n)
	} else {
		*at.(*uint) = uint(n)
	}
	return err
}

// appendMarshaled and decodeMarshaled handle types that marshal themselves.
func appendMarshaled(dst []byte, at any) ([]byte, error) {
	b, err := at.(encoding.BinaryMarshaler).MarshalBinary()
	return append(dst, b...), err
}

func decodeMarshaled(src []byte, at any) error {
	return at.(encoding.BinaryUnmarshaler).UnmarshalBinary(src)
}

// appendOnly and decodeAll handle types of fixed size.
func appendOnly(dst []byte, at any) ([]byte, error) { return state.AppendFixed(dst, at), nil }

func decodeAll(src []byte, at any) error {
	rest, err := state.DecodeFixed(src, at)
	if err == nil && len(rest) > 0 {
		err = errLength
	}
	return err
}
