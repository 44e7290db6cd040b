package cosim_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/cosim"
	"gosmp/timebase"
)

// block is a participant: out is gain·in + bias, and lag is the input of the previous step.
type block struct {
	gain, bias float64
	in, out    *cosim.Frame
	numbers    []int
	before     float64
	log        *[]string
	name       string
	fail       string        // the method that fails
	refuse     timebase.Time // longer steps are discarded, 0: none
	sound      bool
	fixed      bool
	ends       timebase.Time
	saved      float64
	exchanges  int
	setup      cosim.Setup
}

var errBlock = errors.New("broken block")

func (b *block) note(what string) error {
	if b.log != nil {
		*b.log = append(*b.log, b.name+"."+what)
	}
	if b.fail == what {
		return errBlock
	}
	return nil
}

func (b *block) Variables() []cosim.Variable {
	return []cosim.Variable{
		{Name: "in", Kind: cosim.Float64, Role: cosim.Input, Size: 1, Continuous: true},
		{Name: "out", Kind: cosim.Float64, Role: cosim.Output, Size: 1, Continuous: true},
		{Name: "lag", Kind: cosim.Float64, Role: cosim.Output, Size: 1},
		{Name: "n", Kind: cosim.Int16, Role: cosim.Output, Size: 1},
		{Name: "wide", Kind: cosim.Int64, Role: cosim.Input, Size: 1},
		{Name: "text", Kind: cosim.String, Role: cosim.Output, Size: 1},
		{Name: "three", Kind: cosim.Float64, Role: cosim.Input, Size: 3},
	}
}
func (b *block) Traits() cosim.Traits {
	return cosim.Traits{VariableSteps: !b.fixed, Restores: true}
}
func (b *block) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	b.in, b.out, b.numbers = cosim.NewFrame(b.Variables(), inputs), cosim.NewFrame(b.Variables(),
		outputs), outputs
	return b.in, b.out, b.note("bind")
}
func (b *block) Enter(_ context.Context, s cosim.Setup) error {
	b.setup = s
	return b.note("enter")
}
func (b *block) Exchange(context.Context) error {
	b.exchanges++
	b.publish(b.value())
	return b.note("exchange")
}
func (b *block) Leave(context.Context) error { b.publish(b.value()); return b.note("leave") }
func (b *block) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if err := b.note("step"); err != nil {
		return cosim.Advance{}, err
	}
	if b.refuse != 0 && s.Length() > b.refuse {
		return cosim.Advance{Reached: s.Start, Discarded: true, Sound: b.sound}, nil
	}
	b.publish(b.value())
	if b.ends != 0 && s.End >= b.ends {
		return cosim.Advance{Reached: b.ends, Ended: true}, nil
	}
	return cosim.Advance{Reached: s.End}, nil
}
func (b *block) Stop(context.Context) error    { return b.note("stop") }
func (b *block) Close() error                  { return b.note("close") }
func (b *block) Save(context.Context) error    { b.saved = b.before; return b.note("save") }
func (b *block) Restore(context.Context) error { b.before = b.saved; return b.note("restore") }

func (b *block) value() float64 {
	if len(b.in.Ports) > 0 && b.in.Ports[0].Variable == 0 {
		return b.in.Float(0, 0)
	}
	return 0
}

func (b *block) publish(in float64) {
	for k, n := range b.numbers {
		switch n {
		case 1:
			b.out.SetFloat(k, 0, b.gain*in+b.bias)
		case 2:
			b.out.SetFloat(k, 0, b.before)
		case 3:
			b.out.SetInteger(k, 0, int64(in))
		}
	}
	b.before = in
}

func spec(steps int) cosim.Spec {
	return cosim.Spec{Stop: timebase.Time(steps) * timebase.Second, Step: cosim.Every(1)}
}

func csvOf(e *cosim.Engine, names ...string) *bytes.Buffer {
	var signals []*cosim.Signal
	for _, name := range names {
		signals = append(signals, e.Watch(name))
	}
	var b bytes.Buffer
	e.Observe(cosim.NewRecorder(&b, signals...))
	return &b
}

