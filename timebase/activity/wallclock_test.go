package activity

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// handClock is real time that passes only during waits and work.
type handClock struct {
	now    timebase.Time
	waits  int
	onWait func(c *handClock) // an external event
}

func (c *handClock) Now() timebase.Time { return c.now }

func (c *handClock) Wait(done <-chan struct{}, d timebase.Duration, wake <-chan struct{}) {
	c.waits++
	if c.onWait != nil {
		c.onWait(c)
	}
	select {
	case <-done:
	case <-wake:
	default:
		c.now += d
	}
}

func (r *rig) wall(spec WallSpec) *WallClock {
	r.t.Helper()
	c, err := NewWallClock(r.node, spec)
	require.NoError(r.t, err)
	return c
}

func TestWallClockFiresWhenRealTimePasses(t *testing.T) {
	for _, speed := range []float64{0, 1, 2, 0.5, 4} {
		r := newRig(t, NodeSpec{})
		source := &handClock{now: 77 * timebase.Second}
		var at []timebase.Time
		a := r.module.Activity(
			"a",
			Spec{
				Trigger: r.module.PeriodicAlarm("alarm", 0, 20*tick),
				Work: func(c Cycle) error {
					at = append(at, source.now-77*timebase.Second)
					return nil
				},
			},
		)
		a.SwitchOn(0)
		clock := r.wall(WallSpec{Source: source, Speed: speed})
		require.Equal(t, timebase.Time(0), clock.Now())
		require.NoError(t, clock.Run(context.Background(), 60*tick))
		require.Equal(t, 60*tick, clock.Now())
		if speed == 0 {
			speed = 1
		}
		period := timebase.Time(float64(20*tick) / speed)
		require.Equal(t, []timebase.Time{0, period, 2 * period}, at)
		require.Equal(t, Timing{Count: 3, buckets: [64]uint64{3}}, clock.Lateness())
		require.NoError(
			t,
			clock.Run(context.Background(), 61*tick),
			"a second run continues where the first ended",
		)
		require.Equal(t, []timebase.Time{0, period, 2 * period, 3 * period}, at)
		require.EqualValues(t, 4, a.Stats().Lateness.Count)
	}
}

// At a speed at which model time leaves its range soon or at once, the run ends at that point.
func TestWallClockStopsAtTheEndOfTime(t *testing.T) {
	for _, speed := range []float64{1e9, 1e20} {
		for _, start := range []timebase.Time{-10 * timebase.Second, 0, 10 * timebase.Second} {
			r := newRig(t, NodeSpec{})
			source := &handClock{now: 77 * timebase.Second}
			clock := r.wall(WallSpec{Source: source, Speed: speed, Start: start})
			require.NoError(t, clock.Run(context.Background(), timebase.EndOfTime-timebase.Second))
			source.now += 300 * timebase.Second
			require.Equal(t, timebase.EndOfTime, clock.Now())
		}
	}
}

// Work that takes longer than the period makes the clock late, which is shown in its statistics and
// reported once.
func TestWallClockMeasuresLateness(t *testing.T) {
	r := newRig(t, NodeSpec{})
	source := &handClock{}
	work := []timebase.Duration{5 * tick, 45 * tick, tick, tick, tick, tick}
	var spans []timebase.Span
	a := r.module.Activity(
		"a",
		Spec{
			Trigger: r.module.PeriodicAlarm("alarm", 0, 20*tick),
			Work: func(c Cycle) error {
				source.now += work[len(spans)]
				spans = append(spans, c.Span)
				return nil
			},
		},
	)
	a.SwitchOn(0)
	clock := r.wall(WallSpec{Source: source, LateLimit: 10 * tick})
	require.NoError(t, clock.Run(context.Background(), 120*tick))
	require.Equal(
		t,
		spansOf(0, 20, 20, 40, 40, 60, 60, 80, 80, 100, 100, 120),
		spans,
		"none is left out",
	)
	late := clock.Lateness()
	require.EqualValues(t, 6, late.Count)
	require.Equal(t, 25*tick, late.Max, "40 fires at 65")
	require.Equal(t, (25+5)*tick/6, late.Mean())
	require.Equal(t, []Finding{ClockLate}, r.found())
	stats := a.Stats()
	require.Equal(t, 45*tick, stats.Run.Max)
	require.Equal(t, tick, stats.Run.Min)
	require.Equal(t, 54*tick/6, stats.Run.Mean())
	require.Equal(t, 25*tick, stats.Lateness.Max)
	require.Equal(
		t,
		(25+6)*tick/6,
		stats.Lateness.Mean(),
		"40 begins at 65, and 60 when that is done, at 66",
	)
}

