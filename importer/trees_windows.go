package importer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/windows"
)

// lock locks a file until it is closed or this process ends. It returns an error if another process
// has locked it.
func lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{})
}

func clone(_, _ *os.File) error { return errors.ErrUnsupported }

// statusTime returns zero because this time is not available here.
func statusTime(os.FileInfo) time.Time { return time.Time{} }

// removeTree removes a folder. Wine 8 removes files and folders only one by one.
func removeTree(root string) error {
	if os.RemoveAll(root) == nil {
		return nil
	}
	var paths []string
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	for _, path := range slices.Backward(paths) {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
