package session

import (
	"os"

	"golang.org/x/sys/unix"
)

// scratch returns a temporary file in memory, which is faster than one on a disk.
func scratch() (*os.File, error) {
	descriptor, err := unix.MemfdCreate("gosmp-session", unix.MFD_CLOEXEC)
	if err != nil { // an old kernel
		return scratchFile()
	}
	return os.NewFile(uintptr(descriptor), "gosmp-session"), nil
}
