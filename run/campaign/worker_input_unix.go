//go:build unix

package campaign

import (
	"os"
	"syscall"
)

// pollable returns the pipe f in a form that Go's poller can wait for. In a container with one CPU,
// a blocking read would hold that processor for up to 10 milliseconds while a run waits for it.
func pollable(f *os.File) *os.File {
	descriptor := f.Fd()
	if syscall.SetNonblock(int(descriptor), true) != nil {
		return f
	}
	return os.NewFile(descriptor, f.Name())
}
