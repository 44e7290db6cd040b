package inputs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"gosmp/internal/regular"
	"gosmp/sweep"
)

// Digests remembers the digest of each file until the file changes.
type Digests struct {
	mu    sync.Mutex
	known map[string]digest
}

type digest struct {
	info fs.FileInfo
	sum  [sha256.Size]byte
}

// of returns the digest of the content of a file.
func (d *Digests) of(name string) (sum [sha256.Size]byte, err error) {
	// Stat is called before reading the file, so that the next call notices a change in the
	// meantime.
	info, err := os.Stat(name)
	if err == nil {
		err = regular.Check(name, info)
	}
	if err != nil {
		return sum, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if k, is := d.known[name]; is && os.SameFile(k.info, info) && k.info.Size() == info.Size() &&
		k.info.ModTime().Equal(info.ModTime()) {
		return k.sum, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return sum, err
	}
	defer func() { _ = f.Close() }() // opened read-only
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	sum = [sha256.Size]byte(h.Sum(nil))
	if d.known == nil {
		d.known = map[string]digest{}
	}
	d.known[name] = digest{info, sum}
	return sum, nil
}

// Verify returns an error unless the file that a setting names has the same content as for the
// sweep.
func (d *Digests) Verify(dir string, f sweep.File) error {
	switch sum, err := d.of(Named(dir, f.Name)); {
	case err != nil:
		return fmt.Errorf(
			"a file in the settings of the run cannot be read here: %w; workers need the same "+
				"files under the same names as the sweep", err)
	case hex.EncodeToString(sum[:]) != f.Digest:
		return fmt.Errorf(
			"%s, in the settings of the run, is not the same file as for the sweep; workers need "+
				"the same files under the same names as the sweep", f.Name)
	}
	return nil
}

// Named returns the file that a value names for a run. Runs work in the folder of the experiment.
func Named(dir, value string) string {
	if filepath.IsAbs(value) {
		return filepath.Clean(value)
	}
	return filepath.Join(dir, value)
}
