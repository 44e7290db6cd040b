//go:build linux && cgo

package probe

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// removeSegments removes shared memory of System V that a process has created and not removed, if
// the system did not allow it to have its own. No other process has had its number since it began.
func removeSegments(pid int, begun time.Time) {
	table, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		return // the kernel has none
	}
	for row := range strings.Lines(string(table)) {
		if id, is := segmentOf(strings.Fields(row), pid, begun.Unix()); is {
			_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) // the FMU may have forbidden it
		}
	}
}

// segmentOf returns the number of a segment if it was created by a process that began at a time in
// seconds, and if no process uses it.
func segmentOf(fields []string, pid int, begun int64) (id int, is bool) {
	const number, creator, attached, changed, least = 1, 4, 6, 13, 14
	if len(fields) < least || fields[creator] != strconv.Itoa(pid) || fields[attached] != "0" {
		return 0, false
	}
	created, err := strconv.ParseInt(fields[changed], 10, 64)
	if err != nil || created < begun {
		return 0, false
	}
	id, err = strconv.Atoi(fields[number])
	return id, err == nil
}
