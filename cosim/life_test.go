package cosim_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// The caller steps an engine itself, and may read values and set inputs between two steps, and
// return to a saved state.
func ExampleEngine_Step() {
	ctx := context.Background()
	e := cosim.New(cosim.Spec{Stop: 3 * timebase.Second, Step: cosim.Every(1)})
	e.Add("tank", &plant{weights: []float64{1}, direct: []float64{0}})
	valve, level := e.Drive("tank.u0"), e.Watch("tank.y0")
	if err := e.Start(ctx); err != nil {
		fmt.Println(err)
	}
	saved, err := e.AppendState(ctx, nil)
	for more := err == nil; more; {
		if e.Now() == timebase.Second {
			valve.SetFloat(0, 2)
		}
		if more, err = e.Step(ctx); err != nil {
			break
		}
		fmt.Printf("%v s: %.2f\n", e.Now().Seconds(), math.Float64frombits(level.Cells()[0]))
	}
	if err := e.RestoreState(ctx, saved); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%v s: %.2f\n", e.Now().Seconds(), math.Float64frombits(level.Cells()[0]))
	result, err := e.Finish(ctx)
	fmt.Println(result.Steps, err)
	// Output:
	// 1 s: 1.00
	// 2 s: 3.70
	// 3 s: 5.59
	// 0 s: 0.00
	// 0 <nil>
}

func TestEngine_LifeCycleIsKept(t *testing.T) {
	ctx := context.Background()
	e, _, _ := (&network{plants: make([]plant, 1), every: []int{1}, steps: 2}).engine(1)
	_, err := e.Step(ctx)
	require.ErrorIs(t, err, cosim.ErrSpec)
	require.ErrorContains(t, err, "Step of a run that has not started")
	_, err = e.AppendState(ctx, nil)
	require.ErrorIs(t, err, cosim.ErrSpec)
	require.NoError(t, e.Start(ctx))
	require.ErrorContains(t, e.Start(ctx), "a run that was already started")
	for range 4 {
		_, err = e.Step(ctx)
		require.NoError(t, err, "a step after the last one does nothing")
	}
	r, err := e.Finish(ctx)
	require.NoError(t, err)
	require.Equal(t, int64(2), r.Steps)
	_, err = e.Finish(ctx)
	require.NoError(t, err)
	_, err = e.Step(ctx)
	require.ErrorContains(t, err, "has ended")
}

func TestStep_ReturnsTheCauseOfABrokenRunAgain(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	e, _, plants := (&network{plants: make([]plant, 1), every: []int{1}, steps: 2}).engine(1)
	require.NoError(t, e.Start(ctx))
	cancel(cause)
	for range 2 {
		more, err := e.Step(ctx)
		require.False(t, more)
		require.ErrorIs(t, err, cause)
	}
	_, err := e.Finish(ctx)
	require.ErrorIs(t, err, cause)
	require.True(t, plants[0].closed)
}

func TestReset_StartsAgain(t *testing.T) {
	ctx := context.Background()
	n := &network{plants: []plant{{weights: []float64{0.5}, direct: []float64{0.1}, start: 3},
		{weights: []float64{0.5}, direct: []float64{0}, start: 1}},
		every: []int{2, 1}, steps: 5, wires: []wire{{0, 0, 1, 0}, {1, 0, 0, 0}}}
	e, got, _ := n.engine(1)
	require.NoError(t, e.Start(ctx))
	for range 3 {
		_, err := e.Step(ctx)
		require.NoError(t, err)
	}
	require.NoError(t, e.Reset(ctx))
	require.Zero(t, e.Now())
	for more := true; more; {
		var err error
		more, err = e.Step(ctx)
		require.NoError(t, err)
	}
	r, err := e.Finish(ctx)
	require.NoError(t, err)
	require.Equal(t, int64(5), r.Steps)
	require.Equal(t, got.rows[:4], got.rows[4:8], "the first rows again")
	require.Len(t, got.rows, 10)
}

func TestRestoreState_RefusesOtherRunsAndDamage(t *testing.T) {
	ctx := context.Background()
	n := &network{plants: []plant{{direct: []float64{0}}}, every: []int{1}, steps: 2}
	e, _, _ := n.engine(1)
	require.NoError(t, e.Start(ctx))
	saved, err := e.AppendState(ctx, nil)
	require.NoError(t, err)
	for k := range saved {
		damaged := append([]byte{}, saved...)
		damaged[k] ^= 1
		require.ErrorIs(t, e.RestoreState(ctx, damaged), state.ErrState)
		require.ErrorIs(t, e.RestoreState(ctx, saved[:k]), state.ErrState)
	}
	require.NoError(t, e.RestoreState(ctx, saved), "the run continues")
	n.algorithm = cosim.Parallel
	other, _, _ := n.engine(1)
	err = other.Resume(ctx, saved)
	require.ErrorIs(t, err, state.ErrState)
	require.ErrorContains(t, err, "the state of a different run")
	_, err = other.Finish(ctx)
	require.ErrorIs(t, err, state.ErrState)
}

