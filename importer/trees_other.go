//go:build !linux

package importer

import (
	"errors"
	"os"
	"time"
)

// FMUs run on Linux only, so that elsewhere nothing is unpacked for a run.

func lock(*os.File) error { return nil }

func clone(_, _ *os.File) error { return errors.ErrUnsupported }

// statusTime is not known here.
func statusTime(os.FileInfo) time.Time { return time.Time{} }
