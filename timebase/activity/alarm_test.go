package activity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// The clock may start before 0, so times requested before there is a clock have not passed.
func TestRequestsBeforeTheClock(t *testing.T) {
	r := newRig(t, NodeSpec{})
	alarm := r.module.AperiodicAlarm("alarm")
	stamps := r.record("a", alarm)
	r.node.acts[0].SwitchOn(-20 * tick)
	require.NoError(t, alarm.Request(-10*tick))
	require.NoError(t, alarm.Request(5*tick))
	c, err := NewVirtualClock(r.node, -20*tick)
	require.NoError(t, err)
	require.NoError(t, c.AdvanceTo(-10*tick))
	require.Empty(t, *stamps)
	require.NoError(t, c.AdvanceTo(10*tick))
	require.Equal(t, stampsOf(-10, 5), *stamps)
}

func TestPeriodChangeOfAnAlarm(t *testing.T) {
	r := newRig(t, NodeSpec{})
	alarm := r.module.PeriodicAlarm("alarm", 5*tick, 10*tick)
	spans := r.record("a", alarm)
	r.start()
	r.to(7)
	require.ErrorIs(t, alarm.SetPeriod(0, 0), ErrSpec)
	require.NoError(t, alarm.SetPeriod(2*tick, 20*tick))
	r.to(50)
	require.Equal(t, spansOf(5, 15, 15, 22, 22, 42, 42, 62), *spans)

	early := newRig(t, NodeSpec{})
	alarm = early.module.PeriodicAlarm("alarm", 0, 10*tick)
	spans = early.record("a", alarm)
	early.start()
	require.NoError(t, alarm.SetPeriod(3*tick, 4*tick))
	early.to(10)
	require.Equal(t, spansOf(3, 7, 7, 11), *spans, "before the first period it changes at once")
}

func TestAlarmsSkipWhatLiesBeforeTheClock(t *testing.T) {
	n := NewNode(NodeSpec{})
	m := n.Module("m")
	var got []timebase.Span
	note := func(c Cycle) error { got = append(got, c.Span); return nil }
	m.Activity("a", Spec{Trigger: m.PeriodicAlarm("a", 0, 20*tick), Work: note}).SwitchOn(0)
	m.Activity("b", Spec{Trigger: m.PeriodicAlarm("b", 130*tick, 20*tick), Work: note}).
		SwitchOn(0)
	m.Activity("c", Spec{Trigger: m.PeriodicAlarm("c", 5*tick, 50*tick), Work: note}).
		SwitchOn(0)
	clock, err := NewVirtualClock(n, 105*tick)
	require.NoError(t, err)
	require.NoError(t, clock.AdvanceTo(140*tick))
	require.Equal(
		t,
		spansOf(105, 155, 120, 140, 130, 150),
		got,
		"a period that starts with the clock is not left out",
	)
}

func TestRequestsInsideCallbacks(t *testing.T) {
	r := newRig(t, NodeSpec{})
	chain := r.module.AperiodicAlarm("chain")
	var at []timebase.Time
	r.module.Activity("first", Spec{Trigger: r.module.PeriodicAlarm("p", 10*tick, timebase.Second),
		Work: func(c Cycle) error { return chain.Request(c.Span.Start) }}).
		SwitchOn(0)
	r.module.Activity("chained", Spec{Trigger: chain, Work: func(c Cycle) error {
		require.Equal(t, timebase.Stamp(r.node.Now()), c.Span)
		at = append(at, r.node.Now())
		if len(at) < 4 {
			return chain.Request(c.Span.Start + 5*tick)
		}
		return nil
	}}).SwitchOn(0)
	r.start()
	r.to(11)
	require.Equal(
		t,
		[]timebase.Time{10 * tick},
		at,
		"a request for the present fires at this very instant",
	)
	r.to(100)
	require.Equal(t, []timebase.Time{10 * tick, 15 * tick, 20 * tick, 25 * tick}, at)
}

func TestStepAlarmGivesTheSpanOfEachAdvance(t *testing.T) {
	r := newRig(t, NodeSpec{})
	spans := r.record("a", r.module.StepAlarm("step"))
	r.start()
	for _, at := range []timebase.Time{10, 10, 13, 40} {
		r.to(at)
	}
	require.Equal(t, spansOf(0, 10, 10, 13, 13, 40), *spans)
}

func TestNextDueAndStepsToTheEndOfTime(t *testing.T) {
	r := newRig(t, NodeSpec{})
	request := r.module.AperiodicAlarm("request")
	spans := r.record("a", request)
	steps := r.record("steps", r.module.StepAlarm("step"))
	require.NoError(t, request.Request(5*tick), "before there is a clock")
	clock, err := NewVirtualClock(r.node, 20*tick)
	require.NoError(t, err)
	require.Equal(t, 20*tick, clock.NextDue())
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	require.NoError(t, r.node.RestoreState(state))
	require.NoError(t, clock.AdvanceTo(20*tick))
	require.Equal(t, stampsOf(5), *spans)
	require.NoError(t, request.Request(50*tick))
	require.Equal(t, 50*tick, clock.NextDue())
	require.NoError(t, clock.AdvanceTo(clock.NextDue()+1))
	require.Equal(t, stampsOf(5, 50), *spans)
	require.Equal(t, timebase.EndOfTime, clock.NextDue())
	s, err := clock.Step(timebase.EndOfTime)
	require.NoError(t, err)
	require.Equal(t, timebase.EndOfTime, s.End)
	require.Equal(t, timebase.EndOfTime, (*steps)[len(*steps)-1].End)
}

