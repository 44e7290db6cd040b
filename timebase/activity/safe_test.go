package activity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// guarded creates an activity with a safe callback, and returns the cycles of both callbacks.
func (r *rig) guarded(
	name string,
	periods int,
	on Trigger,
	trigger Trigger,
) (worked, safe *[]timebase.Span) {
	worked, safe = new([]timebase.Span), new([]timebase.Span)
	note := func(list *[]timebase.Span) Callback {
		return func(c Cycle) error { *list = append(*list, c.Span); return nil }
	}
	r.module.Activity(name,
		Spec{Trigger: trigger, Work: note(worked),
			Safe: Safe{On: on, Periods: periods, Work: note(safe)}}).
		SwitchOn(0)
	return worked, safe
}

// Input that arrives late is processed for the time that the safe callback has not handled.
func TestLateInputAfterTheSafeCallback(t *testing.T) {
	r := newRig(t, NodeSpec{})
	s, e := Open[int](r.node, "s").Keep(timebase.Second), Open[int](r.node, "e")
	w, k := s.StreamWriter(r.module, ""), e.EventWriter(r.module, "")
	alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
	plain, plainSafe := r.guarded("plain", 2, alarm, s.Reader(r.module, ReaderSpec{}))
	both, bothSafe := r.guarded("both", 2, alarm, And(alarm, s.Reader(r.module, ReaderSpec{})))
	events, eventsSafe := r.guarded("events", 2, alarm, e.Reader(r.module, ReaderSpec{}))
	r.start()
	r.to(35)
	for _, safe := range []*[]timebase.Span{plainSafe, bothSafe, eventsSafe} {
		require.Equal(t, spansOf(10, 20, 20, 30), *safe)
	}
	require.NoError(t, w.Write(span(0, 40), 0))
	for _, at := range []timebase.Time{5, 29, 30, 31} {
		require.NoError(t, k.Write(at*tick, 0))
	}
	r.to(45)
	require.Equal(t, spansOf(30, 40), *plain)
	require.Equal(t, spansOf(30, 40), *both)
	require.Equal(t, stampsOf(30, 31), *events)
	r.to(61)
	require.Equal(
		t,
		spansOf(10, 20, 20, 30, 50, 60),
		*plainSafe,
		"[40,50) was the first without input again",
	)
	require.Equal(
		t,
		[]Finding{
			InputFailed,
			InputFailed,
			InputFailed,
			InputRestored,
			InputRestored,
			InputRestored,
			InputFailed,
			InputFailed,
			InputFailed,
		},
		r.found(),
	)
}

func TestSafeCallbackOnlyWhileSwitchedOn(t *testing.T) {
	r := newRig(t, NodeSpec{})
	step := r.module.StepAlarm("step")
	never := r.module.AperiodicAlarm("never")
	_, safe := r.guarded("a", 0, step, never)
	a := r.node.acts[0]
	a.SwitchOff(0)
	r.start()
	r.to(10)
	require.Empty(t, *safe)
	require.Empty(t, r.reports, "inactive activities do not wait for input")
	a.SwitchOn(15 * tick)
	r.to(20)
	require.Equal(t, spansOf(15, 20), *safe, "in the same step, cut to the time it is on")
	a.SwitchOff(20 * tick)
	r.to(30)
	require.Len(t, *safe, 1)
	require.Equal(t, []Finding{InputFailed}, r.found())
}

// Two deadlines in one advance are judged one after the other, each before anything later happens.
func TestDeadlinesAreJudgedInTheOrderOfTime(t *testing.T) {
	r := newRig(t, NodeSpec{})
	var order []string
	never := r.module.AperiodicAlarm("never")
	for name, period := range map[string]timebase.Time{"fast": 4, "slow": 6} {
		alarm := r.module.PeriodicAlarm(name, 0, period*tick)
		r.module.Activity(name, Spec{Trigger: never, Work: func(Cycle) error { return nil },
			Safe: Safe{
				On: alarm,
				Work: func(c Cycle) error {
					order = append(order, name+" "+c.Span.String())
					return nil
				},
			}}).SwitchOn(0)
	}
	r.start()
	r.to(12)
	require.Equal(t, []string{
		"fast [0.000000000s,0.004000000s)", "slow [0.000000000s,0.006000000s)",
		"fast [0.004000000s,0.008000000s)", "fast [0.008000000s,0.012000000s)",
		"slow [0.006000000s,0.012000000s)",
	}, order)
}

// Data that arrives before the end of its own period counts, even if another deadline was earlier.
func TestInputBetweenTwoDeadlinesCounts(t *testing.T) {
	r := newRig(t, NodeSpec{})
	never := r.module.AperiodicAlarm("never")
	_, fast := r.guarded("fast", 1, r.module.PeriodicAlarm("fast", 0, 2*tick), never)
	_, slow := r.guarded(
		"slow",
		1,
		r.module.PeriodicAlarm("slow", 0, 20*tick),
		r.module.PeriodicAlarm("input", 19*tick, 20*tick),
	)
	r.start()
	r.to(40)
	require.Len(t, *fast, 20)
	require.Empty(t, *slow)
}

