//go:build linux

package probe

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// spent returns the processor time used by a process and whether the process is ready to run.
func spent(pid int) (used time.Duration, computes bool) {
	tasks, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
	if err != nil {
		return 0, false
	}
	for _, name := range tasks {
		if t, ok := taskAt(name); ok { // otherwise, the thread has ended
			used += t.used
			computes = computes || t.computes()
		}
	}
	return used, computes
}

// task is a thread, or a process as a whole.
type task struct {
	state string
	group int
	used  time.Duration // processor time
}

// computes reports whether the task runs, or would if a processor were free.
func (t *task) computes() bool { return t.state == "R" || t.state == "D" }

// taskAt reads a file stat of /proc.
func taskAt(name string) (t task, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return task{}, false
	}
	const ticks = 100 // per second, in /proc on Linux
	// after the name in parentheses: state, parent, group, eight more fields, user time, system
	// time
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	const group, user, system = 2, 11, 12
	if len(fields) <= system {
		return task{}, false
	}
	t.state = fields[0]
	t.group, _ = strconv.Atoi(fields[group]) // 0 if the kernel writes anything else
	for _, k := range []int{user, system} {
		n, _ := strconv.Atoi(fields[k])
		t.used += time.Duration(n) * time.Second / ticks
	}
	return t, true
}

// othersIn returns the live processes of a group other than its leader.
func othersIn(group int) (list []task) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == group {
			continue
		}
		// far cheaper than reading the file of each process of the machine
		if of, err := unix.Getpgid(pid); err != nil || of != group {
			continue
		}
		t, ok := taskAt(filepath.Join("/proc", e.Name(), "stat"))
		if ok && t.group == group && t.state != "Z" {
			list = append(list, t)
		}
	}
	return list
}

// patience decides whether a process that has not answered for its time limit gets more time,
// because it, or a process for which it may wait, would go on if a processor were free.
type patience struct {
	base  time.Duration // processor time of the other processes when they were first asked
	asked bool
}

// more reports whether the process may go on. since is the processor time that the process had
// used when its operation began.
func (p *patience) more(pid int, since, allowed time.Duration) bool {
	used, computes := spent(pid)
	if used-since > allowed/3 {
		return false
	}
	var others time.Duration
	for _, t := range othersIn(pid) {
		others += t.used
		computes = computes || t.computes()
	}
	if !p.asked {
		p.base, p.asked = others, true
	}
	return computes && others-p.base <= allowed/3
}
