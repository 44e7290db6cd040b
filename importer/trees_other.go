//go:build !linux

package importer

import (
	"errors"
	"os"
)

// FMUs run on Linux only, so that elsewhere nothing is unpacked for a run.

func lock(*os.File) error { return nil }

func clone(_, _ *os.File) error { return errors.ErrUnsupported }
