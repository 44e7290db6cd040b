package unchanged

import (
	"os"
	"syscall"
	"time"
)

// statusTime returns the time at which content, mode or links of a file last changed, which no
// program can set.
func statusTime(info os.FileInfo) time.Time {
	if s, known := info.Sys().(*syscall.Stat_t); known {
		return time.Unix(s.Ctim.Unix())
	}
	return time.Time{}
}
