package fileuse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"

	"gosmp/internal/wholefile"
)

// disk maps names to files. Tests use a disk that is not case-sensitive.
type disk struct {
	stat func(name string) (fs.FileInfo, error)
}

var onDisk = disk{os.Stat}

// Same reports whether two names refer to the same regular file, which need not exist yet.
func Same(a, b string) bool { return onDisk.same(a, b) }

// same is like [Same], for a disk.
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
	return a == b || mayMerge(a, b) && d.merges(folder, a, b)
}

// target resolves a name that may be a link to a file that does not exist.
func target(name string) string {
	const most = 40 // the limit of most systems
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

// mayMerge reports whether any file system might treat two names as equal. Names with non-ASCII
// characters have too many spellings to compare here.
func mayMerge(a, b string) bool {
	nonASCII := func(r rune) bool { return r > unicode.MaxASCII }
	return strings.ContainsFunc(a+b, nonASCII) ||
		strings.EqualFold(strings.TrimRight(a, ". "), strings.TrimRight(b, ". "))
}

// merges reports whether a folder treats two different names as equal. File systems may ignore
// letter case, the two forms of an accented letter, or trailing dots, each according to its own
// rules. Only the file system knows them, so it is given both names with a unique prefix.
func (d disk) merges(folder, a, b string) bool {
	f, err := os.CreateTemp(folder, ".gosmp-case-*-"+strings.ReplaceAll(a, "*", "_"))
	if err != nil {
		return strings.EqualFold(a, b) // the folder is missing, or the name is too long
	}
	name := f.Name()
	_ = f.Close()                          // it is empty
	defer func() { _ = os.Remove(name) }() // only the name was needed
	start, is := strings.CutSuffix(name, strings.ReplaceAll(a, "*", "_"))
	_, err = d.stat(start + strings.ReplaceAll(b, "*", "_"))
	return is && err == nil
}

// folders are the results of trying folders, so that each is tried only once.
type folders map[string]error

// file checks whether a file can be written, without changing an existing file.
func (tried folders) file(name string) error {
	if wholefile.Direct(name) && !isFolder(name) {
		return nil // a pipe or a device can only be tested by writing to it
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
		return tried.in(folder, name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	err = tried.in(folder, name)
	if IsFull(err) || err != nil && isFull(name) {
		return &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}
	}
	return nil // other errors are irrelevant, because no new file is needed
}

// IsFull reports whether an error means that a disk is full or a quota is used up.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// TryFolder checks whether files can be created in a folder, which need not exist, and whether its
// disk is full.
func TryFolder(name string) error { return folders{}.folder(name) }

func (tried folders) folder(name string) error {
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
		return tried.in(folder, name)
	}
}

// in tries a folder. Errors contain the name of the file that will be written later.
func (tried folders) in(folder, name string) error {
	err, known := tried[folder]
	if !known {
		err = tryIn(folder)
		tried[folder] = err
	}
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
		return &fs.PathError{Op: wrong.Op, Path: name, Err: wrong.Err}
	}
	return err
}

// block is the number of bytes written as a test, to detect a full disk.
const block = 4096

var errAppendOnly = errors.New("an append-only folder, in which no finished file can replace an " +
	"unfinished one; name another folder, or end this with chattr -a")

// tryIn writes a file in a folder and removes it.
func tryIn(folder string) error {
	if isAppendOnly(folder) { // it would keep the file
		return &fs.PathError{Op: "create", Path: folder, Err: errAppendOnly}
	}
	f, err := os.CreateTemp(folder, ".gosmp-try-*")
	if err == nil {
		early := os.Remove(f.Name()) // where possible, so that an interruption leaves nothing
		_, err = f.Write(make([]byte, block))
		if closed := f.Close(); err == nil {
			err = closed
		}
		if early != nil {
			if removed := os.Remove(f.Name()); err == nil {
				err = removed
			}
		}
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
