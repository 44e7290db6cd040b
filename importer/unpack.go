package importer

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	keepUnpacked = 30 * 24 * time.Hour // FMUs that have not been used for this long are removed
	keepPartial  = 24 * time.Hour      // leftovers of a process that ended while it unpacked
	maxUnpacked  = 8 << 30             // bytes of all files
)

// cache is the folder of unpacked FMUs: gosmp/fmu in the user's cache folder, or in the temporary
// folder if there is none.
func cache() string {
	base, err := os.UserCacheDir()
	if err != nil || os.MkdirAll(base, 0o700) != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "gosmp", "fmu")
}

// unpack finds the FMU in the cache by the hash of its content, or unpacks it there.
func (f *FMU) unpack() error {
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return err
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	root := cache()
	f.Folder = filepath.Join(root, f.SHA256[:32])
	now := time.Now()
	if os.Chtimes(f.Folder, now, now) == nil {
		return nil
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	forget(root, now)
	partial, err := os.MkdirTemp(root, "partial-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(partial) }() // the rest of it
	if err := extract(file, size, partial); err != nil {
		return err
	}
	err = os.Rename(partial, f.Folder)
	if errors.Is(err, fs.ErrExist) || err != nil && exists(f.Folder) { // another process was faster
		return nil
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// forget removes old folders. It ignores those that cannot be removed.
func forget(root string, now time.Time) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	for _, e := range entries {
		keep := keepUnpacked
		if strings.HasPrefix(e.Name(), "partial-") {
			keep = keepPartial
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > keep {
			_ = os.RemoveAll(filepath.Join(root, e.Name()))
		}
	}
}

// extract unpacks a zip whose names package archive has checked.
func extract(r io.ReaderAt, size int64, folder string) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return err
	}
	left := int64(maxUnpacked)
	seen := map[string]bool{} // an entry that repeats another one
	for _, e := range z.File {
		if seen[e.Name] {
			continue
		}
		seen[e.Name] = true
		name := filepath.Join(folder, filepath.FromSlash(e.Name))
		if !filepath.IsLocal(filepath.FromSlash(strings.TrimSuffix(e.Name, "/"))) {
			return errors.New(e.Name + " leads out of the archive")
		}
		if e.FileInfo().IsDir() {
			err = os.MkdirAll(name, 0o755)
		} else if e.Mode().IsRegular() {
			var n int64
			n, err = extractFile(e, name, left)
			left -= n
		}
		if err != nil {
			return err
		}
	}
	// Some C++ FMUs crash if the resource location does not exist.
	return os.MkdirAll(filepath.Join(folder, "resources"), 0o755)
}

func extractFile(e *zip.File, name string, left int64) (int64, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return 0, err
	}
	r, err := e.Open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Close() }() // opened for reading only
	mode := fs.FileMode(0o644)
	if strings.HasPrefix(e.Name, "binaries/") || e.Mode()&0o111 != 0 {
		mode = 0o755
	}
	w, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(w, io.LimitReader(r, left+1))
	if n > left {
		err = errors.New("the archive unpacks to more than 8 GiB")
	}
	return n, errors.Join(err, w.Close())
}