// The important manager runs first; an alarm that became due in between runs before the remaining
// work of the less important one.
func TestWallClockRunsTheImportantFirst(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2})
	source := &handClock{}
	ch := Open[int](r.node, "jobs")
	jobs := ch.EventWriter(r.module, "")
	var order []string
	work := func(name string, takes timebase.Duration) Callback {
		return func(Cycle) error {
			order = append(order, name)
			source.now += takes
			return nil
		}
	}
	r.module.Activity("log", Spec{Trigger: ch.Reader(r.module, ReaderSpec{}), Work: work("log",
		15*tick)}).
		SwitchOn(0)
	r.module.Activity("control", Spec{Priority: Priority{Manager: 1},
		Trigger: r.module.PeriodicAlarm(
			"alarm",
			0,
			20*tick,
		), Work: work("control", tick)}).SwitchOn(0)
	clock := r.wall(WallSpec{Source: source})
	for range 3 {
		require.NoError(t, jobs.Write(0, 0))
	}
	require.NoError(t, clock.Run(context.Background(), 60*tick))
	require.Equal(t, []string{"control", "log", "log", "control", "log", "control"}, order)
}

// A period is judged as soon as the clock has passed its end. The clock cannot judge while the
// producer keeps it busy, so the data for 40 still count; the next period is over before the
// producer could write data for it.
func TestWallClockJudgesInputAtTheEndOfThePeriod(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2})
	source := &handClock{}
	ch := Open[int](r.node, "c")
	w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	alarm := r.module.PeriodicAlarm("alarm", 0, 20*tick)
	r.module.Activity("produce", Spec{Trigger: alarm, Work: func(c Cycle) error {
		if c.Span.Start == 40*tick {
			source.now += 45 * tick // the data for 40 arrive at 85
		}
		return w.Write(c.Span, 0)
	}}).SwitchOn(0)
	var log []string
	note := func(what string) Callback {
		return func(c Cycle) error {
			log = append(log, fmt.Sprintf("%s %d at %d", what, c.Span.Start/tick, source.now/tick))
			return nil
		}
	}
	r.module.Activity("out",
		Spec{Trigger: And(alarm, read), Work: note("work"), Priority: Priority{Manager: 1},
			Safe: Safe{On: alarm, Work: note("safe")}}).
		SwitchOn(0)
	clock := r.wall(WallSpec{Source: source})
	require.NoError(t, clock.Run(context.Background(), 120*tick))
	require.Equal(
		t,
		[]string{
			"work 0 at 0",
			"work 20 at 20",
			"work 40 at 85",
			"safe 60 at 85",
			"work 80 at 85",
			"work 100 at 100",
		},
		log,
	)
}

// A late clock judges a period before it fires the alarms after it, like a virtual clock.
func TestLateWallClockJudgesFirst(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2})
	source := &handClock{}
	alarm := r.module.PeriodicAlarm("alarm", 0, 20*tick)
	r.module.Activity("busy", Spec{Trigger: alarm, Work: func(Cycle) error {
		source.now += 30 * tick
		return nil
	}}).
		SwitchOn(0)
	worked, safe := r.guarded("out", 1, alarm, r.module.PeriodicAlarm("input", 20*tick, 20*tick))
	clock := r.wall(WallSpec{Source: source})
	require.NoError(t, clock.Run(context.Background(), 40*tick))
	require.Equal(t, spansOf(0, 20), *safe)
	require.Equal(t, spansOf(20, 40), *worked)
}

func TestWallClockTakesDataFromOutside(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w, read := ch.EventWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	spans := r.record("a", read)
	source := &handClock{}
	clock := r.wall(WallSpec{Source: source})
	posted := 0
	source.onWait = func(c *handClock) {
		if posted < 2 {
			posted++
			c.now += 5 * tick
			clock.Post(func() { require.NoError(t, w.Write(clock.Now(), 0)) })
		}
	}
	require.NoError(t, clock.Run(context.Background(), timebase.Second))
	require.Equal(t, stampsOf(5, 10), *spans)
	require.Equal(t, timebase.Second, source.now)
}

