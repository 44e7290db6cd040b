package sweeps

import (
	"os"
	"runtime"
	"sync"
)

// shareProcessors lets the Go code of a worker run on n processors only. Otherwise the collector of
// each worker takes the processors that others compute runs on. An engineer who sets GOMAXPROCS
// decides instead. useAll ends the limit; it is for runs with FMUs, which wait for other processes
// and would be slower.
func shareProcessors(n int) (useAll func()) {
	all := runtime.GOMAXPROCS(0)
	if n < 1 || n >= all || os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	runtime.GOMAXPROCS(n)
	return sync.OnceFunc(func() { runtime.GOMAXPROCS(all) })
}
