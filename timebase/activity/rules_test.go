package activity

import (
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// D1: it is impossible to write without a time, and the writer declares the kind.
func TestD1_DataIsTimeTagged(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	stream, event := ch.StreamWriter(r.module, "s"), ch.EventWriter(r.module, "e")
	for _, w := range []any{stream, event} {
		typ := reflect.TypeOf(w)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if m.Type.NumIn() > 1 { // it has parameters: data enters here
				first := m.Type.In(1)
				require.Contains(
					t,
					[]reflect.Type{
						reflect.TypeFor[timebase.Span](),
						reflect.TypeFor[timebase.Time](),
					},
					first,
					m.Name,
				)
			}
		}
	}
	require.NoError(t, stream.Write(span(0, 20), 1))
	require.NoError(t, event.Write(7*tick, 2))
	streams := ch.Reader(r.module, ReaderSpec{Label: "s", Mode: ReadReservation})
	events := ch.Reader(r.module, ReaderSpec{Label: "e", Mode: ReadReservation})
	d, ok := streams.Read(timebase.EndOfTime)
	require.True(t, ok)
	require.Equal(t, Datum[int]{1, span(0, 20), "s"}, d)
	d, ok = events.Read(timebase.EndOfTime)
	require.True(t, ok)
	require.Equal(t, Datum[int]{2, timebase.Stamp(7 * tick), "e"}, d)
}

func TestD2_StreamDatumExcludesItsEnd(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.StreamWriter(r.module, "")
	read := ch.Reader(r.module, ReaderSpec{})
	require.NoError(t, w.Write(span(0, 20), 5))
	for at, want := range map[timebase.Time]bool{-1: false, 0: true, 20*tick - 1: true,
		20 * tick: false} {
		d, ok := read.Read(at)
		require.Equal(t, want, ok, "%v", at)
		if want {
			require.Equal(t, 5, d.Value)
		}
	}
}

func TestD3_SpanWithoutLengthIsRefused(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "speed")
	w := ch.StreamWriter(r.module, "left")
	for _, s := range []timebase.Span{span(5, 5), span(5, 4)} {
		err := w.Write(s, 1)
		require.ErrorIs(t, err, timebase.ErrSpan)
		require.ErrorContains(t, err, `channel "speed", entry "left" of test`)
	}
	_, ok := ch.Reader(r.module, ReaderSpec{}).Newest()
	require.False(t, ok, "nothing was stored")
}

func TestD4_SpansOfAnyLengthConnect(t *testing.T) {
	r := newRig(t, NodeSpec{})
	w := Open[int](r.node, "c").StreamWriter(r.module, "")
	writeAll(t, w, spansOf(0, 5, 5, 20, 20, 21))
	require.Empty(t, r.reports)
}

func TestD5_JumpIsReportedOnceAndNotAfterStop(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	writeAll(t, w, spansOf(0, 10, 12, 20))
	require.Equal(t, []Finding{StreamGap}, r.found())
	require.EqualValues(t, 1, r.node.Findings(StreamGap))
	_, ok := read.Read(11 * tick)
	require.False(t, ok)
	for at, value := range map[timebase.Time]int{9: 0, 12: 1} {
		d, ok := read.Read(at * tick)
		require.True(t, ok)
		require.Equal(t, value, d.Value)
	}
	w.Stop()
	writeAll(t, w, spansOf(100, 110, 110, 120))
	require.Len(t, r.reports, 1, "a declared stop is not a gap")
	writeAll(t, w, spansOf(130, 140))
	require.Len(t, r.reports, 2, "the stop was for one break only")
}

