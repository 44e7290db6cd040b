package draw

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/internal/regular"
	"gosmp/proto/rules"
	"gosmp/trace"
)

// largestInput is the maximum length of standard input.
const largestInput = 1 << 30

// input is a file, or the content of standard input.
type input struct {
	name string
	file io.ReaderAt
	size int64
}

// openInput opens a file; the name - is standard input.
func openInput(name string) (*input, func(), error) {
	if name == cli.StandardOutput {
		b, err := io.ReadAll(io.LimitReader(os.Stdin, largestInput))
		if err != nil {
			return nil, nil, err
		}
		return &input{"standard input", bytes.NewReader(b), int64(len(b))}, func() {}, nil
	}
	f, err := regular.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = trace.FolderError(name)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, err
	}
	return &input{name, f, info.Size()}, func() { _ = f.Close() }, nil // opened read-only
}

// warn reports elements that are left out.
func warn(removed []rules.Unusable) {
	const most = 5
	for k, u := range removed {
		if k == most {
			fmt.Fprintf(os.Stderr, "gosmp: warning: %s more left out\n",
				quantity.Of(len(removed)-most, "part"))
			break
		}
		fmt.Fprintf(plaintext.Lines(os.Stderr), "gosmp: warning: %s is left out: %s is %v\n",
			cmp.Or(u.Object,
				"a part"), u.Path, u.Value)
	}
}
