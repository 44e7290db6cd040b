package importer

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lock locks a file until it is closed or this process ends. The error says that another one has
// locked it.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// clone lets one file share the content of another until either is changed, if the file system can.
func clone(to, from *os.File) error { return unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) }

// own makes a folder for the user alone, or checks that it is one.
func own(folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !known || int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s: not a folder of this user", folder)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(folder, 0o700)
	}
	return nil
}
