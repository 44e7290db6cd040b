package main

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
	"gosmp/importer"
	"gosmp/internal/testfmu"
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
	fmu := testfmu.Build(t, testfmu.Recipe{})
	h := &host{command: &runCommand{}, dir: filepath.Dir(fmu), pool: &importer.Pool{}, withFMU: useAll}
	_, err := h.maker(experiment.Participant{Name: "sensor", Src: filepath.Base(fmu)})
	require.NoError(t, err)
	require.Equal(t, 2, runtime.GOMAXPROCS(0), "runs with FMUs use all")
}
