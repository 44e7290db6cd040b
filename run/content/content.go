// Package content opens a file by its name, or content that is already in memory, such as that of
// standard input, and reads it as what it is: a map, a text, a recording, an experiment.
//
// Types: [File], [Content].
package content

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"gosmp/fmi/archive"
	"gosmp/internal/regular"
	"gosmp/mocksim/opendrive"
	"gosmp/run/kind"
	"gosmp/sensor/simsensor"
	"gosmp/trace"
)

// File is a file, or content in memory.
type File struct {
	Name  string
	Bytes []byte // if Piped is set
	Piped bool   // the content is in Bytes, and the name is only for people
}

// Kind returns the kind of the file.
func (in *File) Kind() string {
	if in.Piped {
		return kind.OfContent(in.Name, in.Bytes)
	}
	return kind.Of(in.Name)
}

// Open opens the file for reading.
func (in *File) Open() (io.ReadCloser, error) {
	if in.Piped {
		return io.NopCloser(bytes.NewReader(in.Bytes)), nil
	}
	return regular.OpenStream(in.Name)
}

// ReadMap reads an OpenDRIVE map.
func (in *File) ReadMap() (*opendrive.Map, error) {
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // opened read-only
	return opendrive.Read(in.Name, r)
}

// Text returns the whole content.
func (in *File) Text() ([]byte, error) {
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // opened read-only
	return kind.LimitedText(in.Name, r)
}

// Inspect examines a recording.
func (in *File) Inspect(opt simsensor.Options) (*simsensor.Report, error) {
	if in.Piped {
		return simsensor.InspectBytes(in.Name, in.Bytes, opt)
	}
	return simsensor.Inspect(in.Name, opt)
}

// Play opens a recording for replay.
func (in *File) Play(opt simsensor.Options) (*simsensor.Player, error) {
	if in.Piped {
		return simsensor.OpenBytes(in.Name, in.Bytes, opt)
	}
	return simsensor.Open(in.Name, opt)
}

// Content is the content of a file, with random access.
type Content struct {
	io.ReaderAt
	Size int64
	file *os.File // nil for content in memory
}

// Close closes the file.
func (c *Content) Close() {
	if c.file != nil {
		_ = c.file.Close() // opened read-only
	}
}

// OpenContent opens a regular file, or the content in memory.
func (in *File) OpenContent() (*Content, error) {
	if in.Piped {
		return &Content{bytes.NewReader(in.Bytes), int64(len(in.Bytes)), nil}, nil
	}
	f, err := archive.OpenFile(in.Name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = trace.FolderError(in.Name)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: found a pipe or a device, expected a file; a pipe can be given as -",
			in.Name)
	}
	if err != nil {
		_ = f.Close() // opened read-only
		return nil, err
	}
	return &Content{f, info.Size(), f}, nil
}
