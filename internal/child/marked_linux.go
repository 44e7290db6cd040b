package child

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const (
	mostLooks = 20 // for processes that start others in the meantime
	lookAgain = 5 * time.Millisecond
)

// watch returns when the program has ended. It leaves the exit status to be waited for.
func (p *Process) watch() {
	const byID = 1
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_WAITID, byID, uintptr(p.command.Process.Pid), 0,
			syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// killMarked kills the processes with the marker of the program in their environment, until there
// are none. Processes with a cleared environment are not found.
func (p *Process) killMarked() {
	for range mostLooks {
		if !p.killOnce() {
			return
		}
		time.Sleep(lookAgain)
	}
}

// killOnce kills the processes found at one look.
func (p *Process) killOnce() (found bool) {
	names, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return false
	}
	for _, name := range names {
		if !p.marks(name) {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || id == os.Getpid() {
			continue
		}
		process, err := os.FindProcess(id)
		if err != nil {
			continue
		}
		if p.marks(name) { // the process id has not been reused in the meantime
			found = process.Kill() == nil || found
		}
		_ = process.Release()
	}
	return found
}

// marks reports whether an environment contains the marker. That of a zombie is empty.
func (p *Process) marks(name string) bool {
	text, err := os.ReadFile(name)
	return err == nil && bytes.Contains(text, []byte(p.marker))
}
