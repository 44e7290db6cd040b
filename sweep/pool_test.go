package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// play turns this test program into a worker. The first setting of a run determines its behavior.
const play = "GOSMP_SWEEP_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(play) == "" {
		os.Exit(m.Run())
	}
	if err := sweep.Serve(os.Stdin, os.Stdout, answer); err != nil {
		os.Exit(1)
	}
}

func answer(c sweep.Case) (sweep.Row, error) { return act(c), nil }

func act(c sweep.Case) sweep.Row {
	name, value := c.Set[0].Name, c.Set[0].Value
	switch name {
	case "exit":
		fmt.Fprintln(os.Stderr, "no memory left")
		os.Exit(3)
	case "unfit":
		fmt.Fprintln(os.Stderr, "no space left on device")
		os.Exit(sweep.ExitUnfit)
	case "once": // ends the process of the first attempt
		if f, err := os.OpenFile(value, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_ = f.Close()
			os.Exit(3)
		}
	case "great": // no outcome
		return sweep.Row{Outcome: value, Seed: c.Seed}
	case "print": // no row
		fmt.Println(value)
	case "hang":
		select {}
	case "fail":
		return sweep.Row{Outcome: sweep.Failed, Cause: value, Seed: c.Seed}
	case "talk": // a cause of so many bytes
		n, _ := strconv.Atoi(value)
		return sweep.Row{Outcome: sweep.Failed, Cause: strings.Repeat("ä", n/2), Seed: c.Seed}
	case "warn": // so many warnings of so many bytes
		n, _ := strconv.Atoi(value)
		return sweep.Row{Outcome: sweep.Passed, Seed: c.Seed,
			Warnings: slices.Repeat([]string{strings.Repeat("ä", n/2)}, n)}
	case "flood": // so many numbers
		n, _ := strconv.Atoi(value)
		row := sweep.Row{Outcome: sweep.Passed, Seed: c.Seed, Metrics: map[string]float64{}}
		for k := range n {
			row.Metrics[fmt.Sprintf("judge.number%d", k)] = float64(k)
		}
		return row
	}
	return sweep.Row{Outcome: sweep.Passed, Seed: c.Seed, Time: 1,
		Metrics: map[string]float64{"judge.x": float64(len(value))}}
}

func casesOf(settings ...string) (cases []sweep.Case) {
	for k, text := range settings {
		name, value, _ := strings.Cut(text, "=")
		cases = append(cases, sweep.Case{Index: k, Seed: uint64(k + 1),
			Set: []sweep.Setting{{Name: name, Value: value}}})
	}
	return cases
}

func startSelf() (sweep.Worker, error) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), play+"=1")
	return sweep.StartProcess(c)
}

// TestPool_EveryCaseHasOneRow: every case has one row, even if processes crash or hang.
func TestPool_EveryCaseHasOneRow(t *testing.T) {
	once := filepath.Join(t.TempDir(), "once")
	cases := casesOf("pass=a", "exit=", "pass=bb", "once="+once, "fail=too close")
	for range 40 {
		cases = append(cases, casesOf("pass=a")...)
	}
	for k := range cases {
		cases[k].Index = k
	}
	rows := map[int]sweep.Row{}
	p := &sweep.Pool{Start: startSelf, Workers: 3, Attempts: 2}
	require.NoError(t, p.Run(t.Context(), cases, func(c sweep.Case, r sweep.Row) (bool, error) {
		require.NotContains(t, rows, c.Index)
		require.GreaterOrEqual(t, r.Elapsed, 0.001)
		r.Elapsed = 0
		rows[c.Index] = r
		return true, nil
	}))
	require.Len(t, rows, len(cases))
	require.Equal(t,
		sweep.Row{Outcome: sweep.Passed, Seed: 3, Time: 1,
			Metrics: map[string]float64{"judge.x": 2}}, rows[2])
	require.Equal(t, sweep.Row{Outcome: sweep.Lost, Seed: 2,
		Cause: "the process of the run ended: exit status 3: no memory left (2 attempts)"}, rows[1])
	require.Equal(t, sweep.Passed, rows[3].Outcome, "the second attempt succeeded")
	require.Equal(t, sweep.Row{Outcome: sweep.Failed, Seed: 5, Cause: "too close"}, rows[4])
}

// TestPool_Hang: a run that does not end is stopped and reported as hung.
func TestPool_Hang(t *testing.T) {
	p := &sweep.Pool{Start: startSelf, Workers: 1, Attempts: 2, Timeout: 300 * time.Millisecond}
	var rows []sweep.Row
	require.NoError(t, p.Run(t.Context(), casesOf("hang="), func(_ sweep.Case, r sweep.Row) (bool,
		error) {
		require.GreaterOrEqual(t, r.Elapsed, 0.3, "of the last attempt")
		r.Elapsed = 0
		rows = append(rows, r)
		return true, nil
	}))
	require.Equal(t, []sweep.Row{{Outcome: sweep.Hung, Seed: 1,
		Cause: "not finished within 300ms (2 attempts)"}}, rows)
}

// TestPool_Interrupted: an interrupted run has no row, and no process remains.
func TestPool_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var rows atomic.Int32
	p := &sweep.Pool{Start: startSelf, Workers: 2, Attempts: 3}
	err := p.Run(ctx, casesOf("pass=a", "hang=", "hang=", "pass=a"), func(sweep.Case,
		sweep.Row) (bool, error) {
		rows.Add(1)
		cancel()
		return true, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, 1, rows.Load())
}