func TestEvery_PointsAreRoundedOnceAndNeverSummed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom([]float64{1.0 / 3, 0.1, 0.02, 1e-3, 1.0 / 7, 0.001234567, 1, 2.5, 20,
			100. / 3, 3600.1, 1e6 + 0.1, 1e9}).Draw(t, "h")
		k := rapid.Int64Range(0, int64(min(1_000_000, 8e9/h))).Draw(t, "k")
		start := timebase.Time(rapid.Int64Range(-1e18, 1e18).Draw(t, "start"))
		exact, _ := new(big.Rat).SetString(cosim.Every(h).Rational().String())
		exact.Mul(exact, big.NewRat(k*1_000_000_000, 1))
		got := new(big.Rat).SetInt64(int64(cosim.Every(h).Point(start, k) - start))
		off, _ := got.Sub(got, exact).Float64()
		require.LessOrEqual(t, math.Abs(off), 0.501)
	})
	require.Equal(t, timebase.EndOfTime, cosim.Every(1e9).Point(0, 1e15))
	for _, h := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-10} {
		require.True(t, cosim.Every(h).IsZero(), h)
	}
}

func TestRun_ChainHasNoDelayWhateverTheOrderOfAdd(t *testing.T) {
	for _, names := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "c", "a"}} {
		e := cosim.New(spec(2))
		for _, name := range names {
			e.Add(name, &block{gain: 2, bias: map[string]float64{"a": 1}[name]})
		}
		e.Connect("a.out", "b.in")
		e.Connect("b.out", "c.in")
		b := csvOf(e, "c.out")
		r, err := e.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, "\"time\",\"c.out\"\n0.0,4.0\n1.0,4.0\n2.0,4.0\n", b.String())
		require.Equal(t, []string{"a", "b", "c"}, r.Order)
		require.Empty(t, r.Cuts)
	}
}

func TestRun_CycleIsCutWhereItWasAddedFirstAndSettlesAtTheStart(t *testing.T) {
	e := cosim.New(spec(1))
	first, second := &block{gain: 0.5, bias: 1}, &block{gain: 0.5}
	e.Add("first", first)
	e.Add("second", second)
	e.Connect("first.out", "second.in")
	e.Connect("second.out", "first.in")
	b := csvOf(e, "first.out")
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"second.out = first.in"}, r.Cuts)
	require.Greater(t, first.exchanges, 5)
	require.Contains(t, b.String(), "\n0.0,1.33333333", "x = 1 + x/4")
}

func TestRun_ConvertsAndScales(t *testing.T) {
	e := cosim.New(spec(1))
	e.Add("a", &block{bias: 20})
	e.Add("b", &block{gain: 1})
	e.Add("c", &block{gain: 1})
	e.ConnectAs(cosim.Connection{From: "a.out", To: "b.in",
		Conversions: []cosim.Conversion{cosim.Linear(2, 273)}})
	e.Connect("a.n", "c.wide")
	b := csvOf(e, "b.out")
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Contains(t, b.String(), "\n1.0,313.0\n")
}

func TestRun_RefusesBeforeAnythingStarts(t *testing.T) {
	for want, connect := range map[string]func(e *cosim.Engine){
		`found "a.outt", expected participant.variable, such as a.out`: func(e *cosim.Engine) {
			e.Connect("a.outt", "b.in")
		},
		"found b.out is not an input, expected an input": func(e *cosim.Engine) {
			e.Connect("a.out", "b.out")
		},
		"found String, expected Float64 or a type that fits into it": func(e *cosim.Engine) {
			e.Connect("a.text", "b.in")
		},
		"found Float64, expected Int64 or a type that fits into it": func(e *cosim.Engine) {
			e.Connect("a.out", "b.wide")
		},
		"found 1 elements, expected 3": func(e *cosim.Engine) {
			e.Connect("a.out", "b.three")
		},
		"a second connection, the first one is from a.out": func(e *cosim.Engine) {
			e.Connect("a.out", "b.in")
			e.Connect("a.lag", "b.in")
		},
		`found "a", expected a name different from all other participants`: func(e *cosim.Engine) {
			e.Add("a", &block{})
		},
	} {
		var log []string
		e := cosim.New(spec(1))
		e.Add("a", &block{name: "a", log: &log})
		e.Add("b", &block{name: "b", log: &log})
		connect(e)
		_, err := e.Run(context.Background())
		require.ErrorContains(t, err, want)
		require.Equal(t, []string{"a.close", "b.close"}, log[:2])
	}
	for want, s := range map[string]cosim.Spec{
		"step size": {Stop: 1}, "stop time": {Stop: -1, Step: cosim.Every(1)}, "speed": {Speed: -1,
			Step: cosim.Every(1)}} {
		_, err := cosim.New(s).Run(context.Background())
		require.ErrorIs(t, err, cosim.ErrSpec)
		require.ErrorContains(t, err, want)
	}
}