// TestD5_BreakOfTheActivityIsNotAJump: data need not connect where the activity that writes it was
// switched off, and other streams of the module are still monitored.
func TestD5_BreakOfTheActivityIsNotAJump(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w, other := ch.StreamWriter(r.module, "own"), ch.StreamWriter(r.module, "other")
	a := r.module.Activity(
		"a",
		Spec{
			Trigger: r.module.PeriodicAlarm("a", 0, 10*tick),
			Work:    func(c Cycle) error { return w.Write(c.Span, 1) },
		},
	)
	r.module.Activity("b", Spec{Trigger: r.module.PeriodicAlarm("b", 0, 10*tick),
		Work: func(c Cycle) error {
			if c.Span.Start == 70*tick {
				return nil
			}
			return other.Write(c.Span, 1)
		}}).
		SwitchOn(0)
	a.SwitchOn(0)
	r.start()
	r.to(25)
	a.SwitchOff(25 * tick)
	r.to(65)
	a.SwitchOn(65 * tick)
	r.to(100)
	require.Equal(
		t,
		[]Finding{StreamGap},
		r.found(),
		"of the other activity, which left out a cycle",
	)
	require.Contains(t, r.reports[0].String(), "other")
	a.SwitchOff(100 * tick)
	r.to(140)
	require.NoError(t, w.Write(timebase.Span{Start: 150 * tick, End: 160 * tick}, 1))
	require.Equal(t, []Finding{StreamGap, StreamGap}, r.found(), "the activity has not resumed")
}

func TestD6_OverlapIsCut(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	writeAll(t, w, spansOf(0, 20, 10, 30))
	require.Equal(t, []Finding{StreamOverlap}, r.found())
	for at, want := range map[timebase.Time]Datum[int]{15: {Value: 0, Span: span(0, 20)},
		25: {Value: 1, Span: span(20, 30)}} {
		d, ok := read.Read(at * tick)
		require.True(t, ok)
		require.Equal(t, want, d)
	}
	require.ErrorIs(t, w.Write(span(5, 30), 2), ErrOrder, "nothing of it is new")
}

func TestD7_EventsShareStampsAndKeepOrder(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[string](r.node, "keys")
	w, read := ch.EventWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	for _, key := range []string{"c", "a", "b"} {
		require.NoError(t, w.Write(7*tick, key))
	}
	require.ErrorIs(t, w.Write(6*tick, "late"), ErrOrder)
	var got []string
	for d := range read.All(7 * tick) {
		require.True(t, d.Span.IsStamp())
		got = append(got, d.Value)
	}
	require.Equal(t, []string{"c", "a", "b"}, got)
}

// D8: although the fast producer is three steps ahead of the slow one, the consumer reads values of
// the same time.
func TestD8_ActivitySeesOneConsistentTime(t *testing.T) {
	r := newRig(t, NodeSpec{})
	fast, slow := Open[int](r.node, "fast"), Open[int](r.node, "slow")
	wf, ws := fast.StreamWriter(r.module, ""), slow.StreamWriter(r.module, "")
	rf, rs := fast.Reader(r.module, ReaderSpec{}), slow.Reader(r.module, ReaderSpec{})
	var pairs [][2]int
	r.module.Activity("consume", Spec{Trigger: And(rf, rs), Work: func(c Cycle) error {
		f, ok1 := rf.Read(c.Span.Start)
		s, ok2 := rs.Read(c.Span.Start)
		require.True(t, ok1 && ok2)
		pairs = append(pairs, [2]int{f.Value, s.Value})
		return nil
	}}).SwitchOn(0)
	r.start()
	for i := range 6 {
		writeAt(t, wf, i)
		if i >= 3 {
			writeAt(t, ws, i-3)
		}
		r.to(timebase.Time(10 * (i + 1)))
	}
	require.Equal(t, [][2]int{{0, 0}, {1, 1}, {2, 2}}, pairs)
}

func writeAt(t *testing.T, w *StreamWriter[int], i int) {
	t.Helper()
	require.NoError(t, w.Write(span(timebase.Time(10*i), timebase.Time(10*i+10)), i))
}

func TestD9_PeriodicAlarmGivesItsSpansWhenTheClockPasses(t *testing.T) {
	r := newRig(t, NodeSpec{})
	var at []timebase.Time
	spans := r.record("a", r.module.PeriodicAlarm("alarm", 0, 20*tick))
	r.module.Activity("b", Spec{Trigger: r.module.PeriodicAlarm("other", 0, 20*tick),
		Work: func(Cycle) error {
			at = append(at, r.node.Now())
			return nil
		}}).
		SwitchOn(0)
	r.start()
	r.to(20)
	require.Equal(t, spansOf(0, 20), *spans, "the one at 20 belongs to the next advance")
	r.to(59)
	require.Equal(t, spansOf(0, 20, 20, 40, 40, 60), *spans)
	require.Equal(t, []timebase.Time{0, 20 * tick, 40 * tick}, at)
}

