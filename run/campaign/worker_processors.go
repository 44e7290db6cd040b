package campaign

import (
	"os"
	"runtime"
	"sync"
)

// shareProcessors limits the Go code of a worker to n processors. Otherwise the garbage collector
// of each worker would take processors from the runs of other workers. It has no effect if
// GOMAXPROCS is set. useAll removes the limit; it is for runs with FMUs, which wait for other
// processes and would be slower.
func shareProcessors(n int) (useAll func()) {
	all := runtime.GOMAXPROCS(0)
	if n < 1 || n >= all || os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	runtime.GOMAXPROCS(n)
	return sync.OnceFunc(func() { runtime.GOMAXPROCS(all) })
}
