package examine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/portable"
)

// startOf returns the start value of a variable in the form that the standard's functions expect;
// nil if there is none or it cannot be parsed.
func (s *subject) startOf(v *variable) (bytes []byte) {
	if len(v.Start) == 0 {
		return nil
	}
	for k := range v.n {
		text := v.Start[min(k, len(v.Start)-1)]
		value, err := v.Type.ParseValue(text)
		if err != nil {
			return nil
		}
		bytes = append(bytes, s.encode(v, value)...)
	}
	return bytes
}

// encode returns the memory representation of a value of v's type.
func (s *subject) encode(v *variable, value any) []byte {
	switch x := value.(type) {
	case bool:
		n := make([]byte, v.size)
		if x {
			n[0] = 1
		}
		return n
	case string:
		if s.major == 2 {
			return append([]byte(x), 0)
		}
		return blob([]byte(x))
	case []byte:
		return blob(x)
	case int64:
		if v.size == 4 {
			value = int32(x)
		}
	}
	b, err := binary.Append(nil, binary.NativeEndian, value)
	if err != nil {
		return nil
	}
	return b
}

// blob returns the length and the bytes, with a terminator, padded to a multiple of eight.
func blob(x []byte) []byte {
	b := binary.NativeEndian.AppendUint64(nil, uint64(len(x)))
	b = append(b, x...)
	return append(b, make([]byte, (len(x)+8)/8*8-len(x))...)
}

// number returns an element as a number.
func (s *subject) number(v *variable, b []byte) float64 {
	if len(b) < v.size || v.size == 0 {
		return math.NaN()
	}
	e := binary.NativeEndian
	switch t := v.Type; {
	case t == fmi.Real || t == fmi.Float64:
		return math.Float64frombits(e.Uint64(b))
	case t == fmi.Float32:
		return float64(math.Float32frombits(e.Uint32(b)))
	case t == fmi.UInt64:
		return float64(e.Uint64(b))
	case t == fmi.UInt32:
		return float64(e.Uint32(b))
	case t == fmi.UInt16:
		return float64(e.Uint16(b))
	case t == fmi.UInt8 || v.size == 1 && t == fmi.Boolean:
		return float64(b[0])
	}
	switch v.size {
	case 1:
		return float64(int8(b[0]))
	case 2:
		return float64(int16(e.Uint16(b)))
	case 4:
		return float64(int32(e.Uint32(b)))
	}
	return float64(int64(e.Uint64(b)))
}

// bound parses a minimum or maximum; ok is false if there is none.
func (v *variable) bound(text string) (x float64, ok bool) {
	value, err := v.Type.ParseValue(text)
	if text == "" || err != nil {
		return 0, false
	}
	return toFloat(value)
}

// nominal returns the nominal value; 1 if there is none.
func (v *variable) nominal() float64 {
	if x, ok := v.bound(v.Nominal); ok && x > 0 {
		return x
	}
	return 1
}

func toFloat(value any) (float64, bool) {
	switch x := value.(type) {
	case float64:
		return x, true
	case float32:
		return float64(x), true
	case int8:
		return float64(x), true
	case int16:
		return float64(x), true
	case int32:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint8:
		return float64(x), true
	case uint16:
		return float64(x), true
	case uint32:
		return float64(x), true
	case uint64:
		return float64(x), true
	}
	return 0, false
}

// made returns a number encoded as a value of v's type.
func (s *subject) made(v *variable, x float64) []byte {
	text := fmt.Sprintf("%.0f", x)
	if v.Type.IsFloat() {
		text = fmt.Sprintf("%g", x)
	}
	value, err := v.Type.ParseValue(strings.Replace(text, "e+", "e", 1))
	if err != nil {
		return nil
	}
	return s.encode(v, value)
}

