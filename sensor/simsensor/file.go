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
	was  fileState
}

func (f *diskFile) ReadAt(b []byte, at int64) (int, error) { return f.file.ReadAt(b, at) }

func (f *diskFile) Close() error { return f.file.Close() }

// fileState is the relevant part of what the file system reports about a file; see the
// platform-specific files.
type fileState struct {
	regular, directory bool
	size               int64
	written            int64 // ns since 1970, UTC
	identity           identity
}

// openFile opens a regular file. It checks the type before opening, because opening a named pipe
// would block until there is a writer.
func openFile(name string) (*diskFile, error) {
	before, err := stateOf(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	if !before.regular {
		what, hint := "a device, pipe or socket", "save its content to a file first"
		if before.directory {
			what, hint = "a directory", "name the CSV file inside it"
		}
		return nil, &Problem{Place: fault.Place{File: name}, Kind: ErrFile, Found: what, Expected: "a regular file", Hint: hint}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	opened, err := stateOfOpen(f)
	if err == nil && !before.identity.same(opened.identity) {
		err = errors.New("it was replaced while it was opened")
	}
	if err != nil {
		_ = f.Close()
		return nil, fileError(name, err)
	}
	return &diskFile{file: f, was: opened}, nil
}

func (f *diskFile) changed() error {
	now, err := stateOfOpen(f.file)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRead, err)
	case now.size != f.was.size:
		return fmt.Errorf("%w: it had %d bytes and has %d now", ErrChanged, f.was.size, now.size)
	case now.written != f.was.written:
		return fmt.Errorf("%w: it has %d bytes as before, but was written to", ErrChanged, f.was.size)
	}
	return nil
}
