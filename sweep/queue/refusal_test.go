package queue_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// full is the error of a machine whose disk is full.
var full = &os.PathError{Op: "write", Path: "package.zip", Err: syscall.EFBIG}

// TestCrew_Unfit: a machine that cannot prepare runs leaves all of them to a healthy one, tries
// again a few times, and ends with the reason.
func TestCrew_Unfit(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*queue.Crew){
		"the package cannot be written": func(w *queue.Crew) {
			w.Unpack = func(string, string, string) (string, error) { return "", full }
		},
		"no process can be started": func(w *queue.Crew) {
			w.Start = func(string, string) (sweep.Worker, error) { return nil, full }
		},
		"no process can prepare a run": func(w *queue.Crew) {
			w.Start = func(string, string) (sweep.Worker, error) {
				return answering{func(sweep.Case) (sweep.Row, error) {
					return sweep.Row{}, &sweep.UnfitError{Reason: full.Error()}
				}}, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := embed(t)
			url := "nats://" + s.Address()
			var refused atomic.Int32
			unfit := crewOf(url, t.TempDir())
			unfit.Workers = 4
			unfit.Log = func(string) { refused.Add(1) }
			spoil(unfit)
			ended := make(chan error, 1)
			go func() { _, err := unfit.Run(context.Background(), nil); ended <- err }()

			q := coordinatorOf(url)
			rows := make(chan sweep.Row, 100)
			all := make(chan error, 1)
			go func() {
				all <- q.Run(context.Background(), casesOf("pass=a", "pass=b", "pass=c", "pass=d",
					"pass=e", "pass=f", "pass=g", "pass=h"), func(_ sweep.Case,
					r sweep.Row) (bool, error) {
					rows <- r
					return true, nil
				})
			}()
			err := <-ended // alone, it has not lost a run
			require.ErrorContains(t, err,
				"this machine cannot prepare runs, and takes no more of them")
			require.ErrorContains(t, err, "file too large")
			require.Empty(t, rows)
			require.LessOrEqual(t, refused.Load(), int32(4+4),
				"four workers at first, and four trials")

			hire(t, crewOf(url, t.TempDir()))
			require.NoError(t, <-all)
			for range 8 {
				require.Equal(t, sweep.Passed, (<-rows).Outcome)
			}
		})
	}
}

// TestCrew_FitAgain: a machine that can prepare runs again after a while computes them.
func TestCrew_FitAgain(t *testing.T) {
	t.Parallel()
	s := embed(t)
	w := crewOf("nats://"+s.Address(), t.TempDir())
	var tries atomic.Int32
	w.Start = func(dir, name string) (sweep.Worker, error) {
		if tries.Add(1) <= 3 {
			return nil, full
		}
		return startProcess(dir, name)
	}
	hire(t, w)
	q := coordinatorOf("nats://" + s.Address())
	lines := make(chan string, 100)
	q.Log = func(line string) { lines <- line }
	for _, r := range collect(t, q, slow(20)) {
		require.Equal(t, sweep.Passed, r.Outcome)
	}
}

// TestCrew_Verify: a run goes to a machine that has the files that its settings name, and a machine
// that lacks them computes other runs meanwhile. The sweep reports the machines that left runs to
// others.
func TestCrew_Verify(t *testing.T) {
	t.Parallel()
	s := embed(t)
	cases := casesOf("pass=drive.csv", "pass=other")
	cases[0].Files = []sweep.File{{Name: "drive.csv", Digest: "12"}}
	without := crewOf("nats://"+s.Address(), t.TempDir())
	without.Verify = func(_ string, f sweep.File) error {
		return errors.New(f.Name + " is not here")
	}
	hire(t, without)
	with := crewOf("nats://"+s.Address(), t.TempDir())
	with.Verify = func(dir string, f sweep.File) error {
		if _, err := os.Stat(filepath.Join(dir, "a.exc")); err != nil || f != cases[0].Files[0] {
			return fmt.Errorf("found %v, %w", f, err)
		}
		return nil
	}
	q := coordinatorOf("nats://" + s.Address())
	var said sync.Once
	q.Log = func(line string) {
		if strings.HasSuffix(line, "drive.csv is not here") {
			said.Do(func() { hire(t, with) }) // only now
		}
	}
	rows := map[int]string{}
	require.NoError(t, q.Run(t.Context(), cases, func(c sweep.Case, r sweep.Row) (bool, error) {
		rows[c.Index] = r.Outcome
		return true, nil
	}))
	require.Equal(t, map[int]string{0: sweep.Passed, 1: sweep.Passed}, rows)
}

// TestCrew_NobodyCan: a run that ten different machines could not prepare is lost, but not one that
// a single machine refused ten times. A lost run is computed again in the next sweep.
func TestCrew_NobodyCan(t *testing.T) {
	t.Parallel()
	s := embed(t)
	url := "nats://" + s.Address()
	c := casesOf("pass=drive.csv")
	c[0].Files = []sweep.File{{Name: "drive.csv", Digest: "12"}}
	var refused atomic.Int32
	ctx, leave := context.WithCancel(t.Context())
	var crews sync.WaitGroup
	absent := func() {
		w := crewOf(url, t.TempDir())
		w.Workers, w.Log = 1, func(string) { refused.Add(1) }
		w.Verify = func(_ string, f sweep.File) error { return errors.New(f.Name + " is not here") }
		crews.Go(func() { _, _ = w.Run(ctx, nil) })
	}
	absent()
	rows := make(chan sweep.Row, 1)
	go func() {
		_ = coordinatorOf(url).Run(context.Background(), c, func(_ sweep.Case, r sweep.Row) (bool,
			error) {
			rows <- r
			return true, nil
		})
	}()
	require.Eventually(t, func() bool { return refused.Load() > queue.Deliveries+1 }, time.Minute,
		10*time.Millisecond)
	require.Empty(t, rows, "it is one machine only")
	for range queue.Deliveries - 1 {
		absent()
	}
	row := <-rows
	require.Equal(t, sweep.Lost, row.Outcome)
	require.Equal(t, "10 machines could not prepare it; the last one: drive.csv is not here",
		row.Cause)
	leave()
	crews.Wait()
	hire(t, crewOf(url, t.TempDir()))
	last := collect(t, coordinatorOf(url), c)[0]
	require.Equal(t, sweep.Passed, last.Outcome, last.Cause)
}
