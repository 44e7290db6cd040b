// Package inputfile opens the files of the command line. What a file is follows from its content,
// and from its name where the content leaves that open.
package inputfile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/mocksim/opendrive"
	"gosmp/run/kind"
	"gosmp/run/usage"
)

// largestInput bounds what is read from standard input, which has to be held in memory.
const largestInput = 4 << 30

// File is a file of the command line, or standard input under the name -.
type File struct {
	Name  string
	Bytes []byte // of standard input
	Piped bool
}

// Open reads standard input to its end, and leaves files alone.
func Open(name string) (*File, error) {
	if name != cli.StandardOutput {
		if err := usage.Exists(name); err != nil {
			return nil, err
		}
		return &File{Name: name}, nil
	}
	b, err := io.ReadAll(io.LimitReader(os.Stdin, largestInput+1))
	if err == nil && len(b) > largestInput {
		err = fmt.Errorf("more than %d GiB; save it to a file", largestInput>>30)
	}
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return &File{Name: "standard input", Bytes: b, Piped: true}, nil
}

// Open opens the file for reading.
func (in *File) Open() (io.ReadCloser, error) {
	if in.Piped {
		return io.NopCloser(bytes.NewReader(in.Bytes)), nil
	}
	return os.Open(in.Name)
}

// ReadMap reads an OpenDRIVE map.
func (in *File) ReadMap() (*opendrive.Map, error) {
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it was only read
	return opendrive.Read(in.Name, bufio.NewReader(r))
}

// Text is the whole content.
func (in *File) Text() ([]byte, error) {
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it was only read
	return kind.LimitedText(in.Name, r)
}
