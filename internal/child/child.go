// Package child runs programs of the user and ends them together with all processes that they have
// started, whatever these do: ignore signals, hold pipes open, or leave their process group.
//
//	p, err := child.Start(command)
//	...
//	err = p.End(grace) // after the input of the program was closed
//
// Guarantees: [Process.End] returns within the given time and a fixed time for killed processes to
// disappear; [Lines] limits how much of a program's output is passed on. A process that has left
// the process group is found on Linux only, by a marker in its environment. On Windows, only the
// program itself is ended.
package child

import (
	"crypto/rand"
	"os"
	"os/exec"
	"sync"
	"time"

	"gosmp/internal/pause"
)

// drain is the time for the output of killed processes to end.
const drain = time.Second

// Process is a running program.
type Process struct {
	command *exec.Cmd
	marker  string        // in the environment of the program and of all that it starts
	exited  chan struct{} // the program itself has ended
	killed  sync.Once
	waited  sync.Once
	state   error
}

// marked is the environment variable with the marker.
const marked = "GOSMP_STARTED"

// Start starts a command.
func Start(c *exec.Cmd) (*Process, error) {
	p := &Process{command: c, exited: make(chan struct{}), marker: rand.Text()}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	// a program that starts gosmp again passes on both markers
	c.Env = append(c.Env, marked+"="+os.Getenv(marked)+" "+p.marker)
	c.WaitDelay = drain
	separate(c)
	if c.Cancel != nil { // the command has a context
		c.Cancel = func() error { p.Kill(); return nil }
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.watch()
		close(p.exited)
	}()
	return p, nil
}

// Exited returns a channel that is closed when the program itself has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Kill ends the program and all processes that it has started, at once.
func (p *Process) Kill() { p.killed.Do(p.killAll) }

// End waits for the program to end, and kills it if it takes too long while this process runs.
// Then it kills the processes that are left. It returns the error of the program's exit status.
// Several goroutines can call it.
func (p *Process) End(grace time.Duration) error {
	late, stop := pause.Late(grace)
	select {
	case <-p.exited:
	case <-late:
	}
	stop()
	p.Kill()
	<-p.exited
	p.waited.Do(func() { p.state = p.command.Wait() })
	return p.state
}
