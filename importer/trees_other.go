//go:build !linux && !windows

package importer

import (
	"errors"
	"os"
	"time"
)

// FMUs do not run on these systems, so nothing is unpacked for a run.

func lock(*os.File) error { return nil }

func clone(_, _ *os.File) error { return errors.ErrUnsupported }

func removeTree(root string) error { return os.RemoveAll(root) }

// statusTime returns zero because this time is not available here.
func statusTime(os.FileInfo) time.Time { return time.Time{} }