func TestD10_AperiodicAlarmFiresOncePerRequest(t *testing.T) {
	r := newRig(t, NodeSpec{})
	alarm := r.module.AperiodicAlarm("alarm")
	spans := r.record("a", alarm)
	r.start()
	require.NoError(t, alarm.Request(50*tick))
	require.ErrorIs(t, alarm.Request(50*tick), ErrOrder)
	r.to(50)
	require.Empty(t, *spans)
	r.to(200)
	require.Equal(t, stampsOf(50), *spans)
	require.NoError(t, alarm.Request(60*tick), "late")
	r.to(201)
	require.Equal(t, stampsOf(50), *spans)
	r.to(202)
	require.Equal(t, stampsOf(50, 201), *spans, "at the next tick")
}

func TestD11_OutcomeDependsNeitherOnCreationNorOnManagers(t *testing.T) {
	want := runCar(t, carSpec{})
	for order := range 6 {
		for _, managers := range []int{1, 3} {
			for _, parallel := range []bool{false, true} {
				got := runCar(t, carSpec{order: order, managers: managers, parallel: parallel})
				require.Equal(
					t,
					want.hash,
					got.hash,
					"order %d, %d managers, parallel %v",
					order,
					managers,
					parallel,
				)
				require.Equal(t, want.text, got.text)
			}
		}
	}
}

func TestD12_SafeCallbackWhenInputFails(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "motion")
	w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
	var worked, safe []timebase.Span
	var missed []int
	note := func(list *[]timebase.Span) Callback {
		return func(c Cycle) error {
			*list = append(*list, c.Span)
			if c.Missed > 0 {
				missed = append(missed, c.Missed)
			}
			return nil
		}
	}
	r.module.Activity("out", Spec{Trigger: And(alarm, read), Work: note(&worked),
		Safe: Safe{On: alarm, Periods: 3, Work: note(&safe)}}).SwitchOn(0)
	r.start()
	for i := range timebase.Time(10) {
		if i < 2 || i >= 8 { // six periods are dropped
			if i == 8 {
				w.Stop()
			}
			require.NoError(t, w.Write(span(10*i, 10*i+10), 0))
		}
		r.to(10*i + 10)
	}
	require.Equal(t, spansOf(0, 10, 10, 20, 80, 90, 90, 100), worked)
	require.Equal(t, spansOf(40, 50, 50, 60, 60, 70, 70, 80), safe)
	require.Equal(t, []int{3, 4, 5, 6}, missed)
	require.Equal(
		t,
		[]Finding{InputFailed, InputRestored},
		r.found(),
		"one line when it fails, one when it is back",
	)
}

func TestD13_AllFourAreNeededToRun(t *testing.T) {
	r := newRig(t, NodeSpec{})
	alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
	calls := 0
	work := func(Cycle) error { calls++; return nil }
	a := r.module.Activity("a", Spec{Trigger: alarm, Work: work})
	r.start()
	r.to(100)
	require.Zero(t, calls, "not switched on")
	a.SwitchOn(0)
	r.to(120)
	require.Equal(t, 2, calls)

	for name, spec := range map[string]Spec{
		"no trigger":     {Work: work},
		"no callback":    {Trigger: alarm},
		"And of nothing": {Trigger: And(), Work: work},
		"half a Safe":    {Trigger: alarm, Work: work, Safe: Safe{On: alarm}},
		"negative periods": {Trigger: alarm, Work: work,
			Safe: Safe{On: alarm, Work: work, Periods: -1}},
	} {
		n := NewNode(NodeSpec{})
		if spec.Trigger == alarm {
			spec.Trigger = n.Module("m").PeriodicAlarm("alarm", 0, 1)
		}
		if spec.Safe.On == alarm {
			spec.Safe.On = spec.Trigger
		}
		n.Module("m").Activity("a", spec)
		_, err := NewVirtualClock(n, 0)
		require.ErrorIs(t, err, ErrSpec, name)
	}
}

