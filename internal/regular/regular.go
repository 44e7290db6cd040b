// Package regular opens files whose names come from other files, from clients or from users. Such
// a name may lead to a pipe, whose opening may never end, or to a device, whose content may never
// end.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrKind is the cause of the error for a device, pipe or socket.
var ErrKind = errors.New("found a device, pipe or socket, expected a regular file; " +
	"save its content to a file first")

// Open opens a file like [os.Open], but only if it is a regular file or a folder.
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err == nil {
		err = Check(name, info)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(name)
}

// ReadFile reads a file like [os.ReadFile], but only if it is a regular file.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	return io.ReadAll(f)
}

// mostPiped is how much [ReadOnce] reads from a pipe or a device.
const mostPiped = 256 << 20

// ReadOnce reads a file that is named on the command line and read only once, so that it may also
// be a pipe, as for [OpenStream]. Content of a pipe or a device may never end, and is limited to
// 256 MiB.
func ReadOnce(name string) ([]byte, error) { return readOnce(name, mostPiped) }

func readOnce(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return os.ReadFile(name)
	}
	var f io.ReadCloser
	if info.Mode()&fs.ModeNamedPipe != 0 {
		f, err = OpenStream(name)
	} else {
		f, err = os.Open(name)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	content, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(content)) > most {
		return nil, fmt.Errorf("read %s: found more than %d bytes from a pipe or device, "+
			"expected an end; save its content to a file first", name, most)
	}
	return content, err
}

// OpenIn opens a file like fs.Open, but only if it is a regular file or a folder.
func OpenIn(files fs.FS, name string) (fs.File, error) {
	if info, err := fs.Stat(files, name); err == nil {
		if err := Check(name, info); err != nil {
			return nil, err
		}
	}
	return files.Open(name)
}

// Check returns an error unless a file is a regular file or a folder, which cannot be read either,
// but does not block.
func Check(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: ErrKind}
}
