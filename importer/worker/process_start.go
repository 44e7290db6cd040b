//go:build linux && cgo

package worker

// #include "worker.h"
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// pipes are the pipes between a host and a worker.
type pipes struct {
	logged, log *os.File // the log: the host's end, and the worker's
	held, host  *os.File // the end for the worker and its children, and the host's end
}

func newPipes() (p pipes, err error) {
	if p.logged, p.log, err = os.Pipe(); err != nil {
		return p, err
	}
	if p.held, p.host, err = os.Pipe(); err != nil {
		return p, errors.Join(err, p.logged.Close(), p.log.Close())
	}
	return p, nil
}

// passed closes the worker's ends, since the worker has its own descriptors.
func (p *pipes) passed() { _, _ = p.log.Close(), p.held.Close() }

// drop closes the host's ends if the worker could not start.
func (p *pipes) drop() { _, _ = p.logged.Close(), p.host.Close() }

// newCommand returns the command that starts a worker.
func newCommand(o Options, out, errors io.Writer, files ...*os.File) *exec.Cmd {
	c := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], C.GW_MARKER}, Dir: o.Dir,
		Env: environment(o.LibraryPath), Stdout: out, Stderr: errors, ExtraFiles: files,
		// Ctrl-C in a terminal must reach only the host, which ends its FMUs in order.
		SysProcAttr: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true},
		WaitDelay:   drainTime,
	}
	for k := range files {
		c.Args = append(c.Args, strconv.Itoa(3+k))
	}
	return c
}

func (p *Process) start(o Options, memory *os.File) error {
	ends, err := newPipes()
	if err != nil {
		return err
	}
	defer ends.passed()
	return p.begin(ends, o.Log, newCommand(o, p.printed.stream(), p.printed.stream(), memory,
		ends.log, p.arena.file, ends.held))
}

// begin starts a command on the thread that starts all workers.
func (p *Process) begin(ends pipes, log func(Record), command *exec.Cmd) error {
	done := make(chan error)
	nursery() <- func() { done <- command.Start() }
	if err := <-done; err != nil {
		ends.drop()
		return fmt.Errorf("starting a worker: %w", err)
	}
	p.follow(ends, log, command.Process, func() *os.ProcessState {
		_ = command.Wait() // the process state holds the result
		return command.ProcessState
	})
	return nil
}

// follow takes charge of a worker that has started.
func (p *Process) follow(ends pipes, log func(Record), child *os.Process,
	wait func() *os.ProcessState) {
	p.log, p.host, p.child, p.wait = newReader(ends.logged, log), ends.host, child, wait
	own.Store(child.Pid, struct{}{})
	go p.await()
}

func environment(folders []string) []string {
	if len(folders) == 0 {
		return nil
	}
	const name = "LD_LIBRARY_PATH"
	if old := os.Getenv(name); old != "" {
		folders = append(folders[:len(folders):len(folders)], old)
	}
	return append(os.Environ(), name+"="+strings.Join(folders, ":"))
}