func TestRun_AfterAnErrorTheOthersAreStoppedAndAllClosed(t *testing.T) {
	for method, want := range map[string]string{
		"bind":  "a.bind a.close b.close",
		"enter": "a.bind b.bind a.enter a.close b.close",
		"leave": "a.bind b.bind a.enter b.enter a.exchange b.exchange a.leave b.stop " +
			"a.close b.close",
		"step": "a.bind b.bind a.enter b.enter a.exchange b.exchange a.leave b.leave a.step " +
			"b.stop a.close b.close",
	} {
		var log []string
		e := cosim.New(spec(3))
		e.Add("a", &block{name: "a", log: &log, fail: method})
		e.Add("b", &block{name: "b", log: &log})
		e.Connect("a.out", "b.in")
		r, err := e.Run(context.Background())
		require.ErrorIs(t, err, errBlock)
		var run *cosim.RunError
		require.ErrorAs(t, err, &run)
		require.Equal(t, "a", run.Participant)
		require.Equal(t, want, strings.Join(log, " "))
		require.Equal(t, err, r.Cause)
	}
}

func TestRun_LastStepIsShortenedOrLeftOut(t *testing.T) {
	s := cosim.Spec{Stop: 1050 * timebase.Millisecond, Step: cosim.Every(0.1)}
	e := cosim.New(s)
	e.Add("a", &block{})
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, []any{int64(11), true, false, s.Stop}, []any{r.Steps, r.Shortened, r.Early,
		r.Reached})
	e = cosim.New(s)
	e.Add("a", &block{fixed: true})
	r, err = e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, []any{int64(10), false, true, timebase.Second}, []any{r.Steps, r.Shortened,
		r.Early, r.Reached})
}

func TestRun_DiscardedStepGoesBackForAll(t *testing.T) {
	var log []string
	s := spec(1)
	s.Rollback = true
	e := cosim.New(s)
	e.Add("a", &block{name: "a", log: &log})
	e.Add("b", &block{name: "b", refuse: 300 * timebase.Millisecond})
	e.Connect("a.out", "b.in")
	b := csvOf(e, "b.lag")
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, int64(1), r.Steps)
	require.Equal(t, 5, strings.Count(b.String(), "\n")-1, "0, 0.25, 0.5, 0.75, 1")
	require.Contains(t, strings.Join(log, " "),
		"a.step a.restore a.save a.step a.restore a.save a.step")

	e = cosim.New(spec(1))
	e.Add("a", &block{refuse: timebase.Millisecond})
	_, err = e.Run(context.Background())
	require.ErrorIs(t, err, cosim.ErrDiscarded)
	require.ErrorContains(t, err, "a: at 0.0 s, step 1: step discarded")
}

// A participant that ends in a step that another participant discards also goes back, so it has not
// ended.
func TestRun_DiscardedStepTakesAnEndBack(t *testing.T) {
	for _, algorithm := range []cosim.Algorithm{cosim.Sequential, cosim.Parallel} {
		s := spec(2)
		s.Rollback, s.Algorithm = true, algorithm
		e := cosim.New(s)
		e.Add("a", &block{name: "a", ends: 900 * timebase.Millisecond})
		e.Add("b", &block{name: "b", refuse: 300 * timebase.Millisecond})
		r, err := e.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, "a", r.EndedBy)
		require.Equal(t, 900*timebase.Millisecond, r.Reached)
	}
}

// hollow has arrays without elements.
type hollow struct{ plant }

