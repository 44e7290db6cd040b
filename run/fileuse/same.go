package fileuse

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

// disk is where names lead to files. Tests have one that does not distinguish the case of letters.
type disk struct {
	stat func(name string) (fs.FileInfo, error)
}

var onDisk = disk{os.Stat}

// Same reports whether two names stand for the same regular file, which need not exist yet.
func Same(a, b string) bool { return onDisk.same(a, b) }

// same is [Same] on a disk.
func (d disk) same(a, b string) bool {
	first, errA := d.stat(a)
	second, errB := d.stat(b)
	switch {
	case errA == nil && errB == nil:
		return first.Mode().IsRegular() && os.SameFile(first, second)
	case errA == nil || errB == nil:
		return false
	}
	a, b = target(a), target(b)
	folder := filepath.Dir(b)
	if !d.sameFolder(filepath.Dir(a), folder) {
		return false
	}
	a, b = filepath.Base(a), filepath.Base(b)
	return a == b || strings.EqualFold(a, b) && d.foldsCase(folder)
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

func (d disk) sameFolder(a, b string) bool {
	first, errA := d.stat(a)
	second, errB := d.stat(b)
	if errA != nil || errB != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	return os.SameFile(first, second)
}

// foldsCase reports whether a folder does not distinguish the case of letters. Where that cannot be
// tried, it is assumed.
func (d disk) foldsCase(folder string) bool {
	f, err := os.CreateTemp(folder, ".gosmp-case-*")
	if err != nil {
		return true
	}
	name := f.Name()
	_ = f.Close()                          // it is empty
	defer func() { _ = os.Remove(name) }() // its name was what counts
	_, err = d.stat(filepath.Join(filepath.Dir(name), strings.ToUpper(filepath.Base(name))))
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
	folder := filepath.Dir(name)
	if exists(name) == nil {
		if !isFolder(folder) {
			return &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
		}
		return tryIn(folder, name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := tryIn(folder, name); IsFull(err) {
		return err // other errors do not matter: the folder need not allow a new file
	}
	return nil
}

// IsFull reports whether an error says that a disk or a quota has no room left.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
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
		return tryIn(folder, name)
	}
}

// block is written as a trial, to find a full disk.
const block = 4096

// tryIn writes a file in a folder, and removes it. Errors have the name of the file that is to be
// written later.
func tryIn(folder, name string) error {
	f, err := os.CreateTemp(folder, ".gosmp-try-*")
	if err == nil {
		_, err = f.Write(make([]byte, block))
		if closed := f.Close(); err == nil {
			err = closed
		}
		if removed := os.Remove(f.Name()); err == nil {
			err = removed
		}
	}
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
		return &fs.PathError{Op: wrong.Op, Path: name, Err: wrong.Err}
	}
	return err
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// exists returns the information about a regular file, and nil if there is none.
func exists(name string) os.FileInfo {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}
