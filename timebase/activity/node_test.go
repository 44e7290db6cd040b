package activity

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

func TestMistakesOfBuildingAreCollected(t *testing.T) {
	other := NewNode(NodeSpec{}).Module("other")
	for name, c := range map[string]struct {
		build func(n *Node, m *Module)
		cause error
		text  string
	}{
		"module name": {func(n *Node, _ *Module) { n.Module("") }, ErrName, "an empty name"},
		"line break": {func(n *Node, _ *Module) { Open[int](n, "a\nb") }, ErrName,
			"control character"},
		"payload types": {func(n *Node, m *Module) {
			Open[int](n, "c")
			require.Error(t, Open[string](n, "c").EventWriter(m, "").Write(0, ""))
		}, ErrType,
			`channel "c": payload types differ: found string, expected int; open it everywhere`},
		"exclusive": {func(n *Node, m *Module) {
			Open[int](n, "c").EventWriter(m, "a", Exclusive)
			require.ErrorIs(t, Open[int](n, "c").StreamWriter(m, "b").Err(), ErrExclusive)
		}, ErrExclusive, `entry "a" of m beside it`},
		"exclusive second": {func(n *Node, m *Module) {
			Open[int](n, "c").EventWriter(m, "a")
			require.ErrorIs(t, Open[int](n, "c").EventWriter(m, "b", Exclusive).Err(), ErrExclusive)
		}, ErrExclusive, `entry "b" of m`},
		"same entry": {func(n *Node, m *Module) {
			Open[int](n, "c").EventWriter(m, "a")
			Open[int](n, "c").EventWriter(m, "a")
		}, ErrName, "another entry of that label and module"},
		"foreign writer": {func(n *Node, _ *Module) { Open[int](n, "c").EventWriter(other, "") },
			ErrSpec, "another node"},
		"foreign reader": {func(n *Node, _ *Module) {
			_, ok := Open[int](n, "c").Reader(other, ReaderSpec{}).Read(0)
			require.False(t, ok)
		}, ErrSpec, "another node"},
		"foreign trigger": {func(_ *Node, m *Module) {
			m.Activity("a", Spec{Trigger: other.AperiodicAlarm("x"),
				Work: func(Cycle) error { return nil }})
		}, ErrSpec, "a trigger of another node"},
		"mixed triggers": {func(_ *Node, m *Module) {
			And(m.AperiodicAlarm("x"), other.AperiodicAlarm("z"))
		}, ErrSpec, "And"},
		"nil trigger": {func(_ *Node, m *Module) { Or(m.AperiodicAlarm("x"), nil) }, ErrSpec,
			"a nil trigger"},
		"nil regulated": {func(_ *Node, m *Module) {
			m.Activity("a", Spec{Trigger: Regulate(nil, 0, 1),
				Work: func(Cycle) error { return nil }})
		}, ErrSpec, "Regulate(nothing"},
		"two choices": {func(n *Node, m *Module) {
			Open[int](n, "c").Reader(m, ReaderSpec{All: true, Index: 1})
		}, ErrSpec, "All beside"},
		"two choices 2": {func(n *Node, m *Module) {
			Open[int](n, "c").Reader(m, ReaderSpec{Label: "x", Index: 1})
		}, ErrSpec, "beside a label"},
		"index": {func(n *Node, m *Module) {
			Open[int](n, "c").Reader(m, ReaderSpec{Index: -1})
		}, ErrSpec, "index -1"},
		"mode": {func(n *Node, m *Module) {
			Open[int](n, "c").Reader(m, ReaderSpec{Mode: 9})
		}, ErrSpec, "ReadMode(9)"},
		"retention": {func(n *Node, _ *Module) { Open[int](n, "c").Keep(-1) }, ErrSpec,
			"retention -0.000000001s"},
		"limit": {func(n *Node, _ *Module) { Open[int](n, "c").Limit(0) }, ErrSpec,
			"limit 0"},
		"period": {func(_ *Node, m *Module) { m.PeriodicAlarm("p", 0, 0) }, ErrSpec,
			"period 0.000000000s"},
		"regulator": {func(_ *Node, m *Module) { Regulate(m.AperiodicAlarm("x"), 0, -1) },
			ErrSpec, "a period longer than 0 s"},
		"same alarm": {func(_ *Node, m *Module) {
			m.PeriodicAlarm("p", 0, 1)
			m.StepAlarm("p")
		}, ErrName, "another alarm of that name"},
		"alarm name": {func(_ *Node, m *Module) { m.StepAlarm("") }, ErrName, "an empty name"},
		"activity name": {func(_ *Node, m *Module) { m.Activity("", Spec{}) }, ErrName,
			"an empty name"},
		"same activity": {func(_ *Node, m *Module) {
			s := Spec{Trigger: m.StepAlarm("s"), Work: func(Cycle) error { return nil }}
			m.Activity("a", s)
			m.Activity("a", s)
		}, ErrName, "another activity of that name"},
	} {
		n := NewNode(NodeSpec{})
		c.build(n, n.Module("m"))
		require.ErrorIs(t, n.Err(), c.cause, name)
		require.ErrorContains(t, n.Err(), c.text, name)
		_, err := NewVirtualClock(n, 0)
		require.Equal(t, n.Err(), err, name)
		var place *Error
		require.ErrorAs(t, err, &place, name)
		require.NotEmpty(t, place.Place.Object, name)
	}
	require.ErrorIs(t, NewNode(NodeSpec{Managers: -1}).Err(), ErrSpec)
	require.NoError(t, NewNode(NodeSpec{}).Err())
}