func TestAppendState_NamesAParticipantThatCannot(t *testing.T) {
	ctx := context.Background()
	e := cosim.New(spec(1))
	e.Add("a", &block{})
	require.NoError(t, e.Start(ctx))
	_, err := e.AppendState(ctx, nil)
	require.ErrorContains(t, err, "a: ")
	require.ErrorContains(t, err, "a participant whose state cannot be saved")
	require.ErrorContains(t, e.Reset(ctx), "a participant that cannot be reset")
	_, err = e.Finish(ctx)
	require.NoError(t, err)
}

func TestDrive_RefusesWhatIsNotFree(t *testing.T) {
	for want, prepare := range map[string]func(e *cosim.Engine){
		"a second connection, the first one is from outside": func(e *cosim.Engine) {
			e.Drive("a.in")
			e.Connect("a.out", "a.in")
		},
		"found a variable that is not an input": func(e *cosim.Engine) { e.Drive("a.out") },
		`found "a.inn", expected participant.variable, such as a.in`: func(e *cosim.Engine) {
			e.Drive("a.inn")
		},
	} {
		e := cosim.New(spec(1))
		e.Add("a", &block{})
		prepare(e)
		_, err := e.Run(context.Background())
		require.ErrorContains(t, err, want)
	}
}

func TestRun_RefusesStepsThatAreNotMultiples(t *testing.T) {
	for _, h := range []float64{0.25, 0.1, 0.15, 0.2000001} {
		e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
		e.AddEvery("slow", &block{}, cosim.Every(h))
		_, err := e.Run(context.Background())
		if h == 0.1 {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, cosim.ErrSpec)
		require.ErrorContains(t, err, fmt.Sprintf("slow: impossible run: found a step of %v s, "+
			"expected a multiple of the base step of 0.1 s", h))
	}
}

func TestRun_SlowParticipantsThatDoNotShortenEndTheRunEarly(t *testing.T) {
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	e.Add("fast", &block{})
	slow := &block{fixed: true}
	e.AddEvery("slow", slow, cosim.Every(0.3))
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.True(t, r.Early)
	require.Equal(t, 900*timebase.Millisecond, r.Reached)
	require.InDelta(t, 0.3, slow.setup.Step.Seconds(), 1e-15)
	require.Equal(t, []cosim.Rate{{"fast", 1, 0.1}, {"slow", 3, 0.3}}, r.Rates)
}

func TestRun_ASlowStepThatIsRefusedIsHalvedAlone(t *testing.T) {
	s := cosim.Spec{Stop: 8 * timebase.Second, Step: cosim.Every(1), Rollback: true}
	for _, a := range []cosim.Algorithm{cosim.Sequential, cosim.Parallel} {
		s.Algorithm = a
		e := cosim.New(s)
		fast, slow := &plant{weights: []float64{1}, direct: []float64{0}},
			&plant{weights: []float64{1}, direct: []float64{0},
				refuses: 1500 * timebase.Millisecond}
		e.Add("fast", fast)
		e.AddEvery("slow", slow, cosim.Every(4))
		e.Connect("fast.y0", "slow.u0")
		e.Connect("slow.y0", "fast.u0")
		r, err := e.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, int64(8), r.Steps)
		require.Len(t, slow.spans, 8)
		for k, span := range slow.spans {
			require.Equal(t,
				timebase.Span{Start: timebase.Time(k) * timebase.Second,
					End: timebase.Time(k+1) * timebase.Second}, span)
		}
	}
}

func TestRun_NamesALoopThatDoesNotSettle(t *testing.T) {
	e := cosim.New(spec(1))
	e.Add("a", &block{gain: 2, bias: 1})
	e.Add("b", &block{gain: 2})
	e.Add("c", &block{gain: 1})
	e.Connect("a.out", "b.in")
	e.Connect("b.out", "a.in")
	e.Connect("b.out", "c.in")
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t,
		[]cosim.Loop{{Connections: []string{"a.out = b.in", "b.out = a.in"}, Rounds: 100}}, r.Loops)
	require.Equal(t, []string{"the values of a loop still change after 100 iterations of " +
		"the initialization: a.out = b.in, b.out = a.in"}, r.Notes)
	require.Equal(t,
		[]cosim.Link{{"a.out", "b.in", false, false, false}, {"b.out", "a.in", true, false, false},
			{"b.out", "c.in", false, false, false}}, r.Links)
}

func TestRun_ACycleWithoutDirectDependenciesIsNotALoop(t *testing.T) {
	n := &network{plants: []plant{{weights: []float64{0.5}, direct: []float64{0, 2}, start: 3},
		{weights: []float64{0.5}, direct: []float64{0}, start: 1}},
		every: []int{1, 1}, steps: 1, wires: []wire{{0, 1, 1, 0}, {1, 0, 0, 0}}}
	e, got, _ := n.engine(1)
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Empty(t, r.Loops)
	require.Len(t, r.Cuts, 1)
	require.Equal(t, []float64{3, 8, 1}, got.rows[0], "y1 = 2·3 + 2·u0, u0 = 1")
}

