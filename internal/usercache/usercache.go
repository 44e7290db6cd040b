// Package usercache keeps data that can be computed again in gosmp's folders in the user's cache
// folder.
//
// The package upholds these rules: files that are read or executed from there must have been
// written by this user. Therefore, it uses neither a folder or file that belongs to another user
// nor one with a predictable name in a temporary folder, where others could have created it.
// Everything also works without a cache.
//
// [Folder] opens a folder, and [Notes] holds small texts in one.
package usercache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Folder opens the folder gosmp/NAME in the user's cache folder, and creates it if it is missing.
func Folder(name string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", err
	}
	root := base
	for _, part := range []string{"gosmp", name} {
		root = filepath.Join(root, part)
		if err := own(root); err != nil {
			return "", err
		}
	}
	return root, nil
}

// own creates a folder that only the user can access, or checks that the existing one is such a
// folder.
func own(folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ofUser(info) {
		return fmt.Errorf("%s: not a folder owned by this user", folder)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(folder, 0o700)
	}
	return nil
}

// Notes stores texts of at most 4 KiB by their keys. Without a folder it stores nothing.
type Notes struct{ folder string }

// OpenNotes opens the notes in the folder of that name; see [Folder].
func OpenNotes(name string) Notes {
	folder, err := Folder(name)
	if err != nil {
		return Notes{}
	}
	return Notes{folder}
}

const (
	maxNote = 4 << 10
	keep    = 30 * 24 * time.Hour // notes that have not been read for this long are removed
	fresh   = 24 * time.Hour      // a note that is read is marked as used once in this time
)

// Get reads the note of a key. It returns false if the key has no note, or if the content of the
// note differs from what [Notes.Put] wrote.
func (n Notes) Get(key string) (string, bool) {
	if n.folder == "" {
		return "", false
	}
	name := n.file(key)
	f, err := os.Open(name)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || !ofUser(info) {
		return "", false
	}
	content, err := io.ReadAll(io.LimitReader(f, maxNote+sha256.Size*2+1))
	sum, text, found := strings.Cut(string(content), "\n")
	if err != nil || !found || sum != sealed(key, text) {
		return "", false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > fresh {
		_ = os.Chtimes(name, now, now) // a note that cannot be marked is removed early
	}
	return text, true
}

// Put stores a note, if possible, and removes notes that have not been used for a long time.
func (n Notes) Put(key, text string) {
	if n.folder == "" || len(text) > maxNote {
		return
	}
	n.forget(time.Now())
	f, err := os.CreateTemp(n.folder, "partial-")
	if err != nil {
		return
	}
	_, err = f.WriteString(sealed(key, text) + "\n" + text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), n.file(key))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

func (n Notes) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(n.folder, hex.EncodeToString(sum[:16]))
}

// sealed returns the checksum of a note with its key.
func sealed(key, text string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s%s", len(key), key, text))
	return hex.EncodeToString(sum[:])
}

func (n Notes) forget(now time.Time) {
	entries, err := os.ReadDir(n.folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > keep {
			_ = os.Remove(filepath.Join(n.folder, e.Name()))
		}
	}
}