func TestClockRefusesInvalidUse(t *testing.T) {
	r := newRig(t, NodeSpec{})
	var inside []error
	r.module.Activity("a", Spec{Trigger: r.module.StepAlarm("s"), Work: func(Cycle) error {
		_, save := r.node.AppendState(nil)
		inside = append(
			inside,
			r.clock.AdvanceTo(timebase.EndOfTime),
			save,
			r.node.RestoreState(nil),
		)
		return nil
	}}).SwitchOn(0)
	r.start()
	_, err := NewVirtualClock(r.node, 0)
	require.ErrorIs(t, err, ErrSpec, "a second clock")
	s, err := r.clock.Step(5 * tick)
	require.NoError(t, err)
	require.Equal(t, span(0, 5), s)
	require.Len(t, inside, 3)
	for _, err := range inside {
		require.ErrorIs(t, err, ErrRunning)
	}
	require.ErrorIs(t, r.clock.AdvanceTo(4*tick), ErrOrder)
	_, err = r.clock.Step(-1)
	require.ErrorIs(t, err, ErrOrder)
	require.Equal(t, 5*tick, r.clock.Now())

	Open[int](r.node, "c")
	Open[bool](r.node, "c")
	require.ErrorIs(
		t,
		r.clock.AdvanceTo(6*tick),
		ErrType,
		"mistakes made later stop the clock as well",
	)
}

func TestEndlessTriggeringIsAnError(t *testing.T) {
	r := newRig(t, NodeSpec{MaxRounds: 50})
	ch := Open[int](r.node, "echo")
	w, read := ch.EventWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	calls := 0
	a := r.module.Activity(
		"loop",
		Spec{
			Trigger: read,
			Work:    func(c Cycle) error { calls++; return w.Write(c.Span.Start, 0) },
		},
	)
	a.SwitchOn(0)
	r.start()
	require.NoError(t, w.Write(0, 0))
	err := r.clock.AdvanceTo(10 * tick)
	require.ErrorIs(t, err, ErrNoProgress)
	require.ErrorContains(
		t,
		err,
		"50 rounds at one instant, next is activity test/loop for @0.000000000s",
	)
	require.Equal(t, 50, calls)
	require.Contains(t, a.Why(), "scheduled 1 times")
	a.SwitchOff(0)
	r.to(10)
	require.Equal(t, 50, calls)
}

func TestFailingActivityIsSwitchedOff(t *testing.T) {
	r := newRig(t, NodeSpec{})
	boom := errors.New("boom")
	alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
	calls := map[string]int{}
	fail := func(name string, work Callback) *Activity {
		a := r.module.Activity(
			name,
			Spec{
				Trigger: alarm,
				Work:    func(c Cycle) error { calls[name]++; return work(c) },
			},
		)
		a.SwitchOn(0)
		return a
	}
	returns := fail("returns", func(Cycle) error { return boom })
	panics := fail("panics", func(Cycle) error { panic("ouch") })
	works := fail("works", func(Cycle) error { return nil })
	r.start()
	r.to(50)
	require.Equal(t, map[string]int{"returns": 1, "panics": 1, "works": 5}, calls)
	require.Equal(t, []Finding{ActivityFailed, ActivityFailed}, r.found())
	require.ErrorIs(t, returns.Err(), boom)
	require.ErrorContains(t, panics.Err(), "panic: ouch")
	require.NoError(t, works.Err())
	require.Contains(t, returns.Why(), "It failed and was switched off: boom")
	returns.SwitchOn(60 * tick)
	require.NoError(t, returns.Err())
	r.to(70)
	require.Equal(t, 2, calls["returns"])
}

