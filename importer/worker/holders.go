//go:build linux && cgo

package worker

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	dyingTime = 50 * time.Millisecond // of processes that have been killed
	mostLooks = 20                    // for processes that start others in the meantime
)

// endHolders kills the processes that still hold the other end of a pipe, which children of FMUs
// inherit. These processes have left the process group for a session of their own. Processes that
// have closed everything that they inherited are not found.
func endHolders(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(descriptor uintptr) {
		for look := 0; look < mostLooks && held(int(descriptor), dyingTime); look++ {
			killHolders(int(descriptor))
		}
	})
}

// held reports whether a process holds the reading end of a pipe after some time.
func held(descriptor int, limit time.Duration) bool {
	poll := []unix.PollFd{{Fd: int32(descriptor)}}
	for end := time.Now().Add(limit); ; {
		left := max(0, time.Until(end))
		if _, err := unix.Poll(poll, int(left.Milliseconds())); !errors.Is(err, unix.EINTR) {
			return err == nil && poll[0].Revents&unix.POLLERR == 0
		}
	}
}

// own holds the process ids of all workers, until they have been waited for.
var own sync.Map

// killHolders kills the other processes that hold an end of a pipe. Processes of this host hold one
// only for a moment: a child has all open files until it executes its program, and a worker that is
// copied has the files of the copy until the copy exists.
func killHolders(descriptor int) {
	var s unix.Stat_t
	if unix.Fstat(descriptor, &s) != nil {
		return
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return
	}
	name := fmt.Sprintf("pipe:[%d]", s.Ino)
	for _, link := range links {
		if !leadsTo(link, name) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(link))))
		if err != nil || pid == os.Getpid() || isWorker(pid) || isStarting(pid) {
			continue
		}
		process, err := os.FindProcess(pid)
		if err == nil && leadsTo(link, name) { // the process id has not been reused in the meantime
			_ = process.Kill()
		}
		if err == nil {
			_ = process.Release()
		}
	}
}

func leadsTo(link, name string) bool {
	to, err := os.Readlink(link)
	return err == nil && to == name
}

func isWorker(pid int) bool {
	_, is := own.Load(pid)
	return is
}

// commandLine is the command line of this process.
var commandLine = sync.OnceValue(func() []byte {
	line, _ := os.ReadFile("/proc/self/cmdline")
	return line
})

// isStarting reports whether a process still has the command line of this one, because it has not
// yet executed its own program.
func isStarting(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && len(line) > 0 && bytes.Equal(line, commandLine())
}
