//go:build linux && cgo

package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/run"
)

// children returns the child processes of this process.
func children(t *testing.T) (list []string) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	for _, name := range tasks {
		text, _ := os.ReadFile(name) // the thread may have ended
		list = append(list, strings.Fields(string(text))...)
	}
	return list
}

// TestCase_LeavesNoProcess: a case ends the processes of its FMUs, and a reserve keeps a bounded
// number for the next cases. The rows are the same with a reserve.
func TestCase_LeavesNoProcess(t *testing.T) {
	fmu := testfmu.Build(t, testfmu.Recipe{Name: "x"})
	dir := filepath.Dir(fmu)
	exc := filepath.Join(dir, "a.exc")
	require.NoError(t, os.WriteFile(exc, []byte(`<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig">
  <name>a</name><timeout>1</timeout><environmentModel src="road.xodr"/><bibiConf src="a.bibi"/></ExD>`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.bibi"), []byte(
		`<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI" xmlns:g="urn:gosmp:experiment:1">
  <g:fmu name="x" src="x.fmu"/></bibi>`), 0o600))
	road, err := os.ReadFile("../examples/braking/road.xodr")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "road.xodr"), road, 0o600))
	for _, file := range []string{exc, fmu} {
		row := run.Case(t.Context(), run.CaseOptions{File: file, Seed: 1})
		require.Equal(t, map[string]string{exc: "no machine had ended the run by then"}[file],
			row.Cause)
		require.Positive(t, row.Steps)
		require.Empty(t, children(t))
		reserve := &importer.Reserve{}
		waits := max(4, 2*runtime.NumCPU())
		most := 3*waits + 2 // waiting, copied, being created, and in use
		for n := range most + 3 {
			require.Equal(t, row,
				run.Case(t.Context(), run.CaseOptions{File: file, Seed: 1, Reserve: reserve}),
				fmt.Sprint(file, " ", n))
			require.LessOrEqual(t, len(children(t)), most)
		}
		require.NoError(t, reserve.Close())
		require.Empty(t, children(t))
	}
}
