package collector

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGrowth(t *testing.T) {
	require.Equal(t, 1600, growth(0), "the first collection after 64 MB")
	require.Equal(t, 1600, growth(1<<20))
	require.Equal(t, 400, growth(16<<20))
	require.Equal(t, 100, growth(64<<20))
	require.Equal(t, 100, growth(512<<20), "never more than twice a large heap")
	require.Equal(t, 50, growth(1<<30))
	require.Equal(t, 20, growth(8<<30))
}

func TestRelax(t *testing.T) {
	percent := func() uint64 {
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	t.Cleanup(func() { debug.SetGCPercent(100) })
	t.Setenv("GOGC", "150")
	debug.SetGCPercent(150)
	Relax()
	require.EqualValues(t, 150, percent(), "the engineer's choice holds")

	t.Setenv("GOGC", "")
	debug.SetGCPercent(100)
	Relax()
	require.Greater(t, percent(), uint64(100))
	large := make([]byte, 100<<20)
	require.Eventually(t, func() bool { runtime.GC(); return percent() == 100 }, time.Minute,
		time.Millisecond)
	runtime.KeepAlive(large)
}
