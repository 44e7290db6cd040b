package campaign

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
	"gosmp/internal/wholefile"
	"gosmp/run/inputs"
	"gosmp/sweep"
)

// TestMain lets the test binary take the place of gosmp run and gosmp work.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "run":
		writeReport(os.Args[slices.Index(os.Args, "--report")+1])
	case len(os.Args) > 1 && os.Args[1] == "work":
		if Serve(os.Stdin, os.Stdout, WorkerOptions{File: os.Args[len(os.Args)-1]}) != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// writeReport writes a report that never ends.
func writeReport(name string) {
	_ = wholefile.Write(context.Background(), name, func(w io.Writer) error {
		_, _ = w.Write(make([]byte, 1<<20))
		select {}
	})
}

// TestSweep_KeepOneInterrupted: a sweep that is interrupted while it keeps a run leaves nothing
// of this run, and a sweep that was killed leaves nothing that later ones do not remove.
func TestSweep_KeepOneInterrupted(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	s := &Sweep{Options: Options{Out: t.TempDir(), Program: program}, plan: &sweep.Plan{},
		experiment: "a.exc", description: &experiment.Description{}, files: inputs.New("a.exc", nil)}
	s.complete()
	r := sweep.Result{Row: sweep.Row{ID: "a", Outcome: sweep.Failed}}
	dir := s.folderOf(r)
	report := filepath.Join(dir, keptReport)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(report+".part", nil, 0o600)) // of a killed sweep
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			parts, _ := filepath.Glob(report + ".part*")
			for _, part := range parts {
				if info, err := os.Stat(part); err == nil && info.Size() > 0 {
					cancel()
				}
			}
			time.Sleep(time.Millisecond)
		}
	}()
	require.NoError(t, s.keepOne(ctx, r))
	require.NoDirExists(t, dir)

	s.plan.Timeout = 0.5 // the run is killed when it takes longer
	require.NoError(t, s.keepOne(t.Context(), r))
	require.NoFileExists(t, report+".part")
	require.FileExists(t, filepath.Join(dir, keptID))
}