func TestD14_SwitchOffStopsScheduling(t *testing.T) {
	r := newRig(t, NodeSpec{})
	var cycles []Cycle
	a := r.module.Activity("a", Spec{Trigger: r.module.PeriodicAlarm("alarm", 0, 10*tick),
		Work: func(c Cycle) error { cycles = append(cycles, c); return nil }})
	a.SwitchOn(5 * tick)
	a.SwitchOff(35 * tick)
	r.start()
	r.to(100)
	require.Equal(t, []Cycle{
		{
			Span:  span(5, 10),
			First: true,
		}, {Span: span(10, 20)}, {Span: span(20, 30)}, {Span: span(30, 35), Last: true},
	}, cycles)
	a.SwitchOn(100 * tick)
	r.to(110)
	require.Equal(t, Cycle{Span: span(100, 110), First: true}, cycles[4])
	a.SwitchOff(110 * tick)
	r.to(300)
	require.Len(t, cycles, 5)
}

func TestD15_ActivityGoesToTheManagerOfItsPriority(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 3})
	var worked []string
	ch := Open[int](r.node, "c")
	w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	for name, p := range map[string]int{"low": -7, "mid": 1, "high": 99} {
		r.module.Activity(name, Spec{Trigger: read, Priority: Priority{Manager: p},
			Work: func(Cycle) error { worked = append(worked, name); return nil }}).SwitchOn(0)
	}
	r.start()
	require.Equal(t, []Finding{PriorityClamped, PriorityClamped}, r.found())
	require.NoError(t, w.Write(span(0, 20), 1))
	for p, name := range []string{"test/low", "test/mid", "test/high"} {
		require.Equal(t, []Scheduled{{name, span(0, 20), false}}, r.node.Queue(p))
	}
	require.Nil(t, r.node.Queue(3))
	r.to(0)
	require.Equal(t, []string{"high", "mid", "low"}, worked)
	require.Empty(t, r.node.Queue(1))
}

// D16: an item that is 10 ticks older is overtaken by an order that is more than 1000 higher.
func TestD16_OrderAgainstAge(t *testing.T) {
	for order, want := range map[int][]string{
		999:  {"test/old", "test/new"},
		1000: {"test/old", "test/new"}, // equal: the order of arrival
		1001: {"test/new", "test/old"},
	} {
		r := newRig(t, NodeSpec{Managers: 2})
		var got []string
		writers := map[string]*StreamWriter[int]{}
		for name, o := range map[string]int{"old": 0, "new": order} {
			ch := Open[int](r.node, name)
			writers[name] = ch.StreamWriter(r.module, "")
			r.module.Activity(name, Spec{Trigger: ch.Reader(r.module, ReaderSpec{}),
				Priority: Priority{Manager: 1, Order: o},
				Work: func(Cycle) error {
					got = append(got, "test/"+name)
					return nil
				}}).SwitchOn(0)
		}
		r.start()
		require.NoError(t, writers["old"].Write(span(10, 20), 0))
		require.NoError(t, writers["new"].Write(span(20, 30), 0))
		require.Equal(t, want[0], r.node.Queue(1)[0].Activity)
		r.to(0)
		require.Equal(t, want, got, "order %d", order)
	}
}

func TestD16_Manager0IgnoresOrder(t *testing.T) {
	r := newRig(t, NodeSpec{})
	var got []int
	ch := Open[int](r.node, "c")
	read := ch.Reader(r.module, ReaderSpec{})
	for i := range 5 {
		r.module.Activity(string(rune('a'+i)),
			Spec{Trigger: read, Priority: Priority{Order: 1000 * i},
				Work: func(Cycle) error { got = append(got, i); return nil }}).
			SwitchOn(0)
	}
	w := ch.StreamWriter(r.module, "")
	r.start()
	require.NoError(t, w.Write(span(0, 1), 0))
	r.to(0)
	require.Equal(t, []int{0, 1, 2, 3, 4}, got)
}

