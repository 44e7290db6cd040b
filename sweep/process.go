package sweep

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Process is a worker in its own process, which reads cases as lines of JSON from its standard
// input and answers each with a row. See [Serve] for the other end.
type Process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errors  lastLines
}

// UnfitError reports that a run failed because this computer currently cannot prepare runs, for
// example because its disk is full, a file cannot be read, or a library is missing. The run may
// succeed on another computer.
type UnfitError struct{ Reason string }

func (e *UnfitError) Error() string { return "this machine cannot prepare runs: " + e.Reason }

// ExitUnfit is the exit code with which a process reports this; the last line on its standard error
// is the reason. It is EX_TEMPFAIL of sysexits.h.
const ExitUnfit = 75

// patience bounds the wait for the output of a process that has ended, which may be held open by
// one of its children.
const patience = 5 * time.Second

// StartProcess starts a worker. The command must not have been started.
func StartProcess(command *exec.Cmd) (*Process, error) {
	p := &Process{command: command}
	command.WaitDelay = patience
	var err error
	if p.in, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out, command.Stderr = bufio.NewReader(out), &p.errors
	return p, command.Start()
}

// Do implements [Worker]. It kills the process when the context ends.
func (p *Process) Do(ctx context.Context, c Case) (Row, error) {
	// an error means that it exited by itself
	stop := context.AfterFunc(ctx, func() { _ = p.command.Process.Kill() })
	defer stop()
	line, err := json.Marshal(request{c.Set, c.Seed})
	if err != nil {
		return Row{}, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return Row{}, p.lost()
	}
	answer, err := p.out.ReadBytes('\n')
	var row Row
	if err != nil || json.Unmarshal(answer, &row) != nil ||
		!slices.Contains(Outcomes, row.Outcome) {
		return Row{}, p.lost()
	}
	return row, nil
}

// lost returns the reason why the process does not answer.
func (p *Process) lost() error {
	_ = p.command.Process.Kill() // it may have ended
	err := p.command.Wait()
	if code := (*exec.ExitError)(nil); errors.As(err, &code) && code.ExitCode() == ExitUnfit {
		return &UnfitError{Reason: cmp.Or(p.errors.String(), "its process gave no reason")}
	}
	if err == nil {
		err = errors.New("without an answer")
	}
	if text := p.errors.String(); text != "" {
		return fmt.Errorf("the process of the run ended: %w: %s", err, text)
	}
	return fmt.Errorf("the process of the run ended: %w", err)
}

// Close ends the process by closing its input.
func (p *Process) Close() error {
	if p.command.ProcessState != nil {
		return nil // it was lost
	}
	return errors.Join(p.in.Close(), p.command.Wait())
}

// request is a case as sent to a worker.
type request struct {
	Set  []Setting `json:"set"`
	Seed uint64    `json:"seed"`
}

// Serve does the work of a process: it answers each case with a row until the input ends, or until
// do returns an error, which it returns. At the end of the input, it does not wait for the current
// run, because the process that requested it is gone.
func Serve(in io.Reader, out io.Writer, do func(Case) (Row, error)) error {
	type answer struct {
		row Row
		err error
	}
	requests, rows, ended := make(chan request), make(chan answer), make(chan error, 1)
	go func() {
		for decoder := json.NewDecoder(in); ; {
			var r request
			if err := decoder.Decode(&r); err != nil {
				ended <- err
				return
			}
			requests <- r
		}
	}()
	answers := json.NewEncoder(out)
	for {
		select {
		case r := <-requests:
			go func() {
				row, err := do(Case{Set: r.Set, Seed: r.Seed})
				rows <- answer{row, err}
			}()
		case a := <-rows:
			if a.err != nil {
				return a.err
			}
			if err := answers.Encode(a.row); err != nil {
				return err
			}
		case err := <-ended:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// lastLines keeps the end of the text written to it.
type lastLines struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (l *lastLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	const most = 2000
	if l.text = append(l.text, b...); len(l.text) > most {
		l.text = append([]byte(nil), l.text[len(l.text)-most:]...)
	}
	return len(b), nil
}

// String returns the last line.
func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(l.text)), "\n")
	return lines[len(lines)-1]
}
