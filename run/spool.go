package run

import (
	"errors"
	"io"
	"os"
)

// mostHeld is the number of bytes that a spool holds in memory.
const mostHeld = 16 << 20

// blockSize is the number of bytes of a block of a spool.
const blockSize = 1 << 20

// spool is a file that only this process needs, for as long as it is open. A small one is held in
// memory: on many machines, creating a file takes longer than a short test.
type spool struct {
	held [][]byte // full blocks, and one that is not
	file *os.File // all of its bytes, once they are too many for the memory
	size int64
}

// Write implements [io.Writer].
func (s *spool) Write(b []byte) (n int, err error) {
	if s.file == nil && s.size+int64(len(b)) <= mostHeld {
		s.hold(b)
		return len(b), nil
	}
	if s.file == nil {
		if err := s.leave(); err != nil {
			return 0, err
		}
	}
	n, err = s.file.Write(b)
	s.size += int64(n)
	return n, err
}

// hold adds bytes to the blocks.
func (s *spool) hold(b []byte) {
	s.size += int64(len(b))
	for len(b) > 0 {
		last := len(s.held) - 1
		if last < 0 || len(s.held[last]) == blockSize {
			s.held, last = append(s.held, make([]byte, 0, blockSize)), last+1
		}
		n := min(len(b), blockSize-len(s.held[last]))
		s.held[last] = append(s.held[last], b[:n]...)
		b = b[n:]
	}
}

// leave moves the bytes to a temporary file.
func (s *spool) leave() (err error) {
	if s.file, err = os.CreateTemp("", "gosmp-test"); err != nil {
		return err
	}
	for _, block := range s.held {
		if _, err := s.file.Write(block); err != nil {
			return err
		}
	}
	s.held = nil
	return nil
}

// ReadAt implements [io.ReaderAt].
func (s *spool) ReadAt(b []byte, offset int64) (n int, err error) {
	if s.file != nil {
		return s.file.ReadAt(b, offset)
	}
	for n < len(b) && offset < s.size {
		block := s.held[offset/blockSize]
		k := copy(b[n:], block[offset%blockSize:])
		n, offset = n+k, offset+int64(k)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Close removes the file.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
