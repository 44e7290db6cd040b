//go:build !unix

package usercache

import "io/fs"

// ofUser returns true, because the user's cache folder is inside the user's profile, to which
// others cannot write.
func ofUser(fs.FileInfo) bool { return true }
