//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package wholefile

import (
	"errors"
	"os"
)

// lock is not available: an unfinished file may belong to a process that is still writing it.
func lock(*os.File) error { return errors.ErrUnsupported }
