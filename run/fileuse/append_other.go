//go:build !linux

package fileuse

// isAppendOnly is not available: the file with which such a folder is tried stays there.
func isAppendOnly(string) bool { return false }
