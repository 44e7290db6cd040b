//go:build unix

package regular

import (
	"os"
	"syscall"
)

// openPipe opens a pipe without waiting for a program that writes to it.
func openPipe(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
