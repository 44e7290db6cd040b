package cosim_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/cosim"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// mover has an output y = 3 + 2t, and an input u that it integrates, exactly if u is linear in a
// step, into x.
type mover struct {
	slopes  bool
	states  bool          // the slope of y
	refuses timebase.Time // longer steps are discarded, 0: none
	in, out *cosim.Frame
	x, kept float64
}

func (m *mover) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "u", Kind: cosim.Float64, Role: cosim.Input, Size: 1,
		Continuous: true},
		{Name: "y", Kind: cosim.Float64, Role: cosim.Output, Size: 1, Continuous: true},
		{Name: "x", Kind: cosim.Float64, Role: cosim.Output, Size: 1}}
}

func (m *mover) Traits() cosim.Traits {
	return cosim.Traits{VariableSteps: true, Restores: true, Keeps: true, Resets: true,
		Slopes: m.slopes}
}

func (m *mover) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	m.in, m.out = cosim.NewFrame(m.Variables(), inputs), cosim.NewFrame(m.Variables(), []int{1, 2})
	if m.states {
		m.out.Slopes = []float64{math.NaN(), math.NaN()}
	}
	return m.in, m.out, nil
}

func (m *mover) publish(t timebase.Time) {
	m.out.SetFloat(0, 0, 3+2*t.Seconds())
	m.out.SetFloat(1, 0, m.x)
}

func (m *mover) Depends(int) ([]int, bool)                { return nil, true }
func (m *mover) Enter(context.Context, cosim.Setup) error { m.x = 0; return nil }
func (m *mover) Exchange(context.Context) error           { m.publish(0); return nil }
func (m *mover) Leave(context.Context) error {
	m.publish(0)
	if m.states {
		m.out.Slopes[0] = 2
	}
	return nil
}
func (m *mover) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	h := s.Length().Seconds()
	if m.refuses != 0 && s.Length() > m.refuses {
		return cosim.Advance{Reached: s.Start, Discarded: true}, nil
	}
	if len(m.in.Ports) > 0 {
		m.x += m.in.Float(0, 0) * h
		if m.in.Slopes != nil {
			m.x += m.in.Slopes[0] * h * h / 2
		}
	}
	m.publish(s.End)
	return cosim.Advance{Reached: s.End}, nil
}
func (m *mover) Stop(context.Context) error    { return nil }
func (m *mover) Close() error                  { return nil }
func (m *mover) Save(context.Context) error    { m.kept = m.x; return nil }
func (m *mover) Restore(context.Context) error { m.x = m.kept; return nil }
func (m *mover) Reset(context.Context) error   { return nil }
func (m *mover) AppendState(_ context.Context, b []byte) ([]byte, error) {
	return state.AppendFloat64(b, m.x), nil
}
func (m *mover) RestoreState(_ context.Context, saved []byte) error {
	d := state.Decoder{Data: saved}
	m.x = d.Float64()
	return d.Done()
}

// pursuit connects y of a to u of b. In a parallel run, the participant that was added first steps
// first.
type pursuit struct {
	algorithm        cosim.Algorithm
	everyA, everyB   int
	extrapolation    cosim.Extrapolation
	refuses          timebase.Time
	steps            int
	slopes, rollback bool
	states           bool // a states the slope of y
}

// course holds the values of a signal by time.
type course struct {
	signal *cosim.Signal
	values map[timebase.Time]float64
	last   float64
}

func (c *course) Begin(*cosim.Result) error { return nil }
func (c *course) End(*cosim.Result) error   { return nil }
func (c *course) Row(t timebase.Time, _ cosim.Row) error {
	c.last = math.Float64frombits(c.signal.Cells()[0])
	c.values[t] = c.last
	return nil
}