func TestD17_OneManagerRunsOneItemAtATime(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2, Parallel: true})
	running, cycles := [2]int{}, [2]int{}
	for i := range 20 {
		m := i % 2
		r.module.Activity(string(rune('a'+i)), Spec{Priority: Priority{Manager: m},
			Trigger: r.module.PeriodicAlarm(string(rune('a'+i)), 0, 10*tick),
			Work: func(Cycle) error {
				running[m]++ // the race detector sees a second one in the same manager
				if running[m] != 1 {
					return errors.New("overlap")
				}
				cycles[m]++
				running[m]--
				return nil
			}}).SwitchOn(0)
	}
	r.start()
	r.to(100)
	require.Equal(t, [2]int{100, 100}, cycles)
	require.Empty(t, r.reports)
}

// D18: the source's examples, without the empty span that its algorithm produces after a gap.
func TestD18_AndIsTheIntersectionCutAtEveryBoundary(t *testing.T) {
	for name, c := range map[string]struct{ a, b, want []timebase.Span }{
		"cut": {spansOf(10, 20, 20, 30), spansOf(8, 12, 12, 16, 16, 20, 20, 24, 24, 28, 28, 32),
			spansOf(10, 12, 12, 16, 16, 20, 20, 24, 24, 28, 28, 30)},
		"20 and 30": {spansOf(0, 20, 20, 40, 40, 60), spansOf(0, 30, 30, 60), spansOf(0, 20, 20, 30,
			30, 40, 40, 60)},
		"offset": {spansOf(0, 10, 10, 20), spansOf(5, 15, 15, 25), spansOf(5, 10, 10, 15, 15,
			20)},
		"gap":   {spansOf(0, 10, 20, 30), spansOf(0, 20, 20, 40), spansOf(0, 10, 20, 30)},
		"apart": {spansOf(0, 10), spansOf(10, 20), []timebase.Span{}},
	} {
		for _, swap := range []bool{false, true} {
			r := newRig(t, NodeSpec{})
			a, b := Open[int](r.node, "a"), Open[int](r.node, "b")
			wa, wb := a.StreamWriter(r.module, ""), b.StreamWriter(r.module, "")
			got := r.record(
				"x",
				And(a.Reader(r.module, ReaderSpec{}), b.Reader(r.module, ReaderSpec{})),
			)
			r.start()
			if swap {
				writeAll(t, wb, c.b)
				writeAll(t, wa, c.a)
			} else {
				writeAll(t, wa, c.a)
				writeAll(t, wb, c.b)
			}
			r.to(0)
			require.Equal(
				t,
				c.want,
				append([]timebase.Span{}, *got...),
				"%s, swapped %v",
				name,
				swap,
			)
		}
	}
}

// D18: events are emitted at the stamps within the covered time.
func TestD18_AndPassesEventsInsideCoveredSpans(t *testing.T) {
	r := newRig(t, NodeSpec{})
	stream, event := Open[int](r.node, "s"), Open[int](r.node, "e")
	ws, we := stream.StreamWriter(r.module, ""), event.EventWriter(r.module, "")
	got := r.record(
		"x",
		And(stream.Reader(r.module, ReaderSpec{}), event.Reader(r.module, ReaderSpec{})),
	)
	r.start()
	for _, at := range []timebase.Time{5, 14, 14, 27, 32, 35, 50} {
		require.NoError(t, we.Write(at*tick, 0))
	}
	writeAll(t, ws, spansOf(10, 20, 20, 30, 33, 40))
	r.to(0)
	require.Equal(t, stampsOf(14, 14, 27, 35), *got)
	writeAll(t, ws, spansOf(40, 50, 50, 60))
	r.to(1)
	require.Equal(t, stampsOf(14, 14, 27, 35, 50), *got)
}