// TestPool_NoWorker: the pool reports at once that it cannot start a worker, and returns an error
// of the caller at once.
func TestPool_NoWorker(t *testing.T) {
	p := &sweep.Pool{Start: func() (sweep.Worker, error) {
		return sweep.StartProcess(exec.Command("/nowhere/gosmp"))
	}, Workers: 2, Attempts: 3}
	err := p.Run(t.Context(), casesOf("pass=a", "pass=b"), func(sweep.Case, sweep.Row) (bool,
		error) {
		return true, nil
	})
	require.ErrorIs(t, err, os.ErrNotExist)
	full := errors.New("the disk is full")
	p.Start = startSelf
	err = p.Run(t.Context(), casesOf("pass=a", "pass=b", "pass=c", "pass=d"), func(sweep.Case,
		sweep.Row) (bool, error) {
		return true, full
	})
	require.ErrorIs(t, err, full)
}

// TestPool_Unfit: a run that this computer could not prepare is lost, and if that happens
// repeatedly, the pool ends with the reason instead of losing all other runs.
func TestPool_Unfit(t *testing.T) {
	for _, c := range []struct {
		settings string
		rows     []string
		fails    bool
	}{
		{"unfit=", []string{sweep.Lost}, false},
		{"unfit=1 unfit=2 pass= unfit=3 unfit=4", []string{sweep.Lost, sweep.Lost, sweep.Passed,
			sweep.Lost, sweep.Lost}, false},
		{"unfit=1 unfit=2 unfit=3 pass=", []string{sweep.Lost, sweep.Lost}, true},
	} {
		p := &sweep.Pool{Start: startSelf, Workers: 1, Attempts: 2}
		var rows []string
		err := p.Run(t.Context(), casesOf(strings.Fields(c.settings)...), func(_ sweep.Case,
			r sweep.Row) (bool, error) {
			rows = append(rows, r.Outcome)
			return true, nil
		})
		require.Equal(t, c.rows, rows, c.settings)
		if unfit := (*sweep.UnfitError)(nil); c.fails {
			require.ErrorAs(t, err, &unfit)
			require.Equal(t, "no space left on device", unfit.Reason)
		} else {
			require.NoError(t, err)
		}
	}
}

// TestServe_Ends: Serve ends with its input, even if a run hangs.
func TestServe_Ends(t *testing.T) {
	input, feed := io.Pipe()
	begun := make(chan bool)
	ended := make(chan error)
	go func() {
		ended <- sweep.Serve(input, io.Discard, func(sweep.Case) (sweep.Row, error) {
			close(begun)
			select {}
		})
	}()
	_, err := feed.Write([]byte(`{"set": [], "seed": 1}`))
	require.NoError(t, err)
	<-begun
	require.NoError(t, feed.Close())
	require.NoError(t, <-ended)
	require.Error(t, sweep.Serve(strings.NewReader("{"), io.Discard, answer), "half a request")
	require.NoError(t, sweep.Serve(strings.NewReader(""), io.Discard, answer))
	lost := errors.New("lost")
	input, feed = io.Pipe() // which stays open
	go func() { _, _ = feed.Write([]byte(`{"set": [], "seed": 1}`)) }()
	err = sweep.Serve(input, io.Discard,
		func(sweep.Case) (sweep.Row, error) { return sweep.Row{}, lost })
	require.ErrorIs(t, err, lost)
}

// answering is a worker without a process.
type answering struct{ do func(sweep.Case) sweep.Row }

func (a answering) Do(_ context.Context, c sweep.Case) (sweep.Row, error) { return a.do(c), nil }
func (a answering) Close() error                                          { return nil }

// TestPool_Order: the results have the same bytes for any number of workers, even if the plan stops
// after some failures.
func TestPool_Order(t *testing.T) {
	plan := read(t,
		"experiment: a.exc\nparameters: {a.b: {from: 1, to: 60, step: 1}}\nstop: {failures: 5}")
	cases, err := plan.Cases()
	require.NoError(t, err)
	run := func(workers int) string {
		var mu sync.Mutex
		rows := map[int]sweep.Row{}
		row := func(c sweep.Case) (sweep.Row, bool) { r, ok := rows[c.Index]; return r, ok }
		p := &sweep.Pool{Workers: workers, Attempts: 1, Start: func() (sweep.Worker, error) {
			return answering{func(c sweep.Case) sweep.Row {
				n, _ := strconv.Atoi(c.Set[0].Value)
				r := sweep.Row{ID: c.ID("x"), Outcome: sweep.Passed,
					Metrics: map[string]float64{"m.n": float64(n)}}
				if n%7 == 0 {
					r.Outcome, r.Cause = sweep.Failed, "by seven"
				}
				return r
			}}, nil
		}}
		require.NoError(t, p.Run(t.Context(), cases, func(c sweep.Case, r sweep.Row) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			rows[c.Index] = r
			prefix := 0
			for ; prefix < len(cases); prefix++ {
				if _, ok := rows[prefix]; !ok {
					break
				}
			}
			_, stopped := plan.Decided(cases[:prefix], row)
			return !stopped, nil
		}))
		n, stopped := plan.Decided(cases, row)
		results := sweep.Results(cases[:n], row)
		require.True(t, stopped)
		var out strings.Builder
		require.NoError(t, plan.WriteCSV(&out, sweep.MetricNames(results), false, results))
		require.NoError(t, plan.WriteJSON(&out, results))
		return out.String()
	}
	first := run(1)
	require.Contains(t, first, "\n35,35,0,failed,by seven,0,0,,")
	require.NotContains(t, first, "\n36,36,")
	for _, workers := range []int{2, 7, 100} {
		require.Equal(t, first, run(workers), "%d workers", workers)
	}
}
