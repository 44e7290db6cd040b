//go:build linux && cgo

package worker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

// killHolders kills the other processes that hold an end of a pipe.
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
		if to, err := os.Readlink(link); err != nil || to != name {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(link))))
		if err == nil && pid != os.Getpid() {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}
