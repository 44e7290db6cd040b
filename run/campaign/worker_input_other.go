//go:build !unix

package campaign

import "os"

// pollable returns f unchanged.
func pollable(f *os.File) *os.File { return f }
