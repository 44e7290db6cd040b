package importer

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gosmp/fmi/archive"
	"gosmp/internal/entries"
	"gosmp/internal/usercache"
)

const maxUnpacked = 8 << 30 // total size of all files in bytes

// read opens the archive, which stays open while the FMU is in use, and computes its hash.
func (f *FMU) read() error {
	file, err := archive.OpenFile(f.Path)
	if err != nil {
		return err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err == nil {
		f.SHA256 = hex.EncodeToString(sum.Sum(nil))
		f.size = size
		f.packed, err = entries.Read(file, size)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	f.outline = sync.OnceValue(func() map[string]*zip.File { return outline(f.packed) })
	return nil
}

// Unpack writes the content of the FMU to an empty folder. An FMU may write to that folder, so each
// instance needs its own.
func (f *FMU) Unpack(folder string) error {
	return f.unpack(folder, shelf{folder: openStore().folder(f.SHA256)})
}

// shelf is the place in the store for the files of an FMU.
type shelf struct {
	folder string // empty without a store
	// links reports which files, besides shared libraries, become links to stored files; nil means
	// none
	links func(name string) bool
	// verified means that the files were just compared with the archive.
	verified bool
}

// unpack takes unpacked files from the store, if there is one, and adds missing files to it.
func (f *FMU) unpack(folder string, from shelf) error {
	if sum := entries.Unpacked(f.packed.File); sum > entries.Allowed(f.size, maxUnpacked) {
		return fmt.Errorf("the archive of %d bytes unpacks to %d, expected at most %d", f.size, sum,
			entries.Allowed(f.size, maxUnpacked))
	}
	seen := map[string]bool{}
	for _, e := range f.packed.File {
		local := filepath.FromSlash(strings.TrimSuffix(e.Name, "/"))
		if !filepath.IsLocal(local) {
			return errors.New(e.Name + " leads out of the archive")
		}
		if seen[local] { // it repeats another entry
			continue
		}
		seen[local] = true
		name := filepath.Join(folder, local)
		if e.FileInfo().IsDir() {
			if err := os.MkdirAll(name, 0o755); err != nil {
				return err
			}
			continue
		}
		if err := place(e, local, from, name); err != nil {
			if _, why := entries.Misstated([]*zip.File{e}, f.size); why != nil {
				err = why
			}
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	// Some C++ FMUs crash if the resource location is missing.
	return os.MkdirAll(filepath.Join(folder, "resources"), 0o755)
}

// place creates the file of an entry: from the store if its content there still matches the
// archive, and from the archive otherwise.
func place(e *zip.File, local string, from shelf, name string) error {
	if !e.Mode().IsRegular() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if from.folder == "" {
		return extract(e, name)
	}
	stored := filepath.Join(from.folder, local)
	linked := isLibrary(e) || from.links != nil && from.links(e.Name)
	if linked && from.verified && os.Link(stored, name) == nil ||
		copyStored(e, stored, name, linked) == nil {
		return nil
	}
	_ = os.Remove(name) // a partial file, if any
	if keep(e, stored) == nil && copyStored(e, stored, name, linked) == nil {
		return nil
	}
	_ = os.Remove(name) // the store cannot be written to, but the archive can be read
	return extract(e, name)
}

// keep puts an entry into the store. Other processes see either the whole entry or nothing.
func keep(e *zip.File, stored string) error {
	if err := os.MkdirAll(filepath.Dir(stored), 0o700); err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(stored), "partial-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(partial) }()
	whole := filepath.Join(partial, "file")
	if err := extract(e, whole); err != nil {
		return err
	}
	return os.Rename(whole, stored)
}

// mode returns the mode of the unpacked file.
func mode(e *zip.File) fs.FileMode {
	if inBinaries(e) || e.Mode()&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

func inBinaries(e *zip.File) bool { return strings.HasPrefix(e.Name, "binaries/") }

// errChanged reports a file in the store whose content differs from the archive.
var errChanged = errors.New("not the content of the archive")

// copyStored creates a file from a stored one, and compares its content with the checksum in the
// archive. A shared library becomes a link to the stored file: a process that maps a library would
// itself be the first to be harmed by writing to it. The tree of an instance also shares the files
// for which [FMU.isFixed] is true. An FMU has its own copy of everything else.
func copyStored(e *zip.File, stored, name string, linked bool) error {
	from, err := os.Open(stored)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // opened for reading only
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || uint64(info.Size()) != e.UncompressedSize64 {
		return errChanged
	}
	sum := crc32.NewIEEE()
	if linked && os.Link(stored, name) == nil {
		if _, err = io.Copy(sum, from); err == nil && sum.Sum32() != e.CRC32 {
			err = errChanged
		}
		return err
	}
	to, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode(e))
	if err != nil {
		return err
	}
	if clone(to, from) == nil {
		_, err = io.Copy(sum, to)
	} else {
		_, err = io.Copy(io.MultiWriter(to, sum), from)
	}
	if err == nil && sum.Sum32() != e.CRC32 {
		err = errChanged
	}
	return errors.Join(err, to.Close())
}

// isFixed reports whether a file of the archive is intended for hosts, people or other platforms,
// so that no FMU writes to it. Copying such files for each instance would take longer than the rest
// of its startup. FMUs write to resources/ and next to their library.
func (f *FMU) isFixed(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	switch top {
	case descriptionName, "documentation", "sources", "extra", "terminalsAndIcons":
		return true
	case "binaries":
		return !strings.HasPrefix(name, filepath.ToSlash(filepath.Dir(f.Library("")))+"/")
	}
	return false
}

const descriptionName = "modelDescription.xml"

// isLibrary reports whether an entry is a shared library for this system.
func isLibrary(e *zip.File) bool {
	return inBinaries(e) && isLibraryFile(e.Name)
}

func isLibraryFile(path string) bool {
	name := filepath.Base(path)
	return strings.HasSuffix(name, ".so") || strings.Contains(name, ".so.")
}

// extract unpacks an entry; the zip reader verifies the checksum.
func extract(e *zip.File, name string) error {
	r, err := archive.OpenEntry(e)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // opened for reading only
	w, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode(e))
	if err != nil {
		return err
	}
	// The reader ends with an error if there is more data than stated in the archive.
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

const (
	keepUnpacked = 30 * 24 * time.Hour // FMUs unused for this long are removed
	keepPartial  = 24 * time.Hour      // left by a process that ended while unpacking
)

// store is a folder of unpacked FMUs, which avoids unpacking them again. Root is empty if there is
// no store.
type store struct{ root string }

// openStore opens the folder gosmp/fmu in the user's cache folder.
func openStore() store {
	root, err := usercache.Folder("fmu")
	if err != nil {
		return store{}
	}
	return store{root}
}

// folder returns the folder of an FMU, marked as just used; it is empty without a store.
func (s store) folder(hash string) string {
	if s.root == "" {
		return ""
	}
	folder, now := filepath.Join(s.root, hash[:32]), time.Now()
	if os.Chtimes(folder, now, now) == nil {
		return folder
	}
	s.forget(now)
	if os.Mkdir(folder, 0o700) != nil && !exists(folder) { // another process may have created it
		return ""
	}
	return folder
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// forget removes FMUs that have not been used for a long time. It ignores files that cannot be
// removed.
func (s store) forget(now time.Time) {
	entries, err := os.ReadDir(s.root)
	if err != nil {
		return
	}
	for _, e := range entries {
		keep := keepUnpacked
		if strings.HasPrefix(e.Name(), "partial-") { // left by earlier versions
			keep = keepPartial
		}
		if strings.HasPrefix(e.Name(), runPrefix) { // emptied by [trees]
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > keep {
			_ = os.RemoveAll(filepath.Join(s.root, e.Name()))
		}
	}
}

// Files returns the names of the files that [FMU.Unpack] writes, with slashes.
func (f *FMU) Files() (names []string) {
	for _, e := range f.packed.File {
		if !e.FileInfo().IsDir() {
			names = append(names, e.Name)
		}
	}
	return names
}