func (p *pursuit) engine() (*cosim.Engine, *course) {
	e := cosim.New(cosim.Spec{Stop: timebase.Time(p.steps) * baseStep,
		Step: cosim.Every(baseStep.Seconds()), Algorithm: p.algorithm, Rollback: p.rollback})
	e.AddEvery("a", &mover{refuses: p.refuses, states: p.states},
		cosim.Every(float64(p.everyA)*baseStep.Seconds()))
	e.AddEvery("b", &mover{slopes: p.slopes}, cosim.Every(float64(p.everyB)*baseStep.Seconds()))
	e.ConnectAs(cosim.Connection{From: "a.y", To: "b.u", Extrapolation: p.extrapolation,
		Conversions: []cosim.Conversion{cosim.Linear(10, 1)}})
	c := &course{signal: e.Watch("b.x"), values: map[timebase.Time]float64{}}
	e.Observe(c)
	return e, c
}

// u is 10y + 1 = 31 + 20t: its integral is 31t + 10t². Once two values are known, which takes at
// most two steps of the slower one, an extrapolated ramp is exact, regardless of the rates, the
// algorithm, and whether steps are discarded.
func TestExtrapolation_ARampIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &pursuit{algorithm: rapid.SampledFrom([]cosim.Algorithm{cosim.Sequential,
			cosim.Parallel}).Draw(t, "algorithm"),
			everyA: rapid.IntRange(1, 4).Draw(t, "a"), everyB: rapid.IntRange(1, 4).Draw(t, "b"),
			extrapolation: cosim.Slope, steps: 48, slopes: true}
		if p.everyA == 1 && rapid.Bool().Draw(t, "discards") {
			p.refuses, p.rollback = baseStep/4, true
		}
		e, got := p.engine()
		r, err := e.Run(context.Background())
		require.NoError(t, err)
		require.True(t, r.Links[0].Extrapolated)
		require.Empty(t, r.Notes)
		x := func(row int) float64 { return got.values[timebase.Time(row)*baseStep] }
		want := func(row int) float64 {
			s := float64(row) * baseStep.Seconds()
			return 31*s + 10*s*s
		}
		for row := 24; row <= p.steps; row += 12 { // points of both
			require.InDelta(t, want(row)-want(12), x(row)-x(12), 1e-9)
		}
		if p.algorithm == cosim.Sequential && p.everyA == 1 {
			require.InDelta(t, want(p.steps), x(p.steps), 1e-9, "nothing lags")
		}
	})
}

// A producer that states its slope makes the ramp exact from the first step on, at all points of
// the consumer. A run that is saved and resumed extrapolates like an uninterrupted one: a state
// saved in the middle of a step of a slow producer includes its slope, too.
func TestExtrapolation_UsesTheSlopeThatTheProducerStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &pursuit{algorithm: rapid.SampledFrom([]cosim.Algorithm{cosim.Sequential,
			cosim.Parallel}).Draw(t, "algorithm"),
			everyA: rapid.IntRange(1, 4).Draw(t, "a"), everyB: rapid.IntRange(1, 4).Draw(t, "b"),
			extrapolation: cosim.Slope, steps: 24,
			slopes: true, states: true}
		if p.everyA == 1 && rapid.Bool().Draw(t, "discards") {
			p.refuses, p.rollback = baseStep/4, true
		}
		ctx := context.Background()
		first, _ := p.engine()
		require.NoError(t, first.Start(ctx))
		for range rapid.IntRange(0, p.steps-1).Draw(t, "until") {
			_, err := first.Step(ctx)
			require.NoError(t, err)
		}
		saved, err := first.AppendState(ctx, nil)
		require.NoError(t, err)
		second, got := p.engine()
		require.NoError(t, second.Resume(ctx, saved))
		for more := true; more; {
			more, err = second.Step(ctx)
			require.NoError(t, err)
		}
		for at, x := range got.values {
			if at%(timebase.Time(p.everyB)*baseStep) == 0 { // not at points where a step was halved
				s := at.Seconds()
				require.InDelta(t, 31*s+10*s*s, x, 1e-9, "%v", at)
			}
		}
	})
}