func TestD19_LateSourceHoldsBackAndLosesNothing(t *testing.T) {
	r := newRig(t, NodeSpec{})
	a, b := Open[int](r.node, "a"), Open[int](r.node, "b")
	wa, wb := a.StreamWriter(r.module, ""), b.StreamWriter(r.module, "")
	got := r.record("x", And(a.Reader(r.module, ReaderSpec{}), b.Reader(r.module, ReaderSpec{})))
	r.start()
	writeAll(t, wa, spansOf(0, 10, 10, 20, 20, 30))
	r.to(100)
	require.Empty(t, *got)
	writeAll(t, wb, spansOf(0, 10, 10, 20, 20, 30))
	r.to(101)
	require.Equal(t, spansOf(0, 10, 10, 20, 20, 30), *got)
}

func TestD20_OrIsTheUnion(t *testing.T) {
	for name, c := range map[string]struct{ in, want []timebase.Span }{ // a, b, a, b, ...
		"connected":    {spansOf(0, 10, 0, 10, 10, 20, 10, 20), spansOf(0, 10, 10, 20)},
		"overlapping":  {spansOf(0, 20, 10, 30, 20, 40), spansOf(0, 20, 20, 30, 30, 40)},
		"covered":      {spansOf(0, 100, 10, 20), spansOf(0, 100)},
		"gap":          {spansOf(0, 10, 20, 30), spansOf(0, 10, 20, 30)},
		"late is past": {spansOf(20, 30, 0, 25), spansOf(20, 30)},
	} {
		r := newRig(t, NodeSpec{})
		a, b := Open[int](r.node, "a"), Open[int](r.node, "b")
		w := [2]*StreamWriter[int]{a.StreamWriter(r.module, ""), b.StreamWriter(r.module, "")}
		got := r.record("x", Or(a.Reader(r.module, ReaderSpec{}), b.Reader(r.module, ReaderSpec{})))
		r.start()
		for i, s := range c.in {
			require.NoError(t, w[i%2].Write(s, 0))
		}
		r.to(0)
		require.Equal(t, c.want, *got, name)
	}
}

func TestD20_OrOfEventsAndSpans(t *testing.T) {
	r := newRig(t, NodeSpec{})
	s, e := Open[int](r.node, "s"), Open[int](r.node, "e")
	ws, we := s.StreamWriter(r.module, ""), e.EventWriter(r.module, "")
	got := r.record("x", Or(s.Reader(r.module, ReaderSpec{}), e.Reader(r.module, ReaderSpec{})))
	r.start()
	require.NoError(t, we.Write(5*tick, 0))
	require.NoError(t, we.Write(5*tick, 0))
	require.NoError(t, ws.Write(span(0, 20), 0))
	require.NoError(t, we.Write(14*tick, 0)) // covered by now
	require.NoError(t, we.Write(20*tick, 0))
	r.to(0)
	require.Equal(t, append(stampsOf(5, 5), span(5, 20), timebase.Stamp(20*tick)), *got)
}

func TestD21_AlarmsAndReadersCombine(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	alarm := r.module.PeriodicAlarm("alarm", 0, 20*tick)
	both := r.record("and", And(alarm, read))
	nested := r.record("nested", Or(And(alarm, read), r.module.PeriodicAlarm("slow", 0, 50*tick)))
	halved := r.record("halved", Regulate(And(alarm, read), 0, 10*tick))
	r.start()
	r.to(20)
	require.Empty(t, *both, "the alarm alone is not enough")
	writeAll(t, w, spansOf(0, 30, 30, 40))
	r.to(40)
	require.Equal(t, spansOf(0, 20, 20, 30, 30, 40), *both)
	require.Equal(t, spansOf(0, 50), *nested, "the slow alarm had covered it all")
	require.Equal(t, spansOf(0, 10, 10, 20, 20, 30, 30, 40), *halved)
}

func TestD22_SameTraceWithOneAndManyManagers(t *testing.T) {
	want := runCar(t, carSpec{managers: 1})
	require.NotZero(t, want.hash)
	for managers := 2; managers <= 4; managers++ {
		require.Equal(t, want, runCar(t, carSpec{managers: managers}))
		require.Equal(t, want, runCar(t, carSpec{managers: managers, parallel: true}))
	}
	require.NotEqual(
		t,
		want.hash,
		runCar(t, carSpec{fault: true}).hash,
		"the hash sees another run",
	)
}
