package main

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"gosmp/internal/wholefile"
)

// standardOutput is its name where a file could be named.
const standardOutput = "-"

// writeFile lets write produce the content of the file at path, which appears whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	if path == standardOutput || wholefile.Direct(path) { // nothing could be cleaned up, and opening a pipe may take forever
		return completeFile(path, write)
	}
	return flushed(cleaningUp(func(ctx context.Context) error { return wholefile.Write(ctx, path, write) }))
}

// completeFile is writeFile for content that is still useful when a signal ends it early: write is
// responsible for that.
func completeFile(path string, write func(io.Writer) error) error {
	if path == standardOutput {
		return flushed(write(os.Stdout))
	}
	return flushed(wholefile.Write(context.Background(), path, write))
}

// transformFile is writeFile for content that work makes from an input: an error of the input is
// returned as work returned it, and only one of the output says that the output failed.
func transformFile(path string, work func(io.Writer) error) error {
	var failed error
	err := writeFile(path, func(w io.Writer) error {
		watched := &watchedWriter{out: w}
		failed = work(watched)
		if watched.err != nil {
			failed = nil
			return watched.err
		}
		return failed
	})
	if failed != nil {
		return failed
	}
	return err
}

// watchedWriter keeps the first error of the output.
type watchedWriter struct {
	out io.Writer
	err error
}

func (w *watchedWriter) Write(b []byte) (int, error) {
	n, err := w.out.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// writeJSON writes what --json prints as one line.
func writeJSON(w io.Writer, value any) error { return jsonEncoder(w).Encode(value) }

// writeIndentedJSON writes a summary that people read, too.
func writeIndentedJSON(w io.Writer, value any) error {
	e := jsonEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// jsonEncoder leaves <, > and & in texts as they are: nothing here becomes a part of HTML.
func jsonEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// besides returns where a report goes that accompanies the file at path: to standard error when the
// file itself is standard output.
func besides(path string) *os.File {
	if path == standardOutput {
		return os.Stderr
	}
	return os.Stdout
}
