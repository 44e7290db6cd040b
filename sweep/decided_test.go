package sweep_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// TestGood: only passed and finished are good.
func TestGood(t *testing.T) {
	good := map[string]bool{sweep.Passed: true, sweep.Finished: true}
	for _, outcome := range append([]string{"", "great", "Passed"}, sweep.Outcomes...) {
		require.Equal(t, good[outcome], sweep.Good(outcome), outcome)
	}
}

// TestDecided: in the order of the table, the runs up to the one that ends the sweep count, or all
// runs if there is none. A run without a row does not count towards the end.
func TestDecided(t *testing.T) {
	cases := casesOf("a=1", "b=1", "c=1", "d=1")
	rows := []string{sweep.Passed, "", sweep.Failed, sweep.Finished}
	row := func(c sweep.Case) (sweep.Row, bool) {
		if rows[c.Index] == "" {
			return sweep.Row{Outcome: sweep.Lost}, false
		}
		return sweep.Row{Outcome: rows[c.Index]}, true
	}
	for _, c := range []struct {
		stop    sweep.Stop
		n       int
		stopped bool
	}{{sweep.Stop{}, 4, false}, {sweep.Stop{Failures: 1}, 3, true},
		{sweep.Stop{Failures: 2}, 4, false}, {sweep.Stop{Passes: 1}, 1, true},
		{sweep.Stop{Passes: 2}, 4, false}} {
		p := &sweep.Plan{Stop: c.stop}
		n, stopped := p.Decided(cases, row)
		require.Equal(t, []any{c.n, c.stopped}, []any{n, stopped}, "%+v", c.stop)
	}
}

// computing is a worker without a process, whose runs end with their context.
type computing func(context.Context, sweep.Case) (sweep.Row, error)

func (f computing) Do(ctx context.Context, c sweep.Case) (sweep.Row, error) { return f(ctx, c) }
func (f computing) Close() error                                            { return nil }

// TestPool_NoMoreRuns: no run starts after the one that is enough for the caller.
func TestPool_NoMoreRuns(t *testing.T) {
	computed := 0
	p := &sweep.Pool{Workers: 1, Attempts: 1, Start: func() (sweep.Worker, error) {
		return computing(func(context.Context, sweep.Case) (sweep.Row, error) {
			computed++
			return sweep.Row{Outcome: sweep.Passed}, nil
		}), nil
	}}
	require.NoError(t, p.Run(t.Context(), casesOf("a=1", "b=1", "c=1"), func(sweep.Case,
		sweep.Row) (bool, error) {
		return computed < 2, nil
	}))
	require.Equal(t, 2, computed)
}

// TestPool_ErrorEndsOtherRuns: an error from the caller, such as a full disk, ends the runs of the
// other workers, which may take hours.
func TestPool_ErrorEndsOtherRuns(t *testing.T) {
	begun, full := make(chan bool), errors.New("the disk is full")
	p := &sweep.Pool{Workers: 2, Attempts: 1, Start: func() (sweep.Worker, error) {
		return computing(func(ctx context.Context, c sweep.Case) (sweep.Row, error) {
			if c.Index == 0 {
				close(begun)
				<-ctx.Done()
				return sweep.Row{}, ctx.Err()
			}
			<-begun
			return sweep.Row{Outcome: sweep.Passed}, nil
		}), nil
	}}
	require.ErrorIs(t, p.Run(t.Context(), casesOf("a=1", "b=1"), func(sweep.Case,
		sweep.Row) (bool, error) {
		return true, full
	}), full)
}

// TestProcess_Answers: only a row with one of the defined outcomes is an answer from a process.
func TestProcess_Answers(t *testing.T) {
	p := &sweep.Pool{Start: startSelf, Workers: 1, Attempts: 1}
	rows := map[string]string{}
	cases := casesOf("great=great", "great=", "print=no row", `print={"outcome":"Passed"}`,
		`print=[]`, "pass=x")
	require.NoError(t, p.Run(t.Context(), cases, func(c sweep.Case, r sweep.Row) (bool, error) {
		rows[c.Set[0].Name+"="+c.Set[0].Value] = r.Outcome
		return true, nil
	}))
	require.Equal(t, map[string]string{"great=great": sweep.Lost, "great=": sweep.Lost,
		"print=no row": sweep.Lost, `print={"outcome":"Passed"}`: sweep.Lost, "print=[]": sweep.Lost,
		"pass=x": sweep.Passed}, rows)
}
