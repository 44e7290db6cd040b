package timebase

import (
	"encoding/binary"
	"fmt"
)

func appendUint32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }

// encoder writes a state: numbers of 8 bytes, little end first. Nobody waits for it, so that its calls are kept calls: that is a
// third of the code of saving.
type encoder struct{ buf []byte }

//go:noinline
func (e *encoder) uint(v uint64) { e.buf = binary.LittleEndian.AppendUint64(e.buf, v) }
func (e *encoder) int(v int)     { e.uint(uint64(v)) }
func (e *encoder) time(t Time)   { e.uint(uint64(t)) }

//go:noinline
func (e *encoder) span(s Span) {
	e.time(s.Start)
	e.time(s.End)
}

//go:noinline
func (e *encoder) bool(v bool) {
	if v {
		e.buf = append(e.buf, 1)
	} else {
		e.buf = append(e.buf, 0)
	}
}

func (e *encoder) spans(r *ring[Span]) {
	e.int(r.len())
	for i := r.head; i != r.tail; i++ {
		e.span(*r.at(i))
	}
}

// bytes writes what encode appends, after its length.
func (e *encoder) bytes(encode func(dst []byte) ([]byte, error)) error {
	at := len(e.buf)
	e.uint(0)
	buf, err := encode(e.buf)
	if err != nil {
		return err
	}
	e.buf = buf
	binary.LittleEndian.PutUint64(e.buf[at:], uint64(len(e.buf)-at-8))
	return nil
}

// decoder reads a state. After the first fault it reads zeros, and failure tells.
type decoder struct {
	buf   []byte
	fault string
}

// check notes a fault unless ok, and says whether there has been none.
func (d *decoder) check(ok bool, fault string) bool {
	if !ok && d.fault == "" {
		d.fault = fault
		d.buf = nil
	}
	return d.fault == ""
}

func (d *decoder) failure() error {
	if d.fault == "" {
		return nil
	}
	return fault("saved state", ErrSnapshot, d.fault, "bytes made by AppendState").advise("nothing has been changed")
}

// take is the next n bytes, or nil.
func (d *decoder) take(n int) []byte {
	if n > len(d.buf) {
		d.check(false, fmt.Sprintf("the end of the bytes where %d more belong", n))
		return nil
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

//go:noinline
func (d *decoder) uint() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

//go:noinline
func (d *decoder) time() Time { return Time(d.uint()) }

//go:noinline
func (d *decoder) bool() bool {
	b := d.take(1)
	return b != nil && b[0] != 0
}

func (d *decoder) span() Span {
	s := Span{d.time(), d.time()}
	d.check(s.Start <= s.End, "a span that ends before it starts")
	return s
}

// count is a number that is not negative, of things that take size bytes each at least.
func (d *decoder) count(size int) int {
	v := d.uint()
	if !d.check(v <= 1<<62 && (size == 0 || v <= uint64(len(d.buf)/size)), "a count that cannot be") {
		return 0
	}
	return int(v)
}

func (d *decoder) spans(r *ring[Span]) {
	r.restart(0)
	for range d.count(16) {
		r.push(d.span())
	}
}

func (d *decoder) bytes() []byte { return d.take(d.count(1)) }
