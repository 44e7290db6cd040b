package cosim

import (
	"bufio"
	"io"
	"sync"
	"time"
)

// flushInterval is the longest time that rows wait in a buffer. If a run is slow, hangs or is
// killed, the file has all rows but the newest ones.
const flushInterval = time.Second

// rows is a buffered writer of rows. A timer flushes the buffer because another row may never
// arrive. The timer runs only while rows are waiting, and starts once per interval, however many
// rows there are.
type rows struct {
	mu      sync.Mutex
	w       *bufio.Writer
	timer   *time.Timer
	waiting bool
	ended   bool
}

func newRows(w io.Writer) *rows { return &rows{w: bufio.NewWriterSize(w, 1<<16)} }

// write adds a row, which consists of two parts. Rows that fit into the buffer are not split, so
// that the file ends with a complete row even if the process is killed.
func (r *rows) write(head, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(head)+len(body) > r.w.Available() {
		if err := r.w.Flush(); err != nil {
			return err
		}
	}
	if _, err := r.w.Write(head); err != nil {
		return err
	}
	if _, err := r.w.Write(body); err != nil {
		return err
	}
	if !r.waiting {
		r.waiting = true
		if r.timer == nil {
			r.timer = time.AfterFunc(flushInterval, r.late)
		} else {
			r.timer.Reset(flushInterval)
		}
	}
	return nil
}

// late flushes the buffer, which keeps any error until the next row or the end.
func (r *rows) late() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting = false; !r.ended {
		_ = r.w.Flush()
	}
}

// end flushes the buffer; the caller may then close the file.
func (r *rows) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	if r.timer != nil {
		r.timer.Stop()
	}
	return r.w.Flush()
}