func TestWallClockStopsWithItsContext(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	r.module.Activity("a", Spec{Trigger: r.module.PeriodicAlarm("alarm", 0, tick),
		Work: func(Cycle) error {
			if calls++; calls == 5 {
				cancel()
			}
			return nil
		}}).
		SwitchOn(0)
	clock := r.wall(WallSpec{Source: &handClock{}})
	require.ErrorIs(t, clock.Run(ctx, timebase.EndOfTime), context.Canceled)
	require.Equal(t, 5, calls)
	require.NoError(t, clock.Run(context.Background(), 8*tick), "it can go on")
	require.Equal(t, 8, calls)
}

// The computer's own time source; its accuracy is not tested.
func TestWallClockPosts(t *testing.T) {
	r := newRig(t, NodeSpec{})
	spans := r.record("a", r.module.PeriodicAlarm("alarm", 0, tick))
	clock := r.wall(WallSpec{Speed: 10})
	var posted atomic.Bool
	go clock.Post(func() { posted.Store(true) })
	require.NoError(t, clock.Run(context.Background(), 3*tick))
	require.Equal(t, spansOf(0, 1, 1, 2, 2, 3), *spans)
	for !posted.Load() {
		require.NoError(t, clock.Run(context.Background(), clock.Now()+tick))
	}
}

func TestWallClockRefusesInvalidSpecs(t *testing.T) {
	for _, speed := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err := NewWallClock(NewNode(NodeSpec{}), WallSpec{Speed: speed})
		require.ErrorIs(t, err, ErrSpec)
		require.ErrorContains(t, err, "use a VirtualClock")
	}
	n := NewNode(NodeSpec{})
	n.Module("m").StepAlarm("step")
	_, err := NewWallClock(n, WallSpec{})
	require.ErrorContains(t, err, "use a PeriodicAlarm")
	n = NewNode(NodeSpec{Granule: -1})
	_, err = NewWallClock(n, WallSpec{})
	require.Equal(t, n.Err(), err)
}

// Data-triggered activities are called for the same spans on both clocks.
func TestBothClocksGiveTheSameSpans(t *testing.T) {
	run := func(drive func(n *Node)) []TraceLine {
		n := NewNode(NodeSpec{Managers: 2, Trace: true})
		carInput(n, "PedalsIO", "pedals", 10*tick, 1, 0)
		carInput(n, "WheelIO", "wheel", 15*tick, 0, 0)
		carSim(n, 1)
		carMotion(n, 0)
		drive(n)
		return n.Trace()
	}
	wall := run(func(n *Node) {
		c, err := NewWallClock(n, WallSpec{Source: &handClock{}})
		require.NoError(t, err)
		require.NoError(t, c.Run(context.Background(), timebase.Second))
	})
	virtual := run(func(n *Node) {
		c, err := NewVirtualClock(n, 0)
		require.NoError(t, err)
		require.NoError(t, c.AdvanceTo(timebase.Second))
	})
	require.Equal(t, virtual, wall)
	require.Len(t, wall, 8)
}

func TestTimingQuantiles(t *testing.T) {
	var timing Timing
	require.Zero(t, timing.Mean())
	require.Zero(t, timing.Quantile(0.5))
	for i := timebase.Duration(1); i <= 1000; i++ {
		timing.add(i)
	}
	timing.add(-5)
	require.Equal(t, timebase.Duration(-5), timing.Min)
	require.Equal(t, timebase.Duration(1000), timing.Quantile(1))
	for _, q := range []float64{0.1, 0.5, 0.9} {
		got := float64(timing.Quantile(q))
		require.True(t, got >= 1000*q-1 && got <= 2*1000*q, "quantile %g is %g", q, got)
	}
}

