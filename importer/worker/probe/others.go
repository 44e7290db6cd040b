//go:build linux

package probe

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// spent returns the processor time used by a process and whether the process is ready to run.
func spent(pid int) (used time.Duration, computes bool) {
	tasks, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
	if err != nil {
		return 0, false
	}
	const ticks = 100 // per second, in /proc on Linux
	for _, name := range tasks {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		// after the name in parentheses: state, ten more fields, user time, system time
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		const user, system = 11, 12
		if len(fields) <= system {
			continue
		}
		for _, k := range []int{user, system} {
			n, _ := strconv.Atoi(fields[k]) // 0 if the kernel writes anything else
			used += time.Duration(n) * time.Second / ticks
		}
		computes = computes || fields[0] == "R" || fields[0] == "D"
	}
	return used, computes
}

// othersIn reports whether a group has live processes other than its leader, which has ended.
func othersIn(group int) bool {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == group {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		// after the name in parentheses: state, parent, group
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" {
			return true
		}
	}
	return false
}
