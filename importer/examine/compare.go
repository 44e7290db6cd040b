package examine

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// cell is one variable of a reading.
type cell struct {
	name  string
	v     *variable // nil for a notional binary variable
	op    int       // that read it
	bytes []byte    // numbers: all elements; others: the bytes of all elements, with their lengths
}

// cells decodes the values returned by a reading; ok is false if the reading was not reached.
func (r *reading) cells(from *probe.Result) (list []cell, ok bool) {
	for k, o := range r.ops {
		rec := &from.Records[o]
		if rec.Runs == 0 || rec.Status > 1 {
			return nil, false
		}
		rest := rec.Out
		for _, v := range r.groups[k].variables {
			n := v.size * v.n
			if v.size == 0 {
				n = blobs(rest, v.n)
			}
			n = min(n, len(rest))
			list = append(list, cell{v.Name, v, o, rest[:n]})
			rest = rest[n:]
		}
	}
	for k, o := range r.fetches {
		rec := &from.Records[o]
		if rec.Runs == 0 || rec.Status > 1 {
			return nil, false
		}
		list = append(list, cell{r.triples[k].Name, nil, o, rec.Out})
	}
	return list, true
}

// elements returns a cell for each element of a text or binary.
func (c *cell) elements() (list []cell) {
	if c.v.n == 1 {
		return []cell{*c}
	}
	rest := c.bytes
	for k := range c.v.n {
		n := blobs(rest, 1)
		list = append(list, cell{fmt.Sprintf("%s[%d]", c.name, k+1), c.v, c.op, rest[:n]})
		rest = rest[n:]
	}
	return list
}

// Special lengths of blobs.
const (
	isNull  = math.MaxUint64
	isWrong = math.MaxUint64 - 1 // its address cannot be read
)

// blobs returns the number of bytes that the first n blobs occupy.
func blobs(b []byte, n int) (at int) {
	for ; n > 0 && at+8 <= len(b); n-- {
		size := binary.NativeEndian.Uint64(b[at:])
		at += 8
		if size >= isWrong {
			continue
		}
		if size > uint64(len(b)-at) { // the FMU has returned no such size
			return len(b)
		}
		at += int((size + 7) / 8 * 8)
	}
	return min(at, len(b))
}

// payload returns the first blob; ok is false for NULL and for blobs that cannot be read.
func payload(b []byte) (content []byte, ok bool) {
	if len(b) < 8 {
		return nil, false
	}
	size := binary.NativeEndian.Uint64(b)
	if size > uint64(len(b)-8) { // also isNull and isWrong
		return nil, false
	}
	return b[8 : 8+size], true
}

// isUnreadable reports whether a blob stands for an address that cannot be read.
func isUnreadable(b []byte) bool {
	return len(b) >= 8 && binary.NativeEndian.Uint64(b) == isWrong
}

// difference is a difference between two readings.
type difference struct {
	name        string
	t           float64
	left, right string
	relative    float64 // for numbers; infinite for other values
	leftOp, op  int     // the operations that have read the values
}

func (d *difference) String() string {
	return fmt.Sprintf("%s is %s at %s s, %s there", d.name, d.left, short(d.t), d.right)
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// compare finds the first difference between readings of two runs, larger than a relative
// tolerance. Readings that one of the runs did not reach are not compared.
func (s *subject) compare(a *probe.Result, ra []reading, b *probe.Result, rb []reading,
	tolerance float64,
) *difference {
	for k := range min(len(ra), len(rb)) {
		left, okLeft := ra[k].cells(a)
		right, okRight := rb[k].cells(b)
		if !okLeft || !okRight {
			return nil
		}
		for n := range min(len(left), len(right)) {
			l, r := left[n], right[n]
			if l.name != r.name || s.volatile[l.name] || s.dead[l.name] {
				continue
			}
			if rel := s.distance(l, r); rel > tolerance {
				left, right := s.both(l, r, tolerance)
				return &difference{l.name, ra[k].t, left, right, rel, l.op, r.op}
			}
		}
	}
	return nil
}

// distance returns 0 for equal values, the relative difference for numbers, and infinity for other
// values. Values far below the nominal value of a variable are rounding errors of a solver; their
// relative difference is meaningless.
func (s *subject) distance(a, b cell) (worst float64) {
	if bytes.Equal(a.bytes, b.bytes) {
		return 0
	}
	if a.v == nil || a.v.size == 0 || len(a.bytes) != len(b.bytes) {
		return math.Inf(1)
	}
	for k := 0; k+a.v.size <= len(a.bytes); k += a.v.size {
		x, y := s.number(a.v, a.bytes[k:]), s.number(a.v, b.bytes[k:])
		switch {
		case x == y || math.IsNaN(x) && math.IsNaN(y):
		case math.IsNaN(x) || math.IsNaN(y) || math.IsInf(x, 0) || math.IsInf(y, 0):
			return math.Inf(1)
		default:
			worst = max(worst, math.Abs(x-y)/max(math.Abs(x), math.Abs(y), 1e-6*a.v.nominal()))
		}
	}
	return worst
}

// text formats a value for display.
func (s *subject) text(c cell) string {
	if c.v != nil && c.v.size > 0 {
		if len(c.bytes) > c.v.size {
			return "an array that begins with " + s.numeral(c.v, c.bytes)
		}
		return s.numeral(c.v, c.bytes)
	}
	content, ok := payload(c.bytes)
	switch {
	case !ok && isUnreadable(c.bytes):
		return "at an address that cannot be read"
	case !ok:
		return "NULL"
	case c.v == nil || len(content) > 40:
		return fmt.Sprintf("%d bytes, %s…", len(content),
			hex.EncodeToString(content[:min(12, len(content))]))
	}
	return strconv.Quote(string(content))
}

// numeral returns an element as a decimal number, with all digits of an integer.
func (s *subject) numeral(v *variable, b []byte) string {
	x := s.number(v, b)
	switch {
	case v.Type.IsFloat() || math.IsNaN(x):
		return short(x)
	case v.Type == fmi.UInt64:
		return strconv.FormatUint(binary.NativeEndian.Uint64(b), 10)
	case v.size == 8:
		return strconv.FormatInt(int64(binary.NativeEndian.Uint64(b)), 10)
	}
	return strconv.FormatInt(int64(x), 10)
}

// both describes two values of a variable: of arrays, the first elements that differ by more than a
// relative tolerance.
func (s *subject) both(a, b cell, tolerance float64) (left, right string) {
	if a.v == nil || a.v.n == 1 {
		return s.text(a), s.text(b)
	}
	if a.v.size == 0 {
		for k, x := range a.elements() {
			if list := b.elements(); k < len(list) && !bytes.Equal(x.bytes, list[k].bytes) {
				element := fmt.Sprintf(" in element %d", k+1)
				return s.text(x) + element, s.text(list[k]) + element
			}
		}
		return s.text(a), s.text(b)
	}
	for k := 0; k+a.v.size <= min(len(a.bytes), len(b.bytes)); k += a.v.size {
		x, y := a.bytes[k:k+a.v.size], b.bytes[k:k+a.v.size]
		if s.distance(cell{v: a.v, bytes: x}, cell{v: b.v, bytes: y}) > tolerance {
			element := fmt.Sprintf(" in element %d", k/a.v.size+1)
			return s.numeral(a.v, x) + element, s.numeral(a.v, y) + element
		}
	}
	return s.text(a), s.text(b)
}
