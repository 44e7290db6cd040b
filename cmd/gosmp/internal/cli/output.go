package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gosmp/internal/plaintext"
	"gosmp/internal/wholefile"
	"gosmp/trace"
)

// StandardOutput is the file name that stands for standard output.
const StandardOutput = "-"

// WriteFile lets write produce the content of the file at path, which appears whole or not at all.
func WriteFile(path string, write func(io.Writer) error) error {
	// there is nothing to clean up, and opening a pipe may block forever
	if path == StandardOutput || wholefile.Direct(path) {
		return CompleteFile(path, write)
	}
	return Flushed(CleaningUp(func(ctx context.Context) error {
		NameLeft(path)
		return wholefile.Write(ctx, path, write)
	}))
}

// NameLeft names the files left by earlier commands that were killed while writing the file.
func NameLeft(path string) {
	for _, name := range wholefile.Left(path) {
		use := "remove it"
		if trace.FormatOf(path).CanBeRepaired() || strings.EqualFold(filepath.Ext(path), ".csv") {
			use = "gosmp repair " + name + " saves what is in it"
		}
		fmt.Fprintf(os.Stderr,
			"gosmp: warning: %s was left unfinished by a killed process; %s\n", name, use)
	}
}

// CompleteFile is like WriteFile, for content that remains useful when a signal cuts it short. The
// function write must ensure this.
func CompleteFile(path string, write func(io.Writer) error) error {
	if path == StandardOutput {
		return Flushed(write(os.Stdout))
	}
	NameLeft(path)
	return Flushed(wholefile.Write(context.Background(), path, write))
}

// TransformFile is like WriteFile, for content that work produces from an input. An input error is
// returned unchanged; only an output error states that the output failed.
func TransformFile(path string, work func(io.Writer) error) error {
	var failed error
	err := WriteFile(path, func(w io.Writer) error {
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

// watchedWriter keeps the first write error.
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

// Shown returns a writer for the output of a command: JSON is complete, and lines of text are
// shortened.
func Shown(to io.Writer, asJSON bool) io.Writer {
	if asJSON {
		return plaintext.Writer(to)
	}
	return plaintext.Lines(to)
}

// WriteJSON writes the output of --json as one line.
func WriteJSON(w io.Writer, value any) error { return jsonEncoder(w).Encode(value) }

// WriteIndentedJSON writes a JSON summary that people can also read.
func WriteIndentedJSON(w io.Writer, value any) error {
	e := jsonEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// jsonEncoder does not escape <, > and &, because no output becomes part of an HTML page.
func jsonEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(plaintext.Writer(w)) // the JSON keeps its meaning
	e.SetEscapeHTML(false)
	return e
}

// Besides returns the output for a report about the file at path: standard error if the file itself
// is standard output, and standard output otherwise.
func Besides(path string) *os.File {
	if path == StandardOutput {
		return os.Stderr
	}
	return os.Stdout
}

// NameAfter returns the default name of an output: the name of the input with another extension, in
// the working directory.
func NameAfter(input, extension string) string {
	base := filepath.Base(input)
	return strings.TrimSuffix(base, filepath.Ext(base)) + extension
}

// IsRegular reports whether an input is a regular file, which can be read twice.
func IsRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// Announce prints the path of a result, unless it went to standard output.
func Announce(path string) error {
	if path == StandardOutput {
		return nil
	}
	_, err := fmt.Fprintf(plaintext.Lines(os.Stdout), "%s written\n", path)
	return Flushed(err)
}

// SameFile reports whether two names refer to the same file.
func SameFile(a, b string) bool {
	if a == StandardOutput || b == StandardOutput {
		return false
	}
	first, err := os.Stat(a)
	if err != nil {
		return a == b
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
