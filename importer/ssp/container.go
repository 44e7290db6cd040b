package ssp

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/entries"
	"gosmp/internal/fault"
)

// maxEntry limits the amount of data that is unpacked into memory to read an FMU or a package
// inside another package.
const maxEntry = 1 << 30

// container is a place with files: a folder, a package, or a package inside a package.
type container struct {
	file   string // as given by the user: the folder or the package
	within string // the entry of file with this package; empty for file itself
	folder string // of a folder
	zip    *zip.Reader
	byName map[string]*zip.File
	raw    io.ReaderAt
	close  func() error
	used   map[string]bool // entries that something refers to
}

// openFolder opens a folder as a container.
func openFolder(folder string) *container {
	return &container{file: folder, folder: folder, used: map[string]bool{},
		close: func() error { return nil }}
}

// openPackage opens a package as a container.
func openPackage(name string) (*container, error) {
	f, size, err := entries.File(name)
	if err != nil {
		return nil, err
	}
	c, err := readPackage(f, size)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	c.file, c.close = name, f.Close
	return c, nil
}

func readPackage(r io.ReaderAt, size int64) (*container, error) {
	z, err := entries.Read(r, size)
	if errors.Is(err, entries.ErrDirectory) {
		return nil, err
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("not a zip file: %w", err)
	}
	if first, second := entries.Overlap(z.File); first != nil {
		return nil, fmt.Errorf("its entries %q and %q share compressed bytes; pack it again",
			first.Name, second.Name)
	}
	if wrong, err := entries.Misstated(z.File, size); err != nil {
		return nil, fmt.Errorf("its entry %q cannot be used: %w", wrong.Name, err)
	}
	c := &container{zip: z, raw: r, byName: map[string]*zip.File{}, used: map[string]bool{},
		close: func() error { return nil }}
	for _, f := range z.File {
		if c.byName[f.Name] == nil {
			c.byName[f.Name] = f
		}
	}
	return c, nil
}

// packed reports whether the container is a package. References must not lead out of a package.
func (c *container) packed() bool { return c.zip != nil }

// place returns the place of a file in the container, for messages.
func (c *container) place(name string) fault.Place {
	if !c.packed() {
		return fault.Place{File: filepath.ToSlash(c.path(name))}
	}
	if c.within != "" {
		name = c.within + "/" + name
	}
	return fault.Place{File: c.file, Entry: name}
}

// has reports whether there is a regular file with the given name.
func (c *container) has(name string) bool {
	if c.packed() {
		return c.byName[name] != nil
	}
	info, err := os.Stat(c.path(name))
	return err == nil && info.Mode().IsRegular()
}

// path returns the path of a file in a folder.
func (c *container) path(name string) string {
	if path.IsAbs(name) || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.folder, filepath.FromSlash(name))
}

// names returns the entries of a package; a nil container has none.
func (c *container) names() (list []string) {
	if c == nil || !c.packed() {
		return nil
	}
	for _, f := range c.zip.File {
		list = append(list, f.Name)
	}
	return list
}

// files returns the paths of the files that were read: a package itself, or the files of a folder.
func (c *container) files() (names []string) {
	if c.packed() {
		return []string{c.file}
	}
	for name := range c.used {
		names = append(names, c.path(name))
	}
	return names
}

// similar returns the name of a file that differs from a missing name only in case; empty if there
// is none.
func (c *container) similar(name string) string {
	if c.packed() {
		for _, f := range c.zip.File {
			if strings.EqualFold(f.Name, name) {
				return f.Name
			}
		}
		return ""
	}
	full := c.path(name)
	entries, err := os.ReadDir(filepath.Dir(full))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), filepath.Base(full)) {
			return path.Join(path.Dir(name), e.Name())
		}
	}
	return ""
}

// read returns the content of a document.
func (c *container) read(name string) ([]byte, error) {
	r, size, err := c.open(name, maxBytes)
	if err != nil {
		return nil, err
	}
	defer r.release()
	text := make([]byte, size)
	if _, err := r.ReadAt(text, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if c.packed() && !intact(c.byName[name], text) {
		return nil, zip.ErrChecksum
	}
	return text, nil
}

// intact compares a stored entry with its checksum, if it has one, like the zip reader does with
// compressed entries.
func intact(f *zip.File, text []byte) bool {
	return f.Method != zip.Store || f.CRC32 == 0 || f.CRC32 == crc32.ChecksumIEEE(text)
}

// opened is an open file.
type opened struct {
	io.ReaderAt
	closer io.Closer
}

func (o opened) release() {
	if o.closer != nil {
		_ = o.closer.Close() // opened for reading only
	}
}

// open opens a file of at most limit bytes. A file stored without compression is read in place.
func (c *container) open(name string, limit int64) (opened, int64, error) {
	c.used[name] = true
	if !c.packed() {
		return openFile(c.path(name), limit)
	}
	f := c.byName[name]
	if f == nil {
		return opened{}, 0, fs.ErrNotExist
	}
	if f.UncompressedSize64 > uint64(limit) {
		return opened{}, 0, fmt.Errorf("%d bytes, more than %d", f.UncompressedSize64, limit)
	}
	size := int64(f.UncompressedSize64)
	if f.Method == zip.Store {
		if at, err := f.DataOffset(); err == nil {
			return opened{ReaderAt: io.NewSectionReader(c.raw, at, size)}, size, nil
		}
	}
	r, err := f.Open()
	if err != nil {
		return opened{}, 0, err
	}
	defer func() { _ = r.Close() }() // opened for reading only
	if size > inMemory {
		return unpacked(r, limit)
	}
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = moreThan(limit)
	}
	return opened{ReaderAt: bytes.NewReader(text)}, int64(len(text)), err
}

// inMemory bounds the entries that are kept in memory, in bytes. A package of megabytes may contain
// a gigabyte of zeros.
const inMemory = 64 << 20

// unpacked writes an entry to a temporary file that is removed when it is closed.
func unpacked(from io.Reader, limit int64) (opened, int64, error) {
	f, err := os.CreateTemp("", "gosmp-unpacked-")
	if err != nil {
		return opened{}, 0, err
	}
	_ = os.Remove(f.Name()) // it remains usable until it is closed; on Windows, Close removes it
	t := &temporary{f}
	size, err := io.Copy(f, io.LimitReader(from, limit+1))
	if err == nil && size > limit {
		err = moreThan(limit)
	}
	if err != nil {
		return opened{}, 0, errors.Join(err, t.Close())
	}
	return opened{f, t}, size, nil
}

func moreThan(limit int64) error { return fmt.Errorf("more than %d bytes", limit) }

// temporary is a file that does not outlive its use.
type temporary struct{ *os.File }

// Close closes the file and removes it on systems where an open file cannot be removed.
func (t *temporary) Close() error {
	err := t.File.Close()
	_ = os.Remove(t.Name()) // already unlinked on other systems
	return err
}

func openFile(name string, limit int64) (opened, int64, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return opened{}, 0, err
	case !info.Mode().IsRegular(): // opening a pipe may block forever
		return opened{}, 0, errors.New("it is not a regular file")
	case info.Size() > limit:
		return opened{}, 0, fmt.Errorf("%d bytes, more than %d", info.Size(), limit)
	}
	f, err := os.Open(name)
	return opened{f, f}, info.Size(), err
}

// descriptions returns the .ssd files in the root of a package, sorted by name.
func (c *container) descriptions() (names []string) {
	for _, f := range c.zip.File {
		if !strings.Contains(f.Name, "/") && strings.EqualFold(path.Ext(f.Name), ".ssd") &&
			!slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}
