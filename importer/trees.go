package importer

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// trees are the unpacked FMUs of a pool, one for each instance: an FMU may write into its resources,
// which no other instance and no other run must see. They lie in a folder of this pool, beside the
// store so that files need not be copied across file systems, or in the temporary folder. The folder
// has a name that nobody can predict and belongs to the user; it is locked as long as the pool lives.
type trees struct {
	store store
	root  string // empty before the first tree
	lock  *os.File
	made  int
}

const (
	runPrefix = "run-"
	lockName  = "lock"
	// settling is how long a new folder may be without its lock.
	settling = time.Minute
)

// plant unpacks an FMU into a folder of its own.
func (t *trees) plant(f *FMU) (folder string, err error) {
	if t.root == "" {
		if err := t.open(); err != nil {
			return "", f.invalid("unpacking", err)
		}
	}
	folder = filepath.Join(t.root, strconv.Itoa(t.made))
	t.made++
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", f.invalid("unpacking", err)
	}
	if err := f.unpack(folder, t.store); err != nil {
		return "", f.invalid("unpacking", err)
	}
	return folder, nil
}

// open makes the folder. Beside the store it is locked, so that others do not remove it.
func (t *trees) open() (err error) {
	t.store = openStore()
	if t.store.root != "" && t.openBeside() == nil {
		t.store.removeLeftovers(time.Now())
		return nil
	}
	t.root, err = os.MkdirTemp("", "gosmp-"+runPrefix)
	return err
}

func (t *trees) openBeside() (err error) {
	if t.root, err = os.MkdirTemp(t.store.root, runPrefix); err != nil {
		return err
	}
	if t.lock, err = os.Create(filepath.Join(t.root, lockName)); err != nil {
		return err
	}
	return lock(t.lock)
}

// close removes the trees.
func (t *trees) close() error {
	if t.root == "" {
		return nil
	}
	makeWritable(t.root)
	err := os.RemoveAll(t.root)
	if t.lock != nil {
		err = errors.Join(err, t.lock.Close())
	}
	*t = trees{}
	return err
}

// makeWritable lets folders be emptied that an FMU has made read-only.
func makeWritable(root string) {
	_ = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) // else removing it reports the error
		}
		return nil
	})
}

// removeLeftovers removes the trees of processes that have ended without closing their pools: nobody
// holds their locks.
func (s store) removeLeftovers(now time.Time) {
	entries, err := os.ReadDir(s.root)
	if s.root == "" || err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if !strings.HasPrefix(e.Name(), runPrefix) || err != nil || now.Sub(info.ModTime()) < settling {
			continue
		}
		folder := filepath.Join(s.root, e.Name())
		f, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR, 0)
		if err == nil {
			err = lock(f)
			_ = f.Close() // the folder is removed, or belongs to another process
		} else if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		if err == nil {
			makeWritable(folder)
			_ = os.RemoveAll(folder) // the next process tries again
		}
	}
}