func (*hollow) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "bytes", Kind: cosim.Binary, Role: cosim.Output},
		{Name: "numbers", Kind: cosim.Float64, Role: cosim.Output}}
}

func (h *hollow) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	return cosim.NewFrame(h.Variables(), inputs), cosim.NewFrame(h.Variables(), outputs), nil
}

func TestSignal_FirstOfAnEmptyArray(t *testing.T) {
	e := cosim.New(spec(2))
	e.Add("a", &hollow{})
	bytes, numbers := e.Watch("a.bytes"), e.Watch("a.numbers")
	m := cosim.NewMessages(io.Discard, bytes)
	e.Observe(m)
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Zero(t, m.Count)
	_, blob := bytes.First()
	require.Nil(t, blob)
	cell, _ := numbers.First()
	require.Zero(t, cell)
}

func TestRun_EndedByAParticipant(t *testing.T) {
	e := cosim.New(spec(5))
	e.Add("a", &block{ends: 2500 * timebase.Millisecond})
	b := csvOf(e, "a.out")
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, "a", r.EndedBy)
	require.Equal(t, 2500*timebase.Millisecond, r.Reached)
	require.True(t, strings.HasSuffix(b.String(), "\n2.0,0.0\n2.5,0.0\n"))
}

// tape is a time source that a test controls.
type tape struct {
	now   timebase.Time
	waits []timebase.Time
}

func (t *tape) Now() timebase.Time { return t.now }
func (t *tape) Wait(_ <-chan struct{}, d timebase.Duration, _ <-chan struct{}) {
	t.waits = append(t.waits, d)
	t.now += d
}

func TestRun_KeepsToTheSpeedOfTheClock(t *testing.T) {
	s, clock := spec(3), &tape{}
	s.Speed, s.Clock = 2, clock
	e := cosim.New(s)
	e.Add("a", &block{})
	r, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, []timebase.Time{timebase.Second / 2, timebase.Second / 2, timebase.Second / 2},
		clock.waits)
	require.Equal(t, &timebase.Lag{}, r.Lag)
}

// slow is a participant whose steps take a time of a clock.
type slow struct {
	block
	clock *tape
	takes timebase.Duration
}

func (s *slow) Step(ctx context.Context, span timebase.Span) (cosim.Advance, error) {
	s.clock.now += s.takes
	return s.block.Step(ctx, span)
}

// slowRows is an observer that takes as long.
type slowRows struct{ slow }

func (r *slowRows) Begin(*cosim.Result) error { return nil }
func (r *slowRows) Row(timebase.Time, cosim.Row) error {
	r.clock.now += r.takes
	return nil
}
func (r *slowRows) End(*cosim.Result) error { return nil }

// TestRun_NamesWhatKeepsItFromItsSpeed: once, with the participant or the rest of the run that
// takes most of the time.
func TestRun_NamesWhatKeepsItFromItsSpeed(t *testing.T) {
	for _, c := range []struct {
		a, b, rows timebase.Duration
		slowest    string
	}{{300, 900, 100, "b"}, {600, 400, 300, "a"}, {300, 300, 700,
		"charts, recordings, views and bridges"}} {
		s, clock := spec(4), &tape{}
		var told []timebase.Delay
		s.Speed, s.Clock = 1, clock
		s.Behind = func(d timebase.Delay) { told = append(told, d) }
		e := cosim.New(s)
		e.Add("a", &slow{clock: clock, takes: c.a * timebase.Millisecond})
		e.Add("b", &slow{clock: clock, takes: c.b * timebase.Millisecond})
		e.Observe(&slowRows{slow{clock: clock, takes: c.rows * timebase.Millisecond}})
		r, err := e.Run(t.Context())
		require.NoError(t, err)
		require.Len(t, told, 1)
		total := c.a + c.b + c.rows
		require.Equal(t, c.slowest, told[0].Slowest)
		require.InDelta(t, float64(max(c.a, c.b, c.rows))/float64(total), told[0].Share, 1e-9)
		late := float64(4*(total-1000)) / 1000
		require.Equal(t, &timebase.Lag{Largest: late, At: 4, Last: late}, r.Lag)
	}
}

// resettable is a slow participant that can be reset.
type resettable struct{ slow }

