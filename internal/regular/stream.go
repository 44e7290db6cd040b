package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// patience is the time in which a program must begin to write to a pipe.
const patience = 10 * time.Second

// Stream is the content of a file or a pipe, to be read once.
type Stream struct {
	*os.File
	first []byte // of a pipe, not yet returned
}

// OpenStream opens a file that is named on the command line and read only once, so that it may also
// be a pipe. The error for a pipe to which no program writes comes after 10 s; opening it would
// never end. Devices except the empty one are refused, because their content may never end.
func OpenStream(name string) (*Stream, error) { return openStream(name, patience) }

func openStream(name string, limit time.Duration) (*Stream, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeNamedPipe == 0 {
		open := Open
		if name == os.DevNull {
			open = os.Open
		}
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		return &Stream{File: f}, nil
	}
	f, err := openPipe(name)
	if err != nil {
		return nil, err
	}
	s := &Stream{File: f}
	if err := s.begin(name, limit); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

// begin waits until there is content. A pipe that has not been opened for writing has none.
func (s *Stream) begin(name string, limit time.Duration) error {
	const pause = 10 * time.Millisecond
	head := make([]byte, 1)
	for end := time.Now().Add(limit); ; time.Sleep(pause) {
		n, err := s.File.Read(head)
		switch {
		case n > 0:
			s.first = head
			return nil
		case !errors.Is(err, io.EOF):
			return err
		case time.Now().After(end):
			return fmt.Errorf("read %s: found a pipe to which no program has written within %s, "+
				"expected a program that writes to it", name, limit)
		}
	}
}

// Read implements [io.Reader].
func (s *Stream) Read(b []byte) (int, error) {
	if len(s.first) > 0 && len(b) > 0 {
		n := copy(b, s.first)
		s.first = s.first[n:]
		return n, nil
	}
	return s.File.Read(b)
}

// WriteTo implements [io.WriterTo]. That of the file would leave out what begin has read.
func (s *Stream) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{s})
}
