//go:build !unix

package sweeps

import "os"

// pollable returns f as it is.
func pollable(f *os.File) *os.File { return f }