// The callbacks of a round cannot see each other's effects, so their order does not matter.
func TestWritesTakeEffectAfterTheRound(t *testing.T) {
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
		r := newRig(t, NodeSpec{})
		ch := Open[int](r.node, "c")
		w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
		alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
		var seen []bool
		r.module.Activity(names[0], Spec{Trigger: alarm, Work: func(c Cycle) error {
			return w.Write(c.Span, 0)
		}}).
			SwitchOn(0)
		r.module.Activity(names[1], Spec{Trigger: alarm, Work: func(c Cycle) error {
			_, now := read.Read(c.Span.Start)
			_, before := read.Read(c.Span.Start - 1)
			seen = append(seen, now, before)
			return nil
		}}).SwitchOn(0)
		r.start()
		r.to(20)
		require.Equal(t, []bool{false, false, false, true}, seen, "%v", names)
	}
}

func TestQueueBacklogIsReported(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.EventWriter(r.module, "")
	a := r.module.Activity(
		"a",
		Spec{Trigger: ch.Reader(r.module, ReaderSpec{}), Work: func(c Cycle) error {
			return nil
		}},
	)
	a.SwitchOn(0)
	r.start()
	for range 500 {
		require.NoError(t, w.Write(0, 0))
	}
	require.Empty(t, r.reports)
	require.NoError(t, w.Write(0, 0))
	require.Equal(t, []Finding{QueueBacklog}, r.found())
	require.Contains(
		t,
		r.reports[0].String(),
		"manager 0: queue backlog: 501 items wait, the newest is activity test/a",
	)
	r.to(0)
	require.EqualValues(t, 501, a.Cycles())
}

func TestCycleReportsHowManyWaitBehindIt(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.StreamWriter(r.module, "")
	var behind []int
	r.module.Activity("a", Spec{Trigger: ch.Reader(r.module, ReaderSpec{}),
		Work: func(c Cycle) error {
			behind = append(behind, c.Behind)
			return nil
		}}).
		SwitchOn(0)
	r.start()
	writeAll(t, w, spansOf(0, 1, 1, 2, 2, 3))
	r.to(0)
	require.Equal(t, []int{2, 1, 0}, behind)
}

// Data that waits for longer than the history is dropped and reported, and the time after it keeps
// its cuts. A channel that keeps its data for longer extends the history.
func TestAndDropsWhatHasWaitedTooLong(t *testing.T) {
	for keep, want := range map[timebase.Time]timebase.Time{0: 5000 - 1000,
		1500 * tick: 5000 - 1500} {
		r := newRig(t, NodeSpec{History: timebase.Second})
		a, b := Open[int](r.node, "a"), Open[int](r.node, "b").Keep(keep)
		wa, wb := a.StreamWriter(r.module, ""), b.StreamWriter(r.module, "")
		other := r.module.PeriodicAlarm("alarm", 0, timebase.Second)
		spans := r.record(
			"x",
			And(a.Reader(r.module, ReaderSpec{}), And(other, b.Reader(r.module, ReaderSpec{}))),
		)
		r.start()
		for i := range timebase.Time(5000) {
			require.NoError(t, wa.Write(span(i, i+1), 0))
		}
		require.Equal(t, []Finding{TriggerBacklog}, r.found())
		require.Contains(t, r.reports[0].Detail, "a longer NodeSpec.History keeps it")
		require.NoError(t, wb.Write(span(0, 5000), 0))
		r.to(5000)
		require.Equal(t, span(want-1, want), (*spans)[0])
		require.Len(t, *spans, int(5000-want+1))

		writeAll(t, wa, spansOf(5000, 5001))
		require.NoError(t, wb.Write(span(5000, 5001), 0))
		for i := timebase.Time(5001); i < 9000; i++ {
			require.NoError(t, wa.Write(span(i, i+1), 0))
		}
		require.EqualValues(
			t,
			2,
			r.node.Findings(TriggerBacklog),
			"the next time of waiting is reported again",
		)
	}
}

