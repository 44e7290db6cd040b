//go:build !linux

package session

import "os"

// scratch returns a temporary file.
func scratch() (*os.File, error) { return scratchFile() }
