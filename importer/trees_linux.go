package importer

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lock locks a file until it is closed or this process ends. It returns an error if another process
// has locked it.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// clone lets one file share the content of another until either is changed, if the file system
// supports it.
func clone(to, from *os.File) error { return unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) }

// removeTree removes a folder.
func removeTree(root string) error { return os.RemoveAll(root) }

// statusTime returns the time of the last change to a file's content, mode or links.
func statusTime(info os.FileInfo) time.Time {
	if s, known := info.Sys().(*syscall.Stat_t); known {
		return time.Unix(s.Ctim.Unix())
	}
	return time.Time{}
}
