package activity

import (
	"fmt"

	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// encoder writes a state: numbers have 8 bytes, in little-endian order.
type encoder struct{ buf []byte }

func (e *encoder) uint(v uint64)        { e.buf = state.AppendUint64(e.buf, v) }
func (e *encoder) int(v int)            { e.uint(uint64(v)) }
func (e *encoder) time(t timebase.Time) { e.uint(uint64(t)) }
func (e *encoder) bool(v bool)          { e.buf = state.AppendBool(e.buf, v) }
func (e *encoder) text(s string)        { e.buf = state.AppendString(e.buf, s) }

func (e *encoder) span(s timebase.Span) {
	e.time(s.Start)
	e.time(s.End)
}

func (e *encoder) spans(r *ring[timebase.Span]) {
	e.int(r.len())
	for i := r.head; i != r.tail; i++ {
		e.span(*r.at(i))
	}
}

// bytes writes the bytes that encode appends, preceded by their length.
func (e *encoder) bytes(encode func(dst []byte) ([]byte, error)) error {
	at := len(e.buf)
	e.uint(0)
	buf, err := encode(e.buf)
	if err != nil {
		return err
	}
	state.AppendUint64(buf[:at], uint64(len(buf)-at-8))
	e.buf = buf
	return nil
}

// decoder reads a state. After the first mistake it reads zeros, and failure reports it.
type decoder struct {
	state.Decoder
	wrong string
}

// check records an error unless ok, and reports whether there has been none. Errors caused by the
// zeros that follow a premature end do not count.
func (d *decoder) check(ok bool, wrong string) bool {
	if !ok && d.wrong == "" && d.Err() == nil {
		d.wrong = wrong
		d.Data = nil
	}
	return ok && d.wrong == ""
}

// failure returns the first mistake as an error, or nil if there was none.
func (d *decoder) failure() error {
	if d.wrong != "" {
		return fault.New(ErrSnapshot, fault.At("saved state"), d.wrong,
			"bytes made by AppendState").WithHint("nothing has been changed")
	}
	if err := d.Done(); err != nil {
		return fault.Wrap(ErrSnapshot, fault.At("saved state"), err).
			WithHint("nothing has been changed")
	}
	return nil
}

func (d *decoder) uint() uint64        { return d.Uint64() }
func (d *decoder) time() timebase.Time { return timebase.Time(d.Uint64()) }
func (d *decoder) bool() bool          { return d.Bool() }

func (d *decoder) span() timebase.Span {
	s := timebase.Span{Start: d.time(), End: d.time()}
	d.check(s.Start <= s.End, "a span that ends before it starts")
	return s
}

// count reads a non-negative number of elements that take at least size bytes each.
func (d *decoder) count(size int) int {
	v := d.uint()
	if !d.check(
		v <= 1<<62 && (size == 0 || v <= uint64(len(d.Data)/size)),
		fmt.Sprintf("a count of %d where %d bytes are left", v, len(d.Data)),
	) {
		return 0
	}
	return int(v)
}

func (d *decoder) spans(r *ring[timebase.Span]) {
	r.restart(0)
	for range d.count(16) {
		r.push(d.span())
	}
}

func (d *decoder) bytes() []byte { return d.Bytes() }
