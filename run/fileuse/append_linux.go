package fileuse

import "golang.org/x/sys/unix"

// isAppendOnly reports whether a folder keeps all files that are created in it (chattr +a).
func isAppendOnly(folder string) bool {
	var s unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, folder, 0, 0, &s)
	return err == nil && s.Attributes&unix.STATX_ATTR_APPEND != 0
}