// A clock that stays late is reported once, and again only after being on time in between.
func TestWallClockReportsEachLatenessOnce(t *testing.T) {
	r := newRig(t, NodeSpec{})
	source := &handClock{}
	r.module.Activity("a", Spec{Trigger: r.module.PeriodicAlarm("alarm", 0, 20*tick),
		Work: func(c Cycle) error {
			switch c.Span.Start {
			case 20 * tick, 120 * tick:
				// four alarms become due meanwhile, the last within the limit
				source.now += 85 * tick
			}
			return nil
		}}).
		SwitchOn(0)
	clock := r.wall(WallSpec{Source: source, LateLimit: 10 * tick})
	require.NoError(t, clock.Run(context.Background(), 110*tick))
	require.Equal(t, []Finding{ClockLate}, r.found())
	require.NoError(t, clock.Run(context.Background(), 240*tick))
	require.Equal(t, []Finding{ClockLate, ClockLate}, r.found())
}

// A clock that is years late a thousand times has a correct mean, because the sum does not
// overflow.
func TestMeanOfHugeDurations(t *testing.T) {
	var l Timing
	for range 1000 {
		l.add(timebase.EndOfTime / 2)
	}
	require.InDelta(t, float64(timebase.EndOfTime/2), float64(l.Mean()), 1e6)
}

// A request for an instant that has passed while the callback was running fires at the next tick.
func TestWallClock_RequestForAPassedInstant(t *testing.T) {
	r := newRig(t, NodeSpec{})
	source := &handClock{}
	asked := r.module.AperiodicAlarm("asked")
	spans := r.record("answer", asked)
	r.module.Activity("ask", Spec{Trigger: r.module.PeriodicAlarm("alarm", 0, timebase.Second),
		Work: func(Cycle) error {
			source.now += 45*tick + 3
			return asked.Request(30 * tick)
		}}).
		SwitchOn(0)
	require.NoError(t, r.wall(WallSpec{Source: source}).Run(context.Background(), 100*tick))
	require.Equal(t, stampsOf(46), *spans)
}

// Work that is pending while its activity is switched off and on again is done for both intervals
// in which it is on.
func TestWallClock_WaitingWorkSurvivesOffAndOn(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2})
	source := &handClock{}
	var cycles []Cycle
	a := r.module.Activity(
		"a",
		Spec{
			Trigger: r.module.PeriodicAlarm("slow", 0, 100*tick),
			Work: func(c Cycle) error {
				cycles = append(cycles, c)
				return nil
			},
		},
	)
	a.SwitchOn(0)
	r.module.Activity("switch",
		Spec{Priority: Priority{Manager: 1}, Trigger: r.module.PeriodicAlarm("once", 0, 100*tick),
			Work: func(Cycle) error {
				a.SwitchOff(30 * tick)
				a.SwitchOn(60 * tick)
				return nil
			}}).
		SwitchOn(0)
	require.NoError(t, r.wall(WallSpec{Source: source}).Run(context.Background(), 90*tick))
	require.Equal(
		t,
		[]Cycle{{Span: span(0, 30), First: true, Last: true}, {Span: span(60, 100), First: true}},
		cycles,
	)
}

// A wall clock whose node was restored continues from the time of the state. It neither fires at
// once the alarms that would have been due in between, nor waits until the alarms of a later state
// become due.
func TestWallClock_ContinuesFromARestoredState(t *testing.T) {
	for _, idle := range []timebase.Duration{0, 10 * timebase.Second} {
		r := newRig(t, NodeSpec{})
		source := &handClock{}
		var at []timebase.Time
		r.module.Activity("a", Spec{Trigger: r.module.PeriodicAlarm("alarm", 0, 20*tick),
			Work: func(c Cycle) error {
				at = append(at, source.now)
				return nil
			}}).
			SwitchOn(0)
		clock := r.wall(WallSpec{Source: source, LateLimit: tick})
		require.NoError(t, clock.Run(context.Background(), 50*tick))
		early, err := r.node.AppendState(nil)
		require.NoError(t, err)
		require.NoError(t, clock.Run(context.Background(), timebase.Second))
		late, err := r.node.AppendState(nil)
		require.NoError(t, err)
		for _, state := range [][]byte{early, late} {
			source.now += idle
			require.NoError(t, r.node.RestoreState(state))
			from := r.node.Now()
			require.Equal(t, from, clock.Now())
			at = nil
			begin := source.now
			require.NoError(t, clock.Run(context.Background(), from+30*tick))
			next := begin + (20*tick-from%(20*tick))%(20*tick)
			require.Equal(t, next, at[0])
			require.LessOrEqual(t, len(at), 2)
			require.Equal(t, begin+30*tick, source.now)
		}
		require.Empty(t, r.reports)
	}
}
