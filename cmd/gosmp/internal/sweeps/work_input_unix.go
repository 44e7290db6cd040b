//go:build unix

package sweeps

import (
	"os"
	"syscall"
)

// pollable returns f, a pipe, in a form that Go's poller waits for. A blocking read would hold the
// only processor of a container with one CPU for up to 10 milliseconds while a run waits for it.
func pollable(f *os.File) *os.File {
	descriptor := f.Fd()
	if syscall.SetNonblock(int(descriptor), true) != nil {
		return f
	}
	return os.NewFile(descriptor, f.Name())
}
