// Package inputfile opens the files named on the command line. It determines the kind of a file
// from its content, and from its name where the content is not enough.
package inputfile

import (
	"fmt"
	"io"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/regular"
	"gosmp/run/content"
	"gosmp/run/kind"
	"gosmp/run/usage"
)

// largestInput limits how much is read from standard input, which is kept in memory.
const largestInput = 4 << 30

// File is a file named on the command line, or standard input if its name is -.
type File struct{ content.File }

// Named returns a file that is not standard input, without any checks.
func Named(name string) *File { return &File{content.File{Name: name}} }

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
		return Named(name), nil
	}
	b, err := io.ReadAll(io.LimitReader(os.Stdin, largestInput+1))
	if err == nil && len(b) > largestInput {
		err = fmt.Errorf("more than %d GiB; save it to a file", largestInput>>30)
	}
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return &File{content.File{Name: "standard input", Bytes: b, Piped: true}}, nil
}

// isRegular returns an error for devices, pipes and sockets.
func isRegular(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return regular.Check(name, info)
}
