package importer

import (
	"archive/zip"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Trees that a run leaves unchanged are reused by the next run: creating and removing hundreds of
// folders would take most of the time needed to start a system with many FMUs. Before a tree is
// reused, its content is compared with the archive, like the content of the store.

const (
	keptName = "kept"         // a file that marks a folder as left in order by a process
	mostKeep = 1 << 20        // bytes of an FMU's own copies in a tree that is kept
	keepIdle = 24 * time.Hour // trees not used by the last run
)

// planted is a tree and the FMU that it contains.
type planted struct {
	folder string
	fmu    *FMU
}

// errDiffers reports a tree that differs from the contents of the archive.
var errDiffers = errors.New("not the content of the archive")

// outline maps the files that [FMU.Unpack] creates to their entries, and the folders to nil.
func outline(packed *zip.Reader) map[string]*zip.File {
	list := map[string]*zip.File{"": nil, "resources": nil}
	for _, e := range packed.File {
		local := filepath.FromSlash(strings.TrimSuffix(e.Name, "/"))
		folder := local
		if _, known := list[local]; !known && e.Mode().IsRegular() {
			list[local] = e
			folder = filepath.Dir(local)
		}
		for ; folder != "."; folder = filepath.Dir(folder) {
			list[folder] = nil
		}
	}
	return list
}

// compare walks through a tree and returns an error unless it has exactly the files and folders of
// the archive. It calls look for each file.
func (f *FMU) compare(folder string, look func(e *zip.File, name string, d fs.DirEntry) error,
) error {
	list := f.outline()
	found := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(strings.TrimPrefix(path, folder), string(filepath.Separator))
		e, known := list[name]
		found++
		switch {
		case !known || d.IsDir() != (e == nil):
			return errDiffers
		case e == nil:
			_, err = allows(d, 0o700)
			return err
		case !d.Type().IsRegular():
			return errDiffers
		}
		return look(e, name, d)
	})
	if err == nil && found != len(list) {
		return errDiffers
	}
	return err
}

// allows checks the user's permissions for a file or folder.
func allows(d fs.DirEntry, want fs.FileMode) (fs.FileInfo, error) {
	info, err := d.Info()
	if err == nil && info.Mode().Perm()&0o700 != want {
		err = errDiffers
	}
	return info, err
}

// resembles compares everything except the content of a file with an entry.
func resembles(e *zip.File, d fs.DirEntry) (fs.FileInfo, error) {
	info, err := allows(d, mode(e)&0o700)
	if err == nil && uint64(info.Size()) != e.UncompressedSize64 {
		err = errDiffers
	}
	return info, err
}

// owns reports whether a tree has its own copy of an entry; all other files are links to files in
// the store.
func (f *FMU) owns(e *zip.File) bool { return !isLibrary(e) && !f.isFixed(e.Name) }

// serves reports whether a tree left by an earlier run has the content of an FMU's archive.
func (f *FMU) serves(folder string, from shelf) bool {
	return f.compare(folder, func(e *zip.File, name string, d fs.DirEntry) error {
		info, err := resembles(e, d)
		if err != nil {
			return err
		}
		if from.verified && !f.owns(e) {
			stored, err := os.Stat(filepath.Join(from.folder, name))
			if err == nil && os.SameFile(stored, info) {
				return nil
			}
		}
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // opened for reading only
		sum := crc32.NewIEEE()
		if _, err = io.Copy(sum, file); err == nil && sum.Sum32() != e.CRC32 {
			err = errDiffers
		}
		return err
	}) == nil
}

// worthKeeping reports whether a tree seems unchanged and is small.
func (p planted) worthKeeping() bool {
	size := uint64(0)
	return p.fmu.compare(p.folder, func(e *zip.File, _ string, d fs.DirEntry) error {
		if !p.fmu.owns(e) {
			return nil // the stored file is compared when it is used again
		}
		if size += e.UncompressedSize64; size > mostKeep {
			return errDiffers
		}
		_, err := resembles(e, d)
		return err
	}) == nil
}

// keep removes everything that a run leaves behind, except trees that the next run may use.
func (t *trees) keep() error {
	stays, now := map[string]bool{lockName: true}, time.Now()
	for _, p := range t.planted {
		if p.worthKeeping() {
			stays[filepath.Base(p.folder)] = true
			_ = os.Chtimes(p.folder, now, now) // otherwise it would be removed too early
		}
	}
	list, err := os.ReadDir(t.root)
	for _, e := range list {
		number, wrong := strconv.Atoi(e.Name())
		info, gone := e.Info()
		idle := wrong == nil && number >= t.made && gone == nil &&
			now.Sub(info.ModTime()) < keepIdle
		if !stays[e.Name()] && !idle {
			err = errors.Join(err, discard(filepath.Join(t.root, e.Name())))
		}
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(t.root, keptName), nil, 0o600)
	}
	return err
}

// inOrder reports whether a process has left a folder in order recently.
func inOrder(folder string) bool {
	info, err := os.Stat(filepath.Join(folder, keptName))
	return err == nil && time.Since(info.ModTime()) < keepUnpacked
}

// begin takes over an unused folder. It then counts as not in order until [trees.keep].
func begin(folder string) {
	if !inOrder(folder) || os.Remove(filepath.Join(folder, keptName)) != nil {
		_ = empty(folder) // a remaining tree stops the run
	}
}

// discard removes a tree.
func discard(tree string) error {
	makeWritable(tree)
	return removeTree(tree)
}
