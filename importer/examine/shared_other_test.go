//go:build !linux

package examine_test

// removeShared does nothing: FMUs are examined only on Linux.
func removeShared(int) {}
