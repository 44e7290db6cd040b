package run

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"gosmp/internal/plaintext"
	"gosmp/run"
)

// journal is standard output or standard error, on which a run prints what happens as it happens.
// If nobody reads the journal any more, a run that writes files continues and completes them.
type journal struct {
	to     io.Writer
	err    error          // of the first line that could not be written
	broken chan os.Signal // receives SIGPIPE, which would end the process; nil if it may
}

// newJournal returns the journal of a run. End must follow the run.
func newJournal(to io.Writer, o *run.Options) *journal {
	j := &journal{to: plaintext.Writer(to)}
	if to == io.Writer(os.Stdout) && o.WritesFiles() {
		j.broken = make(chan os.Signal, 1)
		signal.Notify(j.broken, syscall.SIGPIPE)
	}
	return j
}

// Write writes a line at once.
func (j *journal) Write(line []byte) (int, error) {
	if j.err == nil {
		_, j.err = j.to.Write(line)
	}
	return len(line), j.failure()
}

// End ends the journal and returns its error.
func (j *journal) End() error {
	if j.broken != nil {
		signal.Stop(j.broken)
	}
	return j.failure()
}

// failure returns the error of the journal, unless its reader has gone: what the command prints
// next ends the process as usual.
func (j *journal) failure() error {
	if errors.Is(j.err, syscall.EPIPE) {
		return nil
	}
	return j.err
}
