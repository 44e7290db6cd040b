package worker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gosmp/internal/pause"
)

// The layout of a log record, as written by report.c: length, slot, status, length of the category;
// then category and text.
const (
	recordHeader = 12
	maxRecord    = 1<<20 + 4096
	logTime      = 10 * time.Second // for bytes that are already in a pipe
)

// reader reads the log of a worker in a separate goroutine so that the host does not block FMUs.
type reader struct {
	source io.ReadCloser
	handle func(Record)
	read   atomic.Uint64 // number of bytes handled so far
	change chan struct{} // signalled when read has changed
	done   chan struct{}

	mu      sync.Mutex
	free    sync.Cond // of mu: kept has room, or held is now false
	held    bool      // records must wait until their turn
	allowed uint64    // records up to this byte need not wait
	dropped bool      // records are discarded
	kept    []waiting
}

// waiting is a record that waits, with its end position in the log.
type waiting struct {
	Record
	end uint64
}

// mostHeld is the number of records that may wait; if it is reached, the FMU waits.
const mostHeld = 10_000

func newReader(source io.ReadCloser, handle func(Record)) *reader {
	r := &reader{source: source, handle: handle, change: make(chan struct{}, 1),
		done: make(chan struct{})}
	r.free.L = &r.mu
	go r.run()
	return r
}

// hold makes all further records wait until release.
func (r *reader) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held, r.allowed = true, 0
}

// release delivers the waiting records.
func (r *reader) release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passTo(math.MaxUint64)
	r.held, r.dropped = false, false
}

// advance delivers the records up to a position in the log; these records have been read.
func (r *reader) advance(to uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.allowed = to
	r.passTo(to)
}

// isFull reports whether the FMU waits for room.
func (r *reader) isFull() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.kept) == mostHeld
}

// flush delivers the waiting records but keeps later ones.
func (r *reader) flush() { r.advance(r.read.Load()) }

// drop discards the waiting records and all further ones until release.
func (r *reader) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropped, r.kept = true, r.kept[:0]
	r.free.Broadcast()
}

func (r *reader) passTo(end uint64) {
	n := 0
	for n < len(r.kept) && r.kept[n].end <= end {
		r.handle(r.kept[n].Record)
		n++
	}
	r.kept = slices.Delete(r.kept, 0, n)
	r.free.Broadcast()
}

// pass handles a record now or when its turn comes.
func (r *reader) pass(record Record, end uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.held && !r.dropped && end > r.allowed && len(r.kept) == mostHeld {
		r.free.Wait()
	}
	switch {
	case !r.held || end <= r.allowed:
		r.handle(record)
	case !r.dropped:
		r.kept = append(r.kept, waiting{record, end})
	}
}

func (r *reader) run() {
	defer close(r.done)
	var head [recordHeader]byte
	for {
		if _, err := io.ReadFull(r.source, head[:]); err != nil {
			return
		}
		length := binary.NativeEndian.Uint32(head[0:])
		if length > maxRecord {
			return // the remaining bytes cannot be split into records
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r.source, body); err != nil {
			return
		}
		end := r.read.Load() + recordHeader + uint64(length)
		if r.handle != nil {
			r.pass(decode(head[:], body), end)
		}
		r.read.Store(end)
		select {
		case r.change <- struct{}{}:
		default:
		}
	}
}

// decode decodes a record from arbitrary bytes: a faulty worker may write anything.
func decode(head, body []byte) Record {
	status := int(int16(binary.NativeEndian.Uint16(head[6:])))
	category := int(int32(binary.NativeEndian.Uint32(head[8:])))
	rec := Record{Slot: int(binary.NativeEndian.Uint16(head[4:])), Call: status < 0,
		HasCategory: category >= 0}
	if !rec.Call {
		rec.Status = min(status, 5)
	}
	category = max(0, min(category, len(body)))
	rec.Category, rec.Text = string(body[:category]), string(body[category:])
	return rec
}

// await waits until all bytes that the worker reports as written have been handled.
func (r *reader) await(logged uint64, ended <-chan struct{}) error {
	if r.read.Load() >= logged {
		return nil
	}
	late, stop := pause.Late(logTime)
	defer stop()
	for r.read.Load() < logged {
		select {
		case <-late:
			return fmt.Errorf("%w: %d of %d bytes of its log have come", ErrProtocol, r.read.Load(),
				logged)
		case <-r.change:
		case <-r.done:
			if r.read.Load() < logged {
				return fmt.Errorf("%w: its log ends after %d of %d bytes", ErrProtocol,
					r.read.Load(), logged)
			}
		case <-ended:
			return nil
		}
	}
	return nil
}

// close waits for the end of the log, up to a limit, because a child process of an FMU may hold it
// open.
func (r *reader) close(limit time.Duration) {
	late, stop := pause.Late(limit)
	defer stop()
	select {
	case <-r.done:
	case <-late:
	}
	_ = r.source.Close()
	<-r.done
}

const (
	// per stream, so that a flood on one does not displace the last lines of the other.
	keptLines = 10
	maxLine   = 4096 // longer lines are delivered in pieces
)

// printer delivers the printed output of an FMU line by line and keeps the last lines.
type printer struct {
	print func(string)
	mu    sync.Mutex
	all   []*stream
}

// stream is either stdout or stderr.
type stream struct {
	printer *printer
	rest    []byte
	last    []string
}

func (p *printer) stream() *stream {
	s := &stream{printer: p}
	p.all = append(p.all, s)
	return s
}

// Write delivers complete lines.
func (s *stream) Write(b []byte) (int, error) {
	s.printer.mu.Lock()
	defer s.printer.mu.Unlock()
	s.rest = append(s.rest, b...)
	for {
		k := bytes.IndexByte(s.rest, '\n')
		if k < 0 && len(s.rest) > maxLine {
			k = maxLine
		}
		if k < 0 {
			return len(b), nil
		}
		s.line(string(s.rest[:k]))
		s.rest = append(s.rest[:0], s.rest[min(k+1, len(s.rest)):]...)
	}
}

// line delivers a line. The printer must be locked.
func (s *stream) line(text string) {
	if len(s.last) == keptLines {
		s.last = append(s.last[:0], s.last[1:]...)
	}
	s.last = append(s.last, text)
	if s.printer.print != nil {
		s.printer.print(text)
	}
}

// flush delivers incomplete lines.
func (p *printer) flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.all {
		if len(s.rest) > 0 {
			s.line(string(s.rest))
			s.rest = nil
		}
	}
}

// forget forgets the last lines.
func (p *printer) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.all {
		s.last = nil
	}
}

// tail returns the last lines, stdout before stderr.
func (p *printer) tail() (lines []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.all {
		lines = append(lines, s.last...)
	}
	return lines
}