func TestAndWithRareEventsNeitherGrowsNorReports(t *testing.T) {
	r := newRig(t, NodeSpec{})
	a, e := Open[int](r.node, "a"), Open[int](r.node, "e")
	wa, we := a.StreamWriter(r.module, ""), e.EventWriter(r.module, "")
	spans := r.record("x", And(a.Reader(r.module, ReaderSpec{}), e.Reader(r.module, ReaderSpec{})))
	r.start()
	require.NoError(t, wa.Write(span(0, 1), 0))
	require.NoError(t, we.Write(0, 0))
	require.NoError(t, we.Write(0, 0))
	r.to(0)
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	fresh := r.node.acts[0].trigger.(*andTrigger)
	fresh.sources[1].events = false // as in a new node
	require.NoError(t, r.node.RestoreState(state), "the kind of a source is part of the state")
	for i := range timebase.Time(10_000) {
		require.NoError(t, wa.Write(span(i+1, i+2), 0))
	}
	require.NoError(t, we.Write(9*tick, 0))
	r.to(0)
	require.Equal(t, stampsOf(0, 0, 9), *spans)
	require.Empty(t, r.found(), "spans that wait for events lose nothing by being merged")
}

func TestRegulatorInputs(t *testing.T) {
	r := newRig(t, NodeSpec{})
	e, s := Open[int](r.node, "e"), Open[int](r.node, "s")
	we, ws := e.EventWriter(r.module, ""), s.StreamWriter(r.module, "")
	fromEvents := r.record("events", Regulate(e.Reader(r.module, ReaderSpec{}), 0, 10*tick))
	reg := Regulate(s.Reader(r.module, ReaderSpec{}), 0, 10*tick)
	patched := r.record("patched", reg)
	endless := r.record("endless", RegulateGreedy(s.Reader(r.module, ReaderSpec{}), 0, tick))
	r.start()
	require.NoError(t, we.Write(5*tick, 0))
	require.NoError(t, we.Write(6*tick, 0))
	r.to(1)
	require.Empty(t, *fromEvents)
	require.Equal(t, []Finding{RegulatorInput}, r.found(), "reported once")

	require.NoError(t, ws.Write(span(0, 15), 0))
	require.ErrorIs(t, reg.SetPeriod(0, 0), ErrSpec)
	require.NoError(t, reg.SetPeriod(3*tick, 20*tick))
	require.NoError(t, ws.Write(span(15, 50), 0))
	r.to(2)
	require.Equal(t, spansOf(0, 10, 10, 23, 23, 43), *patched, "a patch connects the two grids")

	r.reports = nil
	*endless = nil
	require.NoError(t, ws.Write(timebase.Span{Start: 50 * tick, End: timebase.EndOfTime}, 0))
	require.Contains(t, r.found(), RegulatorInput)
	r.to(3)
	require.Len(t, *endless, regulatorBurst, "a span without end does not cause an endless loop")
}

// Several readers over all entries pass on data in the order of their names, and late events are
// inserted in order.
func TestEventsThatArriveOutOfOrder(t *testing.T) {
	r := newRig(t, NodeSpec{})
	keys, s := Open[int](r.node, "keys"), Open[int](r.node, "s")
	a, b := keys.EventWriter(r.module, "a"), keys.EventWriter(r.module, "b")
	w := s.StreamWriter(r.module, "")
	all := func(module string) Trigger {
		return keys.Reader(r.node.Module(module), ReaderSpec{All: true})
	}
	plain := r.record("plain", all("y"))
	and := r.record("and", And(all("x"), s.Reader(r.module, ReaderSpec{})))
	r.start()
	require.NoError(t, a.Write(14*tick, 0))
	r.to(1)
	require.NoError(t, b.Write(10*tick, 0))
	require.NoError(t, b.Write(16*tick, 0))
	require.NoError(t, a.Write(15*tick, 0))
	r.to(2)
	require.NoError(t, w.Write(span(0, 20), 0))
	r.to(3)
	require.Equal(t, stampsOf(14, 10, 15, 16), *plain)
	require.Equal(t, stampsOf(10, 14, 15, 16), *and)
}

