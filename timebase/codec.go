package timebase

import (
	"encoding"
	"encoding/binary"
	"errors"
	"reflect"
)

var errLength = errors.New("more bytes than the payload has")

// Codec makes payloads into bytes and back, for saved states and traces. Types that need none are: []byte, string, int,
// uint, types of fixed size (booleans, sized numbers, and arrays and structs of them with exported fields), and types that
// implement [encoding.BinaryMarshaler] with [encoding.BinaryUnmarshaler] on their pointer. Others must be given one by
// [Channel.Codec] before the node can be saved.
type Codec[T any] interface {
	// Append adds the bytes of v to dst.
	Append(dst []byte, v T) ([]byte, error)
	// Decode makes a value of exactly the bytes that Append has added. It must not keep src.
	Decode(src []byte) (T, error)
}

// codecOf makes a Codec of two functions.
type codecOf[T any] struct {
	encode func(dst []byte, v T) ([]byte, error)
	decode func(src []byte) (T, error)
}

func (c codecOf[T]) Append(dst []byte, v T) ([]byte, error) { return c.encode(dst, v) }
func (c codecOf[T]) Decode(src []byte) (T, error)           { return c.decode(src) }

// defaultCodec is the codec for a type that needs none, or nil.
func defaultCodec[T any]() Codec[T] {
	var zero T
	var codec any
	switch any(zero).(type) {
	case []byte:
		codec = codecOf[[]byte]{
			func(dst, v []byte) ([]byte, error) { return append(dst, v...), nil },
			func(src []byte) ([]byte, error) { return append([]byte(nil), src...), nil },
		}
	case string:
		codec = codecOf[string]{
			func(dst []byte, v string) ([]byte, error) { return append(dst, v...), nil },
			func(src []byte) (string, error) { return string(src), nil },
		}
	case int:
		codec = codecOf[int]{
			func(dst []byte, v int) ([]byte, error) { return binary.LittleEndian.AppendUint64(dst, uint64(v)), nil },
			func(src []byte) (int, error) { v, err := decodeFixed[int64](src); return int(v), err },
		}
	case uint:
		codec = codecOf[uint]{
			func(dst []byte, v uint) ([]byte, error) { return binary.LittleEndian.AppendUint64(dst, uint64(v)), nil },
			func(src []byte) (uint, error) { v, err := decodeFixed[uint64](src); return uint(v), err },
		}
	default:
		return generalCodec[T]()
	}
	return codec.(Codec[T])
}

// generalCodec is for marshalers and for types of fixed size.
func generalCodec[T any]() Codec[T] {
	var v T
	if _, ok := any(&v).(encoding.BinaryUnmarshaler); ok {
		if _, ok := any(&v).(encoding.BinaryMarshaler); ok {
			return codecOf[T]{marshal[T], unmarshal[T]}
		}
	}
	if fixedSize(reflect.TypeFor[T]()) {
		return codecOf[T]{
			func(dst []byte, v T) ([]byte, error) { return binary.Append(dst, binary.LittleEndian, v) },
			decodeFixed[T],
		}
	}
	return nil
}

func marshal[T any](dst []byte, v T) ([]byte, error) {
	b, err := any(&v).(encoding.BinaryMarshaler).MarshalBinary()
	return append(dst, b...), err
}

func unmarshal[T any](src []byte) (v T, err error) {
	err = any(&v).(encoding.BinaryUnmarshaler).UnmarshalBinary(src)
	return v, err
}

func decodeFixed[T any](src []byte) (v T, err error) {
	n, err := binary.Decode(src, binary.LittleEndian, &v)
	if err == nil && n != len(src) {
		err = errLength
	}
	return v, err
}

// fixedSize says that encoding/binary can both write and read a type: it cannot set fields that are not exported.
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
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	}
	return false
}
