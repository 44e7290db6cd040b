package campaign

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShareProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(2)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })

	for _, n := range []int{0, 2, 3} {
		shareProcessors(n)
		require.Equal(t, 2, runtime.GOMAXPROCS(0), "nothing to limit")
	}
	t.Setenv("GOMAXPROCS", "2")
	shareProcessors(1)
	require.Equal(t, 2, runtime.GOMAXPROCS(0), "the engineer's choice holds")

	t.Setenv("GOMAXPROCS", "")
	useAll := shareProcessors(1)
	require.Equal(t, 1, runtime.GOMAXPROCS(0))
	useAll()
	require.Equal(t, 2, runtime.GOMAXPROCS(0), "runs with FMUs use all")
}
