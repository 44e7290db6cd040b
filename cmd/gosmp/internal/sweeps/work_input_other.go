//go:build !unix

package sweeps

import "os"

// pollable returns f unchanged.
func pollable(f *os.File) *os.File { return f }
