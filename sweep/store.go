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
	"strings"
	"sync"
)

// Store is a folder with the rows of finished runs, in files to which lines are only appended. Each
// process that writes has a file of its own, so that several can share a folder. What a process that
// was killed has left of a line is ignored, and so are runs that were lost or hung: they begin anew.
type Store struct {
	dir  string
	rows map[string]Row
	mu   sync.Mutex
	file *os.File // made with the first row
}

// OpenStore reads a folder, which is made when it does not exist.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, rows: map[string]Row{}}
	files, err := filepath.Glob(filepath.Join(escaped(dir), "rows-*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		if err := s.load(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// escaped is a path without meaning for Glob.
func escaped(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

func (s *Store) load(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil // the end, or the rest of a line that was never finished
		}
		var r Row
		if json.Unmarshal(bytes.TrimSpace(line), &r) == nil && r.ID != "" && r.Outcome != "" && r.Final() {
			s.rows[r.ID] = r
		}
	}
}

// Row returns the row of a run, if it has one.
func (s *Store) Row(id string) (Row, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rows[id]
	return r, ok
}

// Final reports whether a run need not be computed again.
func (r *Row) Final() bool { return r.Outcome != Lost && r.Outcome != Hung }

// Add appends a row. When it returns, the row outlives the process, though not a failure of the
// machine until Sync.
func (s *Store) Add(r Row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := s.file.Write(append(line, '\n')); err != nil {
		return err
	}
	s.rows[r.ID] = r
	return nil
}

// create makes the first file that no other process has made.
func (s *Store) create() (err error) {
	for n := 1; ; n++ {
		s.file, err = os.OpenFile(filepath.Join(s.dir, fmt.Sprintf("rows-%d.jsonl", n)), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// Close writes everything to the disk.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Sync(), s.file.Close())
	s.file = nil
	return err
}
