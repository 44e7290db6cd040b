package run

import (
	"os"

	"gosmp/cmd/gosmp/internal/cli"
)

// logFile is a file for the log of a run. It is made with the first line, so that a run that fails
// before it has something to say leaves the log of an earlier one alone.
type logFile struct {
	name string
	file *os.File
	err  error // of making it; there is no other place to say so
}

// Write implements [io.Writer].
func (l *logFile) Write(text []byte) (int, error) {
	l.make()
	if l.err != nil {
		return 0, l.err
	}
	return l.file.Write(text)
}

func (l *logFile) make() {
	if l.file == nil && l.err == nil {
		l.file, l.err = os.Create(l.name)
	}
}

// close completes the file: after a run that began there is one, even without a line.
func (l *logFile) close(begun bool) error {
	if begun {
		l.make()
	}
	if l.err != nil {
		return cli.Invalid("--log-file", l.err)
	}
	if l.file == nil {
		return nil
	}
	return cli.Flushed(l.file.Close())
}
