//go:build linux || darwin

package fileuse

import "syscall"

// isFull reports whether the disk of an existing file has no free block.
func isFull(name string) bool {
	var disk syscall.Statfs_t
	err := syscall.Statfs(name, &disk)
	return err == nil && disk.Blocks > 0 && disk.Bfree == 0
}
