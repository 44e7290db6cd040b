package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Store is a folder with the rows of finished runs, in files to which lines are only appended. Each
// process that writes has its own file, so that several can share a folder. An incomplete line left
// by a killed process is ignored. So are runs that were lost or hung, which are computed again.
// Each line has a checksum; a damaged line does not count as a row, and its run is computed again.
//
// The rows stay in the files; memory holds only their positions.
type Store struct {
	dir    string
	mu     sync.Mutex
	places map[string]place // by the identity of the run
	files  []string
	open   map[int32]*os.File // most recently read files
	own    *os.File           // created with the first row
	number int32              // index of own among the files
	size   int64              // of own
	failed error              // error of reading a row
	again  map[string]int     // by the identity of the run: number of recomputations
	forget []string           // outcomes of runs to recompute, in addition to lost and hung

	damaged []string
	more    int // further damaged lines
}

// mostDamaged bounds the number of damaged lines that are listed.
const mostDamaged = 20

// place is the position of the line of a row.
type place struct {
	at     int64
	file   int32
	length int32
}

// mostOpen bounds the files that are open for reading.
const mostOpen = 64

// OpenStore reads a folder, creating it if it does not exist. Runs whose outcomes are to be
// forgotten count as absent and are computed again.
func OpenStore(dir string, forget ...string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, places: map[string]place{}, open: map[int32]*os.File{},
		again: map[string]int{}, forget: forget}
	var err error
	if s.files, err = filepath.Glob(filepath.Join(escaped(dir), "rows-*.jsonl")); err != nil {
		return nil, err
	}
	lines := bufio.NewReaderSize(nil, longestLine)
	for k := range s.files {
		if err := s.load(int32(k), lines); err != nil { //nolint:gosec // files of one folder
			return nil, err
		}
	}
	return s, nil
}

// Folder returns the folder of the store.
func (s *Store) Folder() string { return s.dir }

// escaped escapes the characters of a path that are special to Glob.
func escaped(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

// load records the positions of the rows of a file.
func (s *Store) load(file int32, lines *bufio.Reader) error {
	f, err := os.Open(s.files[file])
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // nothing was written
	lines.Reset(f)
	number, whole := 0, true // whole: this part starts at the beginning of its line
	for at := int64(0); ; {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil // the end, or the rest of a line that was never finished
		}
		if whole {
			number++
			size := int32(len(line)) //nolint:gosec // at most longestLine
			s.note(line, place{at, file, size}, number)
		}
		at += int64(len(line))
		whole = err == nil
	}
}

// note records the row of a line. If a run has several rows, the one with the highest repeat count
// is used, or the last one among equals.
func (s *Store) note(line []byte, p place, number int) {
	h, err := decodeLine(line)
	if err != nil {
		if len(s.damaged) == mostDamaged {
			s.more++
			return
		}
		s.damaged = append(s.damaged, fmt.Sprintf("%s:%d: %v", s.files[p.file], number, err))
		return
	}
	if h.Again < s.again[h.ID] {
		return
	}
	if h.Again > 0 {
		s.again[h.ID] = h.Again
	}
	switch {
	case slices.Contains(s.forget, h.Outcome):
		delete(s.places, h.ID)
		s.again[h.ID] = h.Again + 1 // for the row that will be written
	case h.Final():
		s.places[h.ID] = p
	case h.Again > 0: // it was meant to replace another row
		delete(s.places, h.ID)
	}
}

// Damaged lists damaged lines, each with its file, line number and fault, and returns the number of
// others. Their runs have no rows.
func (s *Store) Damaged() (list []string, more int) { return s.damaged, s.more }

// longestLine bounds a row in the store, in bytes.
const longestLine = 1 << 20

// Has reports whether a run has a row.
func (s *Store) Has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.places[id]
	return ok
}

// Row returns the row of a run, if it has one. A row that has become unreadable is reported by
// Close.
func (s *Store) Row(id string) (r Row, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.places[id]
	if !ok {
		return r, false
	}
	line := make([]byte, p.length)
	f, err := s.reader(p.file)
	if err == nil {
		_, err = f.ReadAt(line, p.at)
	}
	if err == nil {
		_, err = verified(bytes.TrimRight(line, "\r\n"))
	}
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err == nil && r.ID != id {
		err = fmt.Errorf("%s has changed while it was read", s.files[p.file])
	}
	if s.failed == nil {
		s.failed = err
	}
	return r, err == nil
}

// reader returns a file to read from.
func (s *Store) reader(file int32) (*os.File, error) {
	if s.own != nil && file == s.number {
		return s.own, nil
	}
	if f := s.open[file]; f != nil {
		return f, nil
	}
	if len(s.open) == mostOpen {
		s.closeReaders()
	}
	f, err := os.Open(s.files[file])
	if err == nil {
		s.open[file] = f
	}
	return f, err
}

func (s *Store) closeReaders() {
	for _, f := range s.open {
		_ = f.Close() // nothing was written
	}
	clear(s.open)
}

// Final reports whether a run need not be computed again.
func (r *Row) Final() bool { return r.Outcome != Lost && r.Outcome != Hung }

// Add appends a row. After it returns, the row survives the end of the process, but it survives a
// failure of the computer only after Close.
func (s *Store) Add(r Row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	line, err := encodeLine(r, s.again[r.ID])
	if err != nil {
		return err
	}
	if len(line) > longestLine {
		return fmt.Errorf("the row of run %s has %d bytes, expected at most %d", r.ID, len(line),
			longestLine)
	}
	n, err := s.own.Write(line)
	at := s.size
	if s.size += int64(n); err != nil {
		return err
	}
	s.places[r.ID] = place{at, s.number, int32(len(line))} //nolint:gosec // at most longestLine
	return nil
}

// create creates the first file not yet created by another process.
func (s *Store) create() (err error) {
	for n := 1; ; n++ {
		name := filepath.Join(s.dir, fmt.Sprintf("rows-%d.jsonl", n))
		s.own, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o666)
		if err == nil {
			s.number = int32(len(s.files)) //nolint:gosec // files of one folder
			s.files = append(s.files, name)
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// Sync writes everything to the disk.
func (s *Store) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		return nil
	}
	return s.own.Sync()
}

// Close writes everything to the disk, and closes the files. Its error also reports a row that
// could not be read.
func (s *Store) Close() error {
	err := s.Sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeReaders()
	if s.own != nil {
		err = errors.Join(err, s.own.Close())
		s.own = nil
	}
	return errors.Join(err, s.failed)
}