func TestPeriodicAlarmEndsWithTime(t *testing.T) {
	n := NewNode(NodeSpec{})
	m := n.Module("m")
	calls := 0
	m.Activity("a", Spec{Trigger: m.PeriodicAlarm("p", 0, timebase.Second),
		Work: func(c Cycle) error { calls++; return nil }}).
		SwitchOn(0)
	clock, err := NewVirtualClock(n, timebase.EndOfTime-5*timebase.Second/2)
	require.NoError(t, err)
	require.NoError(t, clock.AdvanceTo(timebase.EndOfTime))
	require.NoError(t, clock.AdvanceTo(timebase.EndOfTime))
	require.Equal(t, 2, calls)
}

// Alarms that are due together fire in the order of their names, regardless of what fired before.
func TestAlarmsOfOneInstantFireInTheOrderOfNames(t *testing.T) {
	r := newRig(t, NodeSpec{})
	fired := map[timebase.Time]string{}
	for _, a := range []struct {
		name   string
		period timebase.Duration
	}{{"a", 30}, {"b", 20}, {"c", 10}, {"d", 15}, {"e", 5}} {
		r.module.Activity(a.name, Spec{Trigger: r.module.PeriodicAlarm(a.name, 0, a.period*tick),
			Work: func(c Cycle) error {
				fired[c.Span.Start/tick] += a.name
				return nil
			}}).
			SwitchOn(0)
	}
	r.start()
	r.to(61)
	for at, want := range map[timebase.Time]string{0: "abcde", 10: "ce", 15: "de", 20: "bce",
		30: "acde", 40: "bce", 45: "de", 60: "abcde"} {
		require.Equal(t, want, fired[at], at)
	}
}

// A late request is postponed to the next tick, and the request after it must not fire first.
func TestLateRequestsKeepTheirOrder(t *testing.T) {
	r := newRig(t, NodeSpec{})
	alarm := r.module.AperiodicAlarm("alarm")
	spans := r.record("a", alarm)
	r.start()
	require.NoError(t, r.clock.AdvanceTo(10*tick+tick/2))
	require.NoError(t, alarm.Request(10*tick))
	require.NoError(t, alarm.Request(10*tick+3*tick/4))
	require.NoError(t, alarm.Request(12*tick))
	r.to(20)
	require.Equal(t, stampsOf(11, 11, 12), *spans)
	require.EqualValues(t, 3, alarm.fired, "once per request")
}

// shifted runs a program with all times moved by shift and returns the spans of its activities,
// moved back.
func shifted(t *testing.T, shift timebase.Time) map[string][]timebase.Span {
	r := newRig(t, NodeSpec{})
	s, e := Open[int](r.node, "s").Keep(timebase.EndOfTime), Open[int](r.node, "e")
	w, v, k := s.StreamWriter(
		r.module,
		"a",
	), s.StreamWriter(
		r.module,
		"b",
	), e.EventWriter(
		r.module,
		"",
	)
	read, all, keys := s.Reader(
		r.module,
		ReaderSpec{},
	), s.Reader(
		r.module,
		ReaderSpec{All: true},
	), e.Reader(
		r.module,
		ReaderSpec{},
	)
	periodic := r.module.PeriodicAlarm("periodic", shift, 10*tick)
	once := r.module.AperiodicAlarm("once")
	got := map[string][]timebase.Span{}
	for name, trigger := range map[string]Trigger{
		"read": read, "all": all, "or": Or(read, keys), "and": And(periodic, read),
		"stamps": And(read, keys), "regulated": Regulate(read, shift+2*tick, 10*tick),
		"greedy": RegulateGreedy(read,
			shift+2*tick, 10*tick), "once": once,
	} {
		work := func(c Cycle) error {
			got[name] = append(
				got[name],
				timebase.Span{Start: c.Span.Start - shift, End: c.Span.End - shift},
			)
			return nil
		}
		a := r.module.Activity(name, Spec{Trigger: trigger, Work: work})
		a.SwitchOn(shift)
		a.SwitchOff(shift + 38*tick)
	}
	clock, err := NewVirtualClock(r.node, shift)
	require.NoError(t, err)
	for i, at := range []timebase.Span{span(0, 5), span(5, 20), span(25, 40)} {
		require.NoError(t, w.Write(timebase.Span{Start: at.Start + shift, End: at.End + shift}, i))
		require.NoError(
			t,
			v.Write(timebase.Span{Start: at.Start + shift + tick, End: at.End + shift + tick}, i),
		)
		require.NoError(t, k.Write(at.Start+shift+3*tick, i))
		require.NoError(t, clock.AdvanceTo(at.End+shift))
		require.NoError(t, once.Request(at.Start+shift))
	}
	require.NoError(t, clock.AdvanceTo(shift+60*tick))
	d, ok := read.Read(shift + 4*tick)
	require.True(t, ok, "kept for longer than there is time")
	require.Equal(t, 0, d.Value)
	return got
}

// An experiment may choose any origin of time, because nothing depends on the sign of time.
func TestTimeBeforeZeroIsTimeLikeAnyOther(t *testing.T) {
	want := shifted(t, 0)
	require.Len(t, want, 8)
	for _, shift := range []timebase.Time{-10 * tick, -20 * tick, -1000 * tick, 1000 * tick} {
		require.Equal(t, want, shifted(t, shift), "moved by %v", shift)
	}
}

func TestNextDueIncludesAlarmsMadeMeanwhile(t *testing.T) {
	r := newRig(t, NodeSpec{}).start()
	require.Equal(t, timebase.EndOfTime, r.clock.NextDue())
	r.module.PeriodicAlarm("late", 7*tick, 10*tick)
	require.Equal(t, 7*tick, r.clock.NextDue())
}
