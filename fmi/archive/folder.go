package archive

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gosmp/internal/fault"
	"gosmp/internal/regular"
)

// IsFolder reports whether a path leads to a folder with an unpacked FMU.
func IsFolder(name string) bool {
	info, err := os.Stat(filepath.Join(name, descriptionName))
	return err == nil && info.Mode().IsRegular()
}

// OpenFile opens an FMU for reading, which must be a regular file or an unpacked folder. OpenFile
// first packs a folder, without compression, into an unnamed temporary file. Equal content gives
// equal bytes. The caller closes the file.
func OpenFile(name string) (*os.File, error) {
	if !IsFolder(name) {
		return regular.Open(name)
	}
	f, err := os.CreateTemp("", "gosmp-packed-")
	if err != nil {
		return nil, err
	}
	err = errors.Join(os.Remove(f.Name()), packFolder(f, name))
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// packFolder writes the regular files of a folder, sorted by name.
func packFolder(to io.Writer, folder string) error {
	z := zip.NewWriter(to)
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Stat(path) // of the link's target
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return packFile(z, path, filepath.ToSlash(name), info.Mode())
	})
	return errors.Join(err, z.Close())
}

func packFile(z *zip.Writer, path, name string, mode fs.FileMode) error {
	h := &zip.FileHeader{Name: name, Method: zip.Store}
	h.SetMode(0o644 | mode&0o111)
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, from)
	return errors.Join(err, from.Close())
}

// openRegular opens a file that can be an FMU, which must be a regular file.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name) // checked before opening, because opening a pipe waits for a writer
	switch {
	case err != nil:
		return nil, err
	case info.IsDir() && !IsFolder(name):
		return nil, fault.New(ErrNotZip, fault.In(name), "a folder without "+descriptionName, "").
			WithHint("name a .fmu file, or the folder of an unpacked one")
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, fault.New(ErrNotZip, fault.In(name), "a device, pipe or socket", "").
			WithHint("save its content to a file first")
	}
	return OpenFile(name)
}