// other returns value k in a sequence of values of a variable, which are between minimum and
// maximum and differ from the start value; nil if there is none.
func (s *subject) other(v *variable, k int) (bytes []byte) {
	start := s.startOf(v)
	if start != nil && v.Type == fmi.Binary && v.Causality == fmi.Input {
		return s.samples(v, k)
	}
	if start == nil || v.size == 0 {
		return nil
	}
	for n := range v.n {
		element := start[n*v.size : (n+1)*v.size]
		var b []byte
		switch {
		case v.Type == fmi.Boolean:
			b = s.encode(v, (s.number(v, element) != 0) != (k%2 == 0))
		case v.Type == fmi.Enumeration:
			b = s.item(v, k)
		case v.Type.IsFloat():
			b = s.made(v, s.between(v, s.number(v, element), k))
		default:
			b = s.made(v, s.whole(v, s.number(v, element), k))
		}
		if b == nil {
			return nil
		}
		bytes = append(bytes, b...)
	}
	return bytes
}

// different returns a value of a variable other than its start value; nil if there is none.
func (s *subject) different(v *variable) []byte {
	const most = 4
	for k := 1; k <= most; k++ {
		if b := s.other(v, k); b != nil && !bytes.Equal(b, s.startOf(v)) {
			return b
		}
	}
	return nil
}

// isBytes reports whether a MIME type permits arbitrary bytes.
func isBytes(mimeType string) bool {
	return strings.TrimSpace(mimeType) == "" || mimeType == "application/octet-stream"
}

// samples returns value k in a sequence of values of a Binary, with all elements; nil if there is
// none.
func (s *subject) samples(v *variable, k int) (all []byte) {
	for n := range v.n {
		one := s.sample(v, k+n)
		if one == nil {
			return nil
		}
		all = append(all, one...)
	}
	return all
}

// sample returns value k in a sequence of values of a Binary: a message if the variable is for an
// OSI message.
func (s *subject) sample(v *variable, k int) []byte {
	for _, o := range s.osmp.Variables {
		full := o.ValueReferences.Full
		if full != nil && *full == v.ValueReference && newMessage(o.Message) != nil {
			return blob(example(o.Message, s.start, newest, k%4))
		}
	}
	if !isBytes(v.MIMEType) {
		return nil // it would not be a value of this type
	}
	content := fmt.Appendf(nil, "sample\x00%d\xff", k)
	if most, err := strconv.Atoi(v.MaxSize); err == nil {
		content = content[:max(0, min(most, len(content)))]
	}
	return blob(content)
}

// between returns a floating-point number near the start value, never outside the bounds.
func (s *subject) between(v *variable, start float64, k int) float64 {
	low, hasLow := v.bound(v.Min)
	high, hasHigh := v.bound(v.Max)
	size := 1.0
	if n, ok := v.bound(v.Nominal); ok && n > 0 && !math.IsInf(n, 0) {
		size = n
	}
	if start != 0 && !math.IsInf(start, 0) && !math.IsNaN(start) {
		size = math.Abs(start) / 4
	}
	if hasLow && hasHigh && !math.IsInf(high-low, 0) {
		size = min(size, (high-low)/4)
	}
	x := start + size*(1+portable.Sin(float64(k)))/2
	if hasHigh && x > high {
		x = start - size*(1+portable.Sin(float64(k)))/2
	}
	if hasLow && x < low || hasHigh && x > high {
		return start
	}
	return x
}

func (s *subject) whole(v *variable, start float64, k int) float64 {
	low, hasLow := v.bound(v.Min)
	high, hasHigh := v.bound(v.Max)
	for _, x := range []float64{start + float64(1+k%2), start + 1, start - 1} {
		if (!hasLow || x >= low) && (!hasHigh || x <= high) && (x >= 0 || start < 0) {
			return x
		}
	}
	return start
}

// item returns an item of the enumeration of v.
func (s *subject) item(v *variable, k int) []byte {
	for _, t := range s.model.Types {
		if t.Name == v.DeclaredType && len(t.Items) > 0 {
			value, err := v.Type.ParseValue(t.Items[(k+1)%len(t.Items)].Value)
			low, hasLow := v.bound(v.Min)
			high, hasHigh := v.bound(v.Max)
			x, ok := toFloat(value)
			if err != nil || !ok || hasLow && x < low || hasHigh && x > high {
				return nil
			}
			return s.encode(v, value)
		}
	}
	return nil
}