// During a long failure, the history of a guarded And is dropped for the time that was handled; a
// shared And keeps it for the other activity.
func TestHistoryDuringAFailure(t *testing.T) {
	for _, shared := range []bool{false, true} {
		r := newRig(t, NodeSpec{})
		ch := Open[int](r.node, "c").Keep(timebase.Second)
		w := ch.StreamWriter(r.module, "")
		alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
		both := And(alarm, ch.Reader(r.module, ReaderSpec{}))
		worked, safe := r.guarded("guarded", 1, alarm, both)
		plain := &[]timebase.Span{}
		if shared {
			plain = r.record("plain", both)
		}
		r.start()
		r.to(100)
		history := both.(*andTrigger).sources[0].history.len()
		require.NoError(t, w.Write(span(0, 100), 0))
		r.to(101)
		require.Len(t, *safe, 10)
		require.Empty(t, *worked)
		if shared {
			require.Equal(t, 10, history)
			require.Len(t, *plain, 10)
		} else {
			require.Zero(t, history)
		}
	}
}

func TestSwitchingOffAndOnAtOneInstantIsNotAnInterruption(t *testing.T) {
	r := newRig(t, NodeSpec{})
	var cycles []Cycle
	a := r.module.Activity("a", Spec{Trigger: r.module.PeriodicAlarm("alarm", 0, 10*tick),
		Work: func(c Cycle) error { cycles = append(cycles, c); return nil }})
	a.SwitchOn(0)
	a.SwitchOff(15 * tick)
	a.SwitchOn(15 * tick)
	r.start()
	r.to(20)
	require.Equal(t, []Cycle{{Span: span(0, 10), First: true}, {Span: span(10, 20)}}, cycles)
}

// When the safe callback has handled the time for which a part waited in vain, the next such
// backlog is reported again.
func TestBacklogOfEachFailureIsReported(t *testing.T) {
	r := newRig(t, NodeSpec{History: 3 * timebase.Second})
	a, b := Open[int](r.node, "a").Keep(0), Open[int](r.node, "b")
	w := a.StreamWriter(r.module, "")
	slow := r.module.PeriodicAlarm("slow", 0, 5000*tick)
	r.guarded("g", 1, slow, And(a.Reader(r.module, ReaderSpec{}), b.Reader(r.module, ReaderSpec{})))
	r.start()
	for round := range timebase.Time(2) {
		for i := range timebase.Time(5000) {
			require.NoError(t, w.Write(span(5000*round+i, 5000*round+i+1), 0))
		}
		r.to(5000*round + 5000)
	}
	require.Equal(t, []Finding{TriggerBacklog, InputFailed, TriggerBacklog}, r.found())
}

// Work that began in an earlier period and extends into this one is input for both.
func TestInputAcrossTwoPeriods(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.StreamWriter(r.module, "")
	worked, safe := r.guarded(
		"g",
		1,
		r.module.PeriodicAlarm("alarm", 0, 10*tick),
		ch.Reader(r.module, ReaderSpec{}),
	)
	r.start()
	require.NoError(t, w.Write(span(5, 15), 0))
	r.to(30)
	require.Equal(t, spansOf(5, 15), *worked)
	require.Equal(t, spansOf(20, 30), *safe)
}

// The wait that is shown starts where the time of the safe callback ends.
func TestHistoryBeginsAfterTheSafeCallback(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.StreamWriter(r.module, "")
	slow, fast := r.module.PeriodicAlarm(
		"slow",
		0,
		100*tick,
	), r.module.PeriodicAlarm(
		"fast",
		0,
		10*tick,
	)
	worked, safe := r.guarded("g", 1, fast, And(slow, ch.Reader(r.module, ReaderSpec{})))
	r.start()
	r.to(25)
	require.Equal(t, spansOf(0, 10, 10, 20), *safe)
	require.Contains(
		t,
		r.node.acts[0].Why(),
		"it holds alarm test/slow every 0.100000000s from 0.020000000s on",
	)
	require.NoError(t, w.Write(span(0, 50), 0))
	r.to(26)
	require.Equal(t, spansOf(20, 50), *worked)
}

// An event at the very start of a period is input for it.
func TestEventAtTheStartOfAPeriod(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.EventWriter(r.module, "")
	worked, safe := r.guarded(
		"g",
		1,
		r.module.PeriodicAlarm("alarm", 0, 10*tick),
		ch.Reader(r.module, ReaderSpec{}),
	)
	r.start()
	require.NoError(t, w.Write(10*tick, 0))
	r.to(30)
	require.Equal(t, stampsOf(10), *worked)
	require.Equal(t, spansOf(20, 30), *safe)
}
