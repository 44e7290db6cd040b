package cosim

import (
	"bufio"
	"io"
	"sync"
	"time"
)

// flushInterval is how long rows may wait in a buffer: whoever looks at the results of a run that
// is slow or hangs, or kills it, finds all but the newest of them.
const flushInterval = time.Second

// rows is a buffered writer of rows. A timer writes what waits, as the next row may never come; it
// runs only while something waits, and starts once in an interval, however many rows there are.
type rows struct {
	mu      sync.Mutex
	w       *bufio.Writer
	timer   *time.Timer
	waiting bool
	ended   bool
}

func newRows(w io.Writer) *rows { return &rows{w: bufio.NewWriterSize(w, 1<<16)} }

// write adds a row, which consists of two parts. Rows that fit into the buffer are not cut, so that
// a file found after a kill ends with a whole row.
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

// late writes what waits. The buffer keeps an error for the next row, or for the end.
func (r *rows) late() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting = false; !r.ended {
		_ = r.w.Flush()
	}
}

// end writes what waits; the caller may close the file then.
func (r *rows) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	if r.timer != nil {
		r.timer.Stop()
	}
	return r.w.Flush()
}
