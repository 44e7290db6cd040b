//go:build unix

package usercache

import (
	"io/fs"
	"os"
	"syscall"
)

// ofUser reports whether a file belongs to the user of this process.
func ofUser(info fs.FileInfo) bool {
	owner, known := info.Sys().(*syscall.Stat_t)
	return known && int(owner.Uid) == os.Geteuid()
}
