package importer

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// trees are the unpacked FMUs of a pool, one for each instance: an FMU may write to its resources,
// and no other instance or run may see these changes. They are in a folder of this pool, which is
// next to the store, so that files need not be copied across file systems, or in the temporary
// folder under an unpredictable name. The folder is locked as long as the pool exists. It is the
// first free folder, so that an FMU that outputs its location produces the same results in the next
// run. Unchanged trees next to the store are kept for the next run.
type trees struct {
	store store
	root  string // empty before the first tree
	lock  *os.File
	made  int
	// wary means that the files of the store are compared with the archive for each tree; otherwise
	// they are compared only for the first tree of an FMU, because all trees are planted within
	// moments.
	wary     bool
	verified map[string]bool // by hash
	planted  []planted
}

const (
	runPrefix = "run-"
	lockName  = "lock"
	mostRuns  = 1 << 16 // at a time
)

// plant unpacks an FMU into a folder of its own.
func (t *trees) plant(f *FMU) (folder string, err error) {
	if t.root == "" {
		if err := t.open(); err != nil {
			return "", f.invalid("unpacking", err)
		}
	}
	from := shelf{folder: t.store.folder(f.SHA256), links: f.isFixed,
		verified: t.verified[f.SHA256]}
	folder, err = t.next(f, from)
	if err != nil {
		return "", f.invalid("unpacking", err)
	}
	t.planted = append(t.planted, planted{folder, f})
	if !t.wary {
		if t.verified == nil {
			t.verified = map[string]bool{}
		}
		t.verified[f.SHA256] = true
	}
	return folder, nil
}

// next returns the next folder with the files of the FMU, which come from an earlier run or are
// newly unpacked.
func (t *trees) next(f *FMU, from shelf) (folder string, err error) {
	for { // a library that Windows still keeps open blocks its folder
		folder = filepath.Join(t.root, strconv.Itoa(t.made))
		t.made++
		if t.keeps() && exists(folder) {
			if f.serves(folder, from) {
				return folder, nil
			}
			if err := discard(folder); err != nil {
				return "", err
			}
		}
		err := os.Mkdir(folder, 0o700)
		if err == nil {
			return folder, f.unpack(folder, from)
		}
		if runtime.GOOS != "windows" || !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
}

// keeps reports whether trees are kept for the next run, which finds them next to the store. On
// Windows, a library may block its folder.
func (t *trees) keeps() bool { return t.lock != nil && runtime.GOOS == "linux" }

// open creates the folder.
func (t *trees) open() (err error) {
	t.store = openStore()
	if t.store.root != "" && t.openBeside() {
		return nil
	}
	t.root, err = os.MkdirTemp("", "gosmp-"+runPrefix)
	return err
}

// openBeside takes the first unused folder next to the store. It removes files left by processes
// that ended early from this folder and from all other unused folders.
func (t *trees) openBeside() bool {
	for n := range mostRuns {
		folder := filepath.Join(t.store.root, runPrefix+strconv.Itoa(n))
		if t.root != "" && !exists(folder) {
			return true // there are no more folders
		}
		_ = os.Mkdir(folder, 0o700) // the folder may already exist
		f, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return t.root != ""
		}
		switch {
		case lock(f) != nil:
			_ = f.Close() // another process holds the lock
			continue
		case t.root == "":
			t.root, t.lock = folder, f
			begin(folder)
		default:
			if !inOrder(folder) {
				_ = empty(folder) // the next process tries again
			}
			_ = f.Close() // nothing was written
		}
	}
	return t.root != ""
}

// empty removes the trees in a folder but not its lock, which another process may be about to take.
func empty(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if e.Name() != lockName {
			err = errors.Join(err, discard(filepath.Join(folder, e.Name())))
		}
	}
	return err
}

// close removes the trees, or leaves them for the next run.
func (t *trees) close() (err error) {
	if t.root == "" {
		return nil
	}
	if t.keeps() {
		err = t.keep()
	} else {
		err = empty(t.root)
	}
	if t.lock != nil {
		err = errors.Join(err, t.lock.Close())
	} else {
		err = errors.Join(err, os.Remove(t.root))
	}
	*t = trees{}
	return err
}

// makeWritable restores write permission for folders that an FMU has made read-only, so that they
// can be emptied.
func makeWritable(root string) {
	_ = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) // otherwise the removal reports the error
		}
		return nil
	})
}