// Spans with a gap between them are not merged but eventually dropped, which is reported even if
// only events are waited for.
func TestAndThatWaitsTooLongReportsTheDrop(t *testing.T) {
	r := newRig(t, NodeSpec{History: 8 * timebase.Second})
	a, b, e := Open[int](r.node, "a"), Open[int](r.node, "b"), Open[int](r.node, "e")
	wa, wb, we := a.StreamWriter(
		r.module,
		"",
	), b.StreamWriter(
		r.module,
		"",
	), e.EventWriter(
		r.module,
		"",
	)
	spans := r.record("x", And(a.Reader(r.module, ReaderSpec{}), b.Reader(r.module, ReaderSpec{})))
	stamps := r.record("y", And(a.Reader(r.module, ReaderSpec{}), e.Reader(r.module, ReaderSpec{})))
	r.start()
	require.NoError(t, we.Write(0, 0))
	for i := range timebase.Time(5000) {
		require.NoError(t, wa.Write(span(2*i, 2*i+1), 0))
		wa.Stop()
	}
	require.Equal(t, []Finding{TriggerBacklog, TriggerBacklog}, r.found())
	require.NoError(t, wb.Write(span(0, 10_000), 0))
	for _, at := range []timebase.Time{2, 9000, 9001} {
		require.NoError(t, we.Write(at*tick, 0))
	}
	r.to(0)
	require.Len(t, *spans, 4001)
	require.Equal(t, spansOf(1998, 1999, 2000, 2001), (*spans)[:2])
	require.Equal(t, stampsOf(0, 9000), *stamps)
}

// A part may emit events and spans. Their order is kept when another part is late.
func TestAndKeepsTheOrderOfEventsAndSpans(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := newRig(t, NodeSpec{})
		mixed, other := Open[int](r.node, "mixed"), Open[int](r.node, "other")
		s, e, w := mixed.StreamWriter(
			r.module,
			"s",
		), mixed.EventWriter(
			r.module,
			"e",
		), other.StreamWriter(
			r.module,
			"",
		)
		got := r.record(
			"x",
			And(
				mixed.Reader(r.module, ReaderSpec{All: true}),
				other.Reader(r.module, ReaderSpec{}),
			),
		)
		r.start()
		if !late {
			require.NoError(t, w.Write(span(0, 20), 0))
		}
		require.NoError(t, s.Write(span(0, 10), 0))
		require.NoError(t, e.Write(0, 0))
		r.to(0)
		if late {
			require.NoError(t, w.Write(span(0, 20), 0))
		}
		r.to(1)
		require.Equal(t, append(stampsOf(0), span(0, 10)), *got, "other part late: %v", late)
	}
}

// Work scheduled for a time that has passed still runs in its window.
func TestWindowsLastUntilTheirWorkIsDone(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.StreamWriter(r.module, "")
	got := r.record("a", ch.Reader(r.module, ReaderSpec{}))
	a := r.node.acts[0]
	a.SwitchOff(10 * tick)
	a.SwitchOn(15 * tick)
	r.start()
	writeAll(t, w, spansOf(0, 10, 10, 20))
	r.to(0)
	require.Equal(t, spansOf(0, 10, 15, 20), *got)
}

// A backlog is reported at 500 waiting items and at each doubling.
func TestQueueBacklogIsReportedAtEachDoubling(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.EventWriter(r.module, "")
	r.record("a", ch.Reader(r.module, ReaderSpec{}))
	r.start()
	for range 4001 {
		require.NoError(t, w.Write(0, 0))
	}
	require.Equal(t, []Finding{QueueBacklog, QueueBacklog, QueueBacklog, QueueBacklog}, r.found())
	for i, n := range []string{"501", "1001", "2001", "4001"} {
		require.Contains(t, r.reports[i].Detail, n+" items wait")
	}
}

// A callback that ends its goroutine, as require does in a test that fails, has not panicked.
func TestActivity_EndingTheGoroutineIsNoPanic(t *testing.T) {
	r := newRig(t, NodeSpec{})
	a := r.module.Activity("ends", Spec{Trigger: r.module.StepAlarm("step"), Work: func(Cycle) error {
		runtime.Goexit()
		return nil
	}})
	a.SwitchOn(0)
	r.start()
	done := make(chan bool)
	go func() {
		defer close(done)
		_ = r.clock.AdvanceTo(tick)
	}()
	<-done
	require.NoError(t, a.Err())
	require.Empty(t, r.reports)
}
