package simsensor

import (
	"errors"
	"fmt"
	"os"

	"gosmp/internal/fault"
)

// diskFile is the source that Open uses.
type diskFile struct {
	file *os.File
	was  os.FileInfo
}

func (f *diskFile) ReadAt(b []byte, at int64) (int, error) { return f.file.ReadAt(b, at) }

func (f *diskFile) Close() error { return f.file.Close() }

// openFile opens a regular file. It checks the type before opening, because opening a named pipe
// would block until there is a writer.
func openFile(name string) (*diskFile, error) {
	before, err := os.Stat(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	if !before.Mode().IsRegular() {
		what, hint := "a device, pipe or socket", "save its content to a file first"
		if before.IsDir() {
			what, hint = "a directory", "name the CSV file inside it"
		}
		return nil, fault.New(ErrFile, fault.In(name), what, "a regular file").WithHint(hint)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(before, opened) {
		err = errors.New("it was replaced while it was opened")
	}
	if err != nil {
		_ = f.Close()
		return nil, fileError(name, err)
	}
	return &diskFile{file: f, was: opened}, nil
}

func (f *diskFile) changed() error {
	now, err := f.file.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRead, err)
	case now.Size() != f.was.Size():
		return fmt.Errorf("%w: it had %d bytes and now has %d", ErrChanged, f.was.Size(),
			now.Size())
	case !now.ModTime().Equal(f.was.ModTime()):
		return fmt.Errorf("%w: it has %d bytes as before, but was written to", ErrChanged,
			f.was.Size())
	}
	return nil
}
