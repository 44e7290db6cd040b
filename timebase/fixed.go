package timebase

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
)

var errShort = errors.New("fewer bytes than the payload has")

// AppendFixed appends the value at an address, little end first and without gaps, as [encoding/binary.Append] would, which links
// far more code. The type must be of fixed size: a boolean, a sized number, or an array or struct of them with exported fields.
// Another one is a mistake in the program, and panics.
func AppendFixed(dst []byte, at any) []byte { return appendFixed(dst, reflect.ValueOf(at).Elem()) }

// DecodeFixed sets the value at an address to what AppendFixed has appended, and returns the rest of src. It fails when src is too
// short, and may have set a part of the value then.
func DecodeFixed(src []byte, at any) (rest []byte, err error) {
	d := fixedDecoder{src: src}
	d.value(reflect.ValueOf(at).Elem())
	if d.short {
		return nil, errShort
	}
	return d.src, nil
}

func appendFixed(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Array:
		for i := range v.Len() {
			dst = appendFixed(dst, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			dst = appendFixed(dst, v.Field(i))
		}
	case reflect.Complex64:
		dst = appendWord(dst, uint64(math.Float32bits(float32(real(v.Complex())))), 4)
		dst = appendWord(dst, uint64(math.Float32bits(float32(imag(v.Complex())))), 4)
	case reflect.Complex128:
		dst = appendWord(dst, math.Float64bits(real(v.Complex())), 8)
		dst = appendWord(dst, math.Float64bits(imag(v.Complex())), 8)
	default:
		dst = appendWord(dst, wordOf(v), int(v.Type().Size()))
	}
	return dst
}

// appendWord appends the low bytes of a word.
func appendWord(dst []byte, word uint64, size int) []byte {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], word)
	return append(dst, all[:size]...)
}

// wordOf is a boolean or number as a word.
func wordOf(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return uint64(v.Int())
	case reflect.Float32:
		return uint64(math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		return math.Float64bits(v.Float())
	}
	return v.Uint()
}

// fixedDecoder sets values from the bytes that are left.
type fixedDecoder struct {
	src   []byte
	short bool // there were too few
}

func (d *fixedDecoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Array:
		for i := range v.Len() {
			d.value(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Complex64:
		v.SetComplex(complex(d.float(4), d.float(4)))
	case reflect.Complex128:
		v.SetComplex(complex(d.float(8), d.float(8)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(d.float(int(v.Type().Size())))
	case reflect.Bool:
		v.SetBool(d.word(1) != 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(d.word(int(v.Type().Size()))))
	default:
		v.SetUint(d.word(int(v.Type().Size())))
	}
}

func (d *fixedDecoder) float(size int) float64 {
	if size == 4 {
		return float64(math.Float32frombits(uint32(d.word(4))))
	}
	return math.Float64frombits(d.word(8))
}

// word is the next bytes, 0 when they are not all there.
func (d *fixedDecoder) word(size int) uint64 {
	if size > len(d.src) {
		d.src, d.short = nil, true
		return 0
	}
	var all [8]byte
	copy(all[:], d.src[:size])
	d.src = d.src[size:]
	return binary.LittleEndian.Uint64(all[:])
}

// fixedSize says that AppendFixed can write a type, and DecodeFixed set it: reflection cannot set fields that are not exported.
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