func (*resettable) Reset(context.Context) error { return nil }
func (r *resettable) Traits() cosim.Traits {
	traits := r.slow.Traits()
	traits.Resets = true
	return traits
}

// lagging returns a started run at the speed of a clock, with two participants.
func lagging(t *testing.T) (e *cosim.Engine, a, b *resettable, told *[]timebase.Delay) {
	t.Helper()
	s, clock := spec(100), &tape{}
	told = &[]timebase.Delay{}
	s.Speed, s.Clock = 1, clock
	s.Behind = func(d timebase.Delay) { *told = append(*told, d) }
	e = cosim.New(s)
	a, b = &resettable{slow{clock: clock}}, &resettable{slow{clock: clock}}
	e.Add("a", a)
	e.Add("b", b)
	require.NoError(t, e.Start(t.Context()))
	return e, a, b, told
}

func steps(t *testing.T, e *cosim.Engine, n int) {
	t.Helper()
	for range n {
		_, err := e.Step(t.Context())
		require.NoError(t, err)
	}
}

// TestPause_ForgetsWhatTookTimeBefore: the participant that was slow before a pause is not to blame
// for a delay after it.
func TestPause_ForgetsWhatTookTimeBefore(t *testing.T) {
	e, a, b, told := lagging(t)
	a.takes = 1010 * timebase.Millisecond
	steps(t, e, 7)
	require.Empty(t, *told)
	e.Pause()
	a.takes, b.takes = 0, 1200*timebase.Millisecond
	steps(t, e, 1)
	require.Len(t, *told, 1)
	require.Equal(t, "b", (*told)[0].Slowest)
	require.InDelta(t, 1, (*told)[0].Share, 1e-9)
	_, err := e.Finish(t.Context())
	require.NoError(t, err)
}

// TestReset_ForgetsTheLag: a run that is reset has no lag, and its next one is reported.
func TestReset_ForgetsTheLag(t *testing.T) {
	e, a, _, told := lagging(t)
	for n := range 2 {
		a.takes = 1200 * timebase.Millisecond
		steps(t, e, 1)
		require.Len(t, *told, n+1)
		require.Equal(t, "a", (*told)[n].Slowest)
		a.takes = 0
		require.NoError(t, e.Reset(t.Context()))
	}
	r, err := e.Finish(t.Context())
	require.NoError(t, err)
	require.Equal(t, &timebase.Lag{}, r.Lag)
}

func TestRun_TraceHashIsThatOfTheValues(t *testing.T) {
	sum := func(bias float64) string {
		e := cosim.New(spec(3))
		e.Add("a", &block{bias: bias})
		h := cosim.NewHash(e.Watch("a.out"))
		e.Observe(h)
		_, err := e.Run(context.Background())
		require.NoError(t, err)
		return h.Sum()
	}
	require.Equal(t, sum(1), sum(1))
	require.NotEqual(t, sum(1), sum(math.Nextafter(1, 2)))
}