func TestRun_InParallelTheFirstFailureInOrderCounts(t *testing.T) {
	s := spec(3)
	s.Algorithm, s.Threads = cosim.Parallel, 3
	e := cosim.New(s)
	var log []string
	e.Add("good", &block{name: "good", log: &log})
	e.Add("b", &block{fail: "step"})
	e.Add("c", &block{fail: "step"})
	r, err := e.Run(context.Background())
	var run *cosim.RunError
	require.ErrorAs(t, err, &run)
	require.Equal(t, []any{"b", int64(1), int64(0)}, []any{run.Participant, run.Step, r.Steps})
	require.Contains(t, log, "good.stop")
}

func TestRun_ParallelChainLagsByAStepForEachLink(t *testing.T) {
	s := spec(3)
	s.Algorithm = cosim.Parallel
	e := cosim.New(s)
	ramp, err := cosim.ReadTable(strings.NewReader("time,t\n0,0\n9,9\n"), "ramp.csv",
		[]cosim.Variable{{Name: "t", Kind: cosim.Float64, Size: 1, Continuous: true}})
	require.NoError(t, err)
	e.AddSource("ramp", ramp)
	e.Add("a", &block{gain: 1})
	e.Add("b", &block{gain: 1})
	e.Connect("ramp.t", "a.in")
	e.Connect("a.out", "b.in")
	b := csvOf(e, "a.out", "b.out")
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t,
		"\"time\",\"a.out\",\"b.out\"\n0.0,0.0,0.0\n1.0,0.0,0.0\n2.0,1.0,0.0\n3.0,2.0,1.0\n",
		b.String())
	require.Equal(t,
		[]cosim.Link{{"ramp.t", "a.in", false, false, false},
			{"a.out", "b.in", true, false, false}}, r.Links)
	require.Empty(t, r.Cuts)
}

// resetting is a plant whose Reset may fail, and that notes the call of Stop.
type resetting struct {
	plant
	able, stopped bool
	fail          error
}

func (r *resetting) Traits() cosim.Traits {
	return cosim.Traits{VariableSteps: true, Resets: r.able}
}
func (r *resetting) Reset(context.Context) error { r.x = 0; return r.fail }
func (r *resetting) Stop(context.Context) error  { r.stopped = true; return nil }

// TestReset_Fails: a participant that could not be reset is not stopped, only closed, and the run
// has ended. One that has the method but not the ability is refused before the others are reset.
func TestReset_Fails(t *testing.T) {
	ctx := context.Background()
	for _, able := range []bool{true, false} {
		cause := errors.New("no way back")
		p := &resetting{plant: plant{direct: []float64{0}}, able: able, fail: cause}
		e := cosim.New(spec(1))
		e.Add("a", p)
		require.NoError(t, e.Start(ctx))
		err := e.Reset(ctx)
		if !able {
			require.ErrorContains(t, err, "a participant that cannot be reset")
			_, err = e.Finish(ctx)
			require.NoError(t, err)
			require.True(t, p.stopped)
			continue
		}
		require.ErrorIs(t, err, cause)
		more, err := e.Step(ctx)
		require.False(t, more)
		require.ErrorIs(t, err, cause)
		r, err := e.Finish(ctx)
		require.ErrorIs(t, err, cause)
		require.ErrorIs(t, r.Cause, cause)
		require.False(t, p.stopped, "its state is unknown")
		require.True(t, p.closed)
	}
}

// TestStep_NoMoreWithAnError: a caller who only looks at more stops, too.
func TestStep_NoMoreWithAnError(t *testing.T) {
	ctx := context.Background()
	e := cosim.New(spec(3))
	e.Add("a", &block{fail: "step"})
	more, err := e.Step(ctx)
	require.ErrorIs(t, err, cosim.ErrSpec)
	require.False(t, more)
	require.NoError(t, e.Start(ctx))
	more, err = e.Step(ctx)
	require.ErrorIs(t, err, errBlock)
	require.False(t, more)
	_, err = e.Finish(ctx)
	require.ErrorIs(t, err, errBlock)
}

// TestReset_ForgetsTheEnd: a run that was reset is neither shortened nor early, until it is again.
func TestReset_ForgetsTheEnd(t *testing.T) {
	ctx := context.Background()
	for step, shortened := range map[float64]bool{0.75: true, 0.5: false} {
		e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(step)})
		e.Add("a", &plant{direct: []float64{0}})
		require.NoError(t, e.Start(ctx))
		for more := true; more; {
			var err error
			more, err = e.Step(ctx)
			require.NoError(t, err)
		}
		require.NoError(t, e.Reset(ctx))
		r, err := e.Finish(ctx)
		require.NoError(t, err)
		require.False(t, r.Shortened)
		require.False(t, r.Early)
		whole, err := run(step)
		require.NoError(t, err)
		require.Equal(t, shortened, whole.Shortened, "only a last step that the stop time cuts")
	}
}

func run(step float64) (*cosim.Result, error) {
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(step)})
	e.Add("a", &plant{direct: []float64{0}})
	return e.Run(context.Background())
}