func TestExtrapolation_IsPartOfTheState(t *testing.T) {
	ctx := context.Background()
	for _, algorithm := range []cosim.Algorithm{cosim.Sequential, cosim.Parallel} {
		p := &pursuit{algorithm: algorithm, everyA: 1, everyB: 1, extrapolation: cosim.Slope,
			steps: 9, slopes: true}
		whole, want := p.engine()
		require.NoError(t, whole.Start(ctx))
		for range 4 {
			_, err := whole.Step(ctx)
			require.NoError(t, err)
		}
		saved, err := whole.AppendState(ctx, nil)
		require.NoError(t, err)
		for more := true; more; {
			more, err = whole.Step(ctx)
			require.NoError(t, err)
		}
		end := want.last
		require.NoError(t, whole.Reset(ctx))
		for more := true; more; {
			more, err = whole.Step(ctx)
			require.NoError(t, err)
		}
		require.Equal(t, end, want.last, "after a reset")
		resumed, got := p.engine()
		require.NoError(t, resumed.Resume(ctx, saved))
		for more := true; more; {
			more, err = resumed.Step(ctx)
			require.NoError(t, err)
		}
		require.Equal(t, end, got.last)
		other := *p
		other.extrapolation = cosim.Hold
		e, _ := other.engine()
		require.ErrorContains(t, e.Resume(ctx, saved), "the state of a different run")
	}
}

// Held inputs lag or lead, and the result names inputs that cannot be extrapolated.
func TestExtrapolation_HoldsWhereItHasTo(t *testing.T) {
	p := &pursuit{algorithm: cosim.Parallel, everyA: 1, everyB: 1, extrapolation: cosim.Slope,
		steps: 8}
	e, got := p.engine()
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.False(t, r.Links[0].Extrapolated)
	require.Equal(t,
		[]string{
			"not extrapolated, but held, as the input cannot take slopes or a value is not " +
				"continuous: a.y = b.u"}, r.Notes)
	held := 0.0
	for k := range p.steps {
		held += (31 + 20*float64(k)*baseStep.Seconds()) * baseStep.Seconds()
	}
	require.InDelta(t, held, got.last, 1e-9)
}

// curve provides the derivative of its output t².
type curve struct{ mover }

func (c *curve) publish(t timebase.Time) {
	c.out.SetFloat(0, 0, t.Seconds()*t.Seconds())
	c.out.Slopes[0] = 2 * t.Seconds()
}

func (c *curve) Leave(context.Context) error {
	c.publish(0)
	return nil
}

func (c *curve) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	c.publish(s.End)
	return cosim.Advance{Reached: s.End}, nil
}

// follower records the slopes that it receives.
type follower struct {
	mover
	received []float64
}

func (f *follower) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	f.received = append(f.received, f.in.Slopes[0])
	return f.mover.Step(ctx, s)
}

// TestExtrapolation_SlopesOfASlowProducer: a consumer receives the derivative that belongs to the
// value that it sees, not the one at the end of the step that the producer has already computed.
func TestExtrapolation_SlopesOfASlowProducer(t *testing.T) {
	e := cosim.New(cosim.Spec{Stop: 6 * baseStep, Step: cosim.Every(baseStep.Seconds())})
	b := &follower{mover: mover{slopes: true}}
	e.AddEvery("a", &curve{mover{states: true}}, cosim.Every(2*baseStep.Seconds()))
	e.Add("b", b)
	e.ConnectAs(cosim.Connection{From: "a.y", To: "b.u", Extrapolation: cosim.Slope})
	_, err := e.Run(t.Context())
	require.NoError(t, err)
	h := baseStep.Seconds()
	require.InDeltaSlice(t, []float64{0, 2 * h, 4 * h, 6 * h, 8 * h, 10 * h}, b.received, 1e-12)
}
