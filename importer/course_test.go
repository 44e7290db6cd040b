//go:build linux && cgo

package importer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// goAhead runs three FMUs without external inputs, both step by step and ahead of the engine. The
// only difference that a user can see is that FMUs that run ahead print their output earlier.
func (c *chained) goAhead(t *testing.T, shared bool) *told {
	t.Helper()
	c.unfed = true
	fmus := c.open(t)
	want, got := c.run(t, fmus, true, shared), c.run(t, fmus, false, shared)
	require.Zero(t, want.ahead)
	require.Equal(t, want.err, got.err)
	require.Equal(t, want.records, got.records)
	ahead := got.ahead
	got.ahead, got.printed = want.ahead, want.printed
	if want.err != "<nil>" && !shared {
		// Other FMUs may have begun their steps earlier, or may be unable to make any call.
		got.messages, got.order = want.messages, want.order
	}
	require.Equal(t, want, got)
	got.ahead = ahead
	return got
}

func TestCourse_GivesWhatSingleStepsGive(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		for _, shared := range []bool{false, true} {
			for _, apart := range []bool{false, true} {
				spec := cosim.Spec{Stop: 30 * timebase.Second}
				c := &chained{version: version, spec: spec, apart: apart}
				for k := range c.orders {
					c.orders[k] = []string{"DoStep log", "DoStep warning 0 150", "DoStep stamp"}
				}
				r := c.goAhead(t, shared)
				require.Equal(t, "<nil>", r.err)
				require.Equal(t, int64(300), r.result.Steps)
				require.Contains(t, r.views, "25.1 ")
				if !apart {
					require.Contains(t, r.views, "25.1 25.1 25.1 ")
				}
				want := [3]int64{}
				if shared || apart && version == 2 {
					want = [3]int64{300, 300, 300}
				}
				require.Equal(t, want, r.ahead)
				spec.Stop = 30*timebase.Second - timebase.Second/20
				last := &chained{version: version, spec: spec, apart: apart}
				require.Equal(t, int64(300), last.goAhead(t, shared).result.Steps)
				(&chained{version: version, spec: spec, apart: apart,
					every: [3]float64{0, 0.2, 0}}).goAhead(t, shared)
			}
		}
		spec := cosim.Spec{Stop: 30 * timebase.Second, Algorithm: cosim.Parallel}
		(&chained{version: version, spec: spec, apart: true}).goAhead(t, false)
		(&chained{version: version, spec: spec, apart: true}).goAhead(t, true)
	})
}

func TestCourse_EndsWhereAStepNeedsTheHost(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		for k, order := range places("error 0 %d", "fatal 0 %d", "crash 0 %d", "exit 3 %d",
			"discard 0 %d", "terminate 0 %d", "roundup 0 %d") {
			for n, step := range []int{1, 100} {
				if testing.Short() && n != k%2 {
					continue // the other step follows with the next order
				}
				c := &chained{version: version, apart: k%2 == n, plain: step == 1,
					spec: cosim.Spec{Stop: 20 * timebase.Second}}
				c.orders[k] = []string{"DoStep " + fmt.Sprintf(order, step)}
				c.goAhead(t, true)
				c.goAhead(t, false)
				// Another FMU has the same mishap later, after the end of the run.
				c.orders[(k+1)%3] = []string{"DoStep " + fmt.Sprintf(order, step+10)}
				c.goAhead(t, false)
			}
		}
	})
}

func TestCourse_GivesEachStepItsTime(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		spec := cosim.Spec{Stop: 10 * timebase.Second}
		for limit := 3 * time.Second; ; limit *= 2 { // a busy machine needs more
			c := &chained{version: version, apart: true, limit: limit, plain: true, spec: spec}
			// Together they take longer than the limit. With equal orders, the FMUs would share a
			// library that counts the calls of all of them.
			for k := range c.orders {
				c.orders[k] = []string{fmt.Sprintf("DoStep sleep %d 70",
					limit.Milliseconds()*2/5+int64(k))}
			}
			err := c.run(t, c.open(t), false, true).err
			if err == "<nil>" {
				break
			}
			require.Less(t, limit, time.Minute, err)
		}
		growing(t, func(limit time.Duration) (errs [2]string, is bool) {
			c := &chained{version: version, apart: true, limit: 4 * limit, plain: true, spec: spec}
			c.orders[1], c.unfed = []string{"DoStep hang 0 75"}, true
			fmus := c.open(t)
			for k, alone := range []bool{true, false} {
				errs[k] = c.run(t, fmus, alone, version == 2).err
			}
			return errs, errs[0] == errs[1] && strings.Contains(errs[0], fmt.Sprintf(
				"no answer within %v in fmi%dDoStep(currentCommunicationPoint=7.4, "+
					"communicationStepSize=0.1)", c.limit, version))
		})
	})
}

// TestCourse_LogsMoreThanCanWait has an FMU that logs more in a step than the host keeps.
func TestCourse_LogsMoreThanCanWait(t *testing.T) {
	t.Parallel()
	r := newRun(open(t, testfmu.Recipe{Orders: []string{"DoStep logmany 12000"}}), "out")
	r.options.LoggingOn, r.spec.Stop = true, timebase.Second/2
	require.NoError(t, r.do(t))
	count := 0
	for _, m := range r.messages {
		if strings.Contains(m.Text, "line ") {
			count++
		}
	}
	require.Equal(t, 5*12000, count)
}

// TestCourse_Ends cancels a run whose FMU is ahead.
func TestCourse_Ends(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pool := &importer.Pool{}
	i, err := open(t, testfmu.Recipe{}).NewInstance("x", pool, importer.Options{})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: timebase.EndOfTime, Step: cosim.Every(0.001)})
	e.Add("x", i)
	e.Observe(&ending{1000, cancel})
	result, err := e.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, timebase.Second, result.Reached)
	require.NoError(t, pool.Close())
	require.Equal(t, int64(1000), i.Ahead())
}

// ending ends a run after a number of rows.
type ending struct {
	left int
	end  func()
}

func (e *ending) Begin(*cosim.Result) error { return nil }
func (e *ending) End(*cosim.Result) error   { return nil }
func (e *ending) Row(timebase.Time, cosim.Row) error {
	if e.left--; e.left < 0 {
		e.end()
	}
	return nil
}
