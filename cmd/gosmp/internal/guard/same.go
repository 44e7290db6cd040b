package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gosmp/internal/wholefile"
)

// same reports whether two names are those of one regular file, which need not exist yet.
func same(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	switch {
	case errA == nil && errB == nil:
		return first.Mode().IsRegular() && os.SameFile(first, second)
	case errA == nil || errB == nil:
		return false
	}
	a, b = target(a), target(b)
	if !sameFolder(filepath.Dir(a), filepath.Dir(b)) {
		return false
	}
	a, b = filepath.Base(a), filepath.Base(b)
	return a == b || strings.EqualFold(a, b) && foldsCase(filepath.Dir(b))
}

// target is where a name leads that may be a link to a file that does not exist.
func target(name string) string {
	const most = 40 // as systems allow
	for range most {
		next, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(name), next)
		}
		name = next
	}
	return name
}

func sameFolder(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	if errA != nil || errB != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(first, second)
}

// foldsCase reports whether a folder does not distinguish the case of letters. Where that cannot be
// tried, it is assumed.
func foldsCase(folder string) bool {
	f, err := os.CreateTemp(folder, ".gosmp-case-*")
	if err != nil {
		return true
	}
	name := f.Name()
	_ = f.Close()                          // it is empty
	defer func() { _ = os.Remove(name) }() // its name was what counts
	_, err = os.Stat(filepath.Join(filepath.Dir(name), strings.ToUpper(filepath.Base(name))))
	return err == nil
}

// try finds out whether a file can be written, without touching one that exists.
func try(name string) error {
	if wholefile.Direct(name) && !isFolder(name) {
		return nil // what a pipe or a device takes shows when it is written to
	}
	if isFolder(name) {
		return &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	}
	name = target(name)
	if exists(name) != nil {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	}
	if !isFolder(filepath.Dir(name)) {
		return &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	return tryIn(filepath.Dir(name))
}

// tryFolder finds out whether files can be made in a folder, which need not exist.
func tryFolder(name string) error {
	for folder := filepath.Clean(name); ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		switch {
		case errors.Is(err, fs.ErrNotExist) && folder != filepath.Dir(folder):
			continue
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s: found a file, expected a folder", folder)
		}
		return tryIn(folder)
	}
}

// block is what a trial writes, so that it finds a full disk.
const block = 4096

// tryIn writes a file in a folder, and removes it.
func tryIn(folder string) error {
	f, err := os.CreateTemp(folder, ".gosmp-try-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, block))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
