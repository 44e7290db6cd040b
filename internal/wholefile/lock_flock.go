//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package wholefile

import (
	"os"
	"syscall"
)

// lock locks a file until it is closed or this process ends. An error means that another process
// has locked it.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