func TestRun_NothingIsAllocatedInAStep(t *testing.T) {
	allocations := func(steps int) float64 {
		return testing.AllocsPerRun(3, func() {
			e := cosim.New(spec(steps))
			e.Add("a", &block{gain: 1, bias: 0.1})
			e.Add("b", &block{gain: 1})
			e.Connect("a.out", "b.in")
			e.Observe(cosim.NewRecorder(discard{}, e.Watch("b.out")))
			_, err := e.Run(context.Background())
			require.NoError(t, err)
		})
	}
	require.InDelta(t, allocations(10), allocations(1000), 3)
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func TestReadTable_InterpolatesHoldsAndJumps(t *testing.T) {
	known := []cosim.Variable{{Name: "x", Kind: cosim.Float64, Size: 1, Continuous: true},
		{Name: "n", Kind: cosim.Int32, Size: 1},
		{Name: "v", Kind: cosim.Float64, Size: 2}, {Name: "s", Kind: cosim.String, Size: 1},
		{Name: "b", Kind: cosim.Binary, Size: 1},
		{Name: "f", Kind: cosim.Boolean, Size: 1}}
	table,
		err := cosim.ReadTable(strings.NewReader(
		"\"time\",\"x\",\"n\",\"v\",\"s\",\"b\",\"f\"\n1,0,1,1 2,a,00ff,True\n2,10,2,3 "+
			"4,\"b,c\",,0\n2,20,3,5 6,d,01,1.0\n4,40,4,7 8,e,02,false\n"),
		"in.csv", known)
	require.NoError(t, err)
	f, err := table.Bind([]int{0, 1, 2, 3, 4, 5})
	require.NoError(t, err)
	for _, c := range []struct {
		t, x float64
		n    int64
		v    float64
		s    string
		b    string
		f    int64
	}{{0, 0, 1, 2, "a", "\x00\xff", 1}, {1, 0, 1, 2, "a", "\x00\xff", 1}, {1.5, 5, 1, 2, "a",
		"\x00\xff", 1}, {2, 20, 3, 6, "d", "\x01", 1}, {3, 30, 3, 6, "d", "\x01", 1}, {9, 40, 4, 8,
		"e", "\x02", 0}} {
		at, err := timebase.FromSeconds(c.t)
		require.NoError(t, err)
		require.NoError(t, table.At(at))
		require.Equal(t, c.x, f.Float(0, 0))
		require.Equal(t, c.n, f.Integer(1, 0))
		require.Equal(t, c.v, f.Float(2, 1))
		require.Equal(t, c.s, string(f.Blob(3, 0)))
		require.Equal(t, c.b, string(f.Blob(4, 0)))
		require.Equal(t, c.f, f.Integer(5, 0))
	}
}

func TestReadTable_NamesThePlaceOfMistakes(t *testing.T) {
	known := []cosim.Variable{{Name: "speed", Kind: cosim.Float64, Size: 1},
		{Name: "n", Kind: cosim.Int8, Size: 1}, {Name: "v", Kind: cosim.Float64, Size: 2}}
	for text, want := range map[string]string{
		"":             "in.csv: unusable table: found an empty file",
		"time,speed\n": "in.csv: unusable table: found no row",
		"t,speed\n": `in.csv:1:1: unusable table: found "t", expected "time" as ` +
			`the first column`,
		"time,spede\n": `in.csv:1:6: unknown name: found "spede", expected an input; did ` +
			`you mean "speed"?`,
		"time,speed,speed\n": `in.csv:1:12: unusable table: found "speed" again`,
		"time,speed\nx,1\n": `in.csv:2:1: unusable table: found "x", expected a ` +
			`time in seconds`,
		"time,speed\n1,1\n0,1\n": "in.csv:3:1: unusable table: found 0 s after 1.0 s",
		"time,speed\n1,one\n": `in.csv:2:3: unusable table: found "one", expected a value ` +
			`of type Float64`,
		"time,n\n1,128\n": `in.csv:2:3: unusable table: found "128", expected a ` +
			`value of type Int8`,
		"time,v\n1,1\n":         "in.csv:2:3: unusable table: found 1 elements, expected 2",
		"time,speed\n1\n":       "in.csv:2:1: unusable table: found 1 field, expected 2",
		"time,speed\n1,\"a\n":   "in.csv:2",
		"time,speed\nnan,1\n":   `in.csv:2:1: unusable table: found "nan"`,
		"time,speed\n1e300,1\n": `in.csv:2:1: unusable table: found "1e300"`,
		"time,n\n1,-129\n":      `found "-129"`,
	} {
		_, err := cosim.ReadTable(strings.NewReader(text), "in.csv", known)
		require.ErrorContains(t, err, want)
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add("time,speed\n1,2\n")
	f.Add("\"time\",v\n0,1 2\n0,3 4\n")
	known := []cosim.Variable{{Name: "speed", Kind: cosim.Float64, Size: 1, Continuous: true},
		{Name: "v", Kind: cosim.UInt8, Size: 2}}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := cosim.ReadTable(strings.NewReader(text), "x", known)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		all := make([]int, len(table.Variables()))
		for k := range all {
			all[k] = k
		}
		_, err = table.Bind(all)
		require.NoError(t, err)
		for _, at := range []timebase.Time{-1, 0, timebase.Second, timebase.EndOfTime} {
			require.NoError(t, table.At(at))
		}
	})
}
