//go:build !unix

package usercache

import "io/fs"

// ofUser is true: the cache folder of a user is under the user's profile, which others cannot write.
func ofUser(fs.FileInfo) bool { return true }
