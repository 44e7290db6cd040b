package main

import (
	"context"
	"io"
	"os"

	"gosmp/internal/wholefile"
)

// standardOutput is its name where a file could be named.
const standardOutput = "-"

// writeFile has write make the content of the file at path, whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	var err error
	switch {
	case path == standardOutput:
		err = write(os.Stdout)
	case wholefile.Direct(path): // nothing could be cleaned up, and opening a pipe may take for ever
		err = wholefile.Write(context.Background(), path, write)
	default:
		err = cleaningUp(func(ctx context.Context) error { return wholefile.Write(ctx, path, write) })
	}
	return flushed(err)
}
