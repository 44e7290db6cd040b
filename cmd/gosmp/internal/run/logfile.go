package run

import (
	"os"

	"gosmp/cmd/gosmp/internal/cli"
)

// logFile is the log file of a run. It is created with the first line, so that a run that fails
// before it logs anything does not overwrite the log of an earlier run.
type logFile struct {
	name string
	file *os.File
	err  error // of creating the file; reported by close
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

// close completes the file. If the run has begun, it creates the file even if there are no lines.
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
