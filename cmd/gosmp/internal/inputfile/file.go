// Package inputfile opens the files named on the command line. It determines the kind of a file
// from its content, and from its name where the content is not enough.
package inputfile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/regular"
	"gosmp/mocksim/opendrive"
	"gosmp/run/kind"
	"gosmp/run/usage"
)

// largestInput limits how much is read from standard input, which is kept in memory.
const largestInput = 4 << 30

// File is a file named on the command line, or standard input if its name is -.
type File struct {
	Name  string
	Bytes []byte // of standard input
	Piped bool
}

// Open returns the file with a name. It reads standard input to its end, but does not open other
// files yet. Devices and pipes are refused: a command reads a file more than once.
func Open(name string) (*File, error) {
	if name != cli.StandardOutput {
		if err := usage.Exists(name); err != nil {
			return nil, err
		}
		if err := isRegular(name); err != nil {
			return nil, err
		}
		if is, what := kind.Describe(name); is == kind.Folder {
			return nil, cli.Unexpected(name, what+" without modelDescription.xml",
				"a file, or the folder of an unpacked FMU")
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

// isRegular returns an error for devices, pipes and sockets.
func isRegular(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return regular.Check(name, info)
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
	defer func() { _ = r.Close() }() // opened read-only
	return opendrive.Read(in.Name, bufio.NewReader(r))
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
