package activity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

func TestWarp_ShiftsSpansAndStamps(t *testing.T) {
	r := newRig(t, NodeSpec{})
	alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
	ch := Open[int](r.node, "c")
	w := ch.EventWriter(r.module, "")
	ahead := r.record("ahead", Warp(alarm, 25*tick))
	behind := Warp(ch.Reader(r.module, ReaderSpec{}), -3*tick)
	late := r.record("late", behind)
	r.node.acts[1].SwitchOn(-timebase.Second)
	r.start()
	require.NoError(t, w.Write(0, 0))
	require.NoError(t, w.Write(7*tick, 0))
	r.to(11)
	require.Equal(t, spansOf(25, 35, 35, 45), *ahead)
	require.Equal(t, stampsOf(-3, 4), *late)
	require.Equal(t, `Warp(channel "c", entry 0 read by test, -0.003000000s)`, behind.String())
	require.Contains(
		t,
		r.node.acts[1].Why(),
		"test writes to channel \"c\" again after 0.007000000s (shifted by -0.003000000s)",
	)
}

// After a change, spans neither overlap nor go back; at the limits of time nothing wraps around.
func TestWarp_ChangesAndLimits(t *testing.T) {
	r := newRig(t, NodeSpec{})
	alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
	warp, far := Warp(alarm, 20*tick), Warp(alarm, timebase.EndOfTime-5*tick)
	spans, end := r.record("a", warp), r.record("b", far)
	r.start()
	r.to(10)
	warp.SetWarp(5 * tick)
	r.to(30)
	warp.SetWarp(100 * tick)
	r.to(40)
	require.Equal(t, spansOf(20, 30, 30, 35, 130, 140), *spans, "[15,25) has been emitted")
	require.Equal(
		t,
		[]timebase.Span{{Start: timebase.EndOfTime - 5*tick, End: timebase.EndOfTime}},
		*end,
	)
}

// A loop: the controller works at t with the state from t-h. The first span is pulled manually.
func TestManualTrigger_StartsALoop(t *testing.T) {
	const h = 10 * tick
	for _, parallel := range []bool{false, true} {
		r := newRig(t, NodeSpec{Managers: 2, Parallel: parallel})
		state, command := Open[int](r.node, "state"), Open[int](r.node, "command")
		model, controller := r.node.Module("model"), r.node.Module("controller")
		ws, rs := state.StreamWriter(model, ""), state.Reader(controller, ReaderSpec{})
		wc, rc := command.StreamWriter(controller, ""), command.Reader(model, ReaderSpec{})
		begin := controller.ManualTrigger("begin")
		input := controller.PeriodicAlarm("input", 0, h)
		controller.Activity("control",
			Spec{Priority: Priority{Manager: 1}, Trigger: And(Or(Warp(rs, h), begin), input),
				Work: func(c Cycle) error {
					last, _ := rs.Read(c.Span.Start - h)
					return wc.Write(c.Span, last.Value+1)
				}}).
			SwitchOn(0)
		var states []int
		model.Activity("step", Spec{Trigger: rc, Work: func(c Cycle) error {
			d, _ := rc.Read(c.Span.Start)
			states = append(states, 2*d.Value)
			return ws.Write(c.Span, 2*d.Value)
		}}).SwitchOn(0)
		r.start()
		require.Contains(t, r.node.acts[0].Why(), "or until trigger controller/begin is pulled")
		require.NoError(t, begin.Pull(timebase.Span{Start: 0, End: h}))
		r.to(50)
		require.Equal(t, []int{2, 6, 14, 30, 62}, states)
		require.Empty(t, r.reports)
	}
}

func TestManualTrigger_GoesByTime(t *testing.T) {
	r := newRig(t, NodeSpec{})
	hand := r.module.ManualTrigger("hand")
	spans := r.record("a", hand)
	require.ErrorIs(t, hand.Pull(timebase.Span{Start: 5, End: 4}), timebase.ErrSpan)
	r.start()
	require.NoError(t, hand.Pull(span(0, 10)))
	require.ErrorIs(t, hand.Pull(span(9, 20)), ErrOrder)
	require.NoError(t, hand.Pull(timebase.Stamp(10*tick)))
	require.NoError(t, hand.Pull(timebase.Stamp(10*tick)))
	r.to(1)
	require.Equal(t, append(spansOf(0, 10), stampsOf(10, 10)...), *spans)
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	require.NoError(t, hand.Pull(span(20, 30)))
	require.NoError(t, r.node.RestoreState(state))
	require.ErrorIs(t, hand.Pull(span(9, 20)), ErrOrder)
	require.NoError(t, hand.Pull(span(10, 20)))
}

// Pulls by the callbacks of one round are executed in the order of names.
func TestManualTrigger_OfOneRound(t *testing.T) {
	run := func(first, second int) []timebase.Span {
		r := newRig(t, NodeSpec{Managers: 2})
		alarm := r.module.PeriodicAlarm("alarm", 0, timebase.Second)
		var hands []Trigger
		for i, name := range []string{"a", "b"} {
			hand := r.module.ManualTrigger(name)
			hands = append(hands, hand)
			r.module.Activity("pull "+name,
				Spec{Trigger: alarm, Priority: Priority{Manager: []int{first, second}[i]},
					Work: func(Cycle) error { return hand.Pull(span(0, timebase.Time(10*i+10))) }}).
				SwitchOn(0)
		}
		spans := r.record("or", Or(hands...))
		r.start().to(1)
		return *spans
	}
	require.Equal(t, spansOf(0, 10, 10, 20), run(1, 0))
	require.Equal(t, spansOf(0, 10, 10, 20), run(0, 1))
}

// A new trigger takes over at the end of the round; spans held back by the old one are discarded,
// even if it is used again later.
func TestSetTrigger(t *testing.T) {
	r := newRig(t, NodeSpec{})
	fast, slow := r.module.PeriodicAlarm(
		"fast",
		0,
		10*tick,
	), r.module.PeriodicAlarm(
		"slow",
		0,
		40*tick,
	)
	ch := Open[int](r.node, "c").Keep(timebase.Second)
	w := ch.StreamWriter(r.module, "")
	both := And(fast, ch.Reader(r.module, ReaderSpec{}))
	spans := r.record("a", both)
	a := r.node.acts[0]
	r.start()
	r.to(15)
	require.NoError(t, a.SetTrigger(slow))
	require.Equal(t, "alarm test/slow every 0.040000000s", a.trigger.String())
	r.to(75)
	require.NoError(t, w.Write(span(0, 200), 0))
	require.NoError(t, a.SetTrigger(both))
	require.NoError(t, w.Write(span(200, 300), 0))
	r.to(95)
	require.NoError(t, w.Write(span(300, 400), 0))
	r.to(211)
	require.Equal(t, spansOf(40, 80, 200, 210, 210, 220), *spans)

	r.module.Activity("switch", Spec{Trigger: r.module.PeriodicAlarm("once", 240*tick,
		timebase.Second), Work: func(Cycle) error {
		return a.SetTrigger(slow)
	}}).
		SwitchOn(0)
	*spans = nil
	r.to(290)
	require.Equal(t, spansOf(220, 230, 230, 240, 240, 250, 280, 320), *spans)

	require.ErrorIs(t, a.SetTrigger(nil), ErrSpec)
	require.ErrorIs(t, a.SetTrigger(And()), ErrSpec)
	require.ErrorContains(
		t,
		a.SetTrigger(newRig(t, NodeSpec{}).module.StepAlarm("s")),
		"a trigger of another node",
	)
	require.NoError(t, r.node.Err())
}

// A program that stores requests in no particular order requests the earliest one after withdrawing
// the others.
func TestCancel_WithdrawsRequests(t *testing.T) {
	for _, inside := range []bool{false, true} {
		r := newRig(t, NodeSpec{})
		alarm := r.module.AperiodicAlarm("alarm")
		spans := r.record("a", alarm)
		r.start()
		require.NoError(t, alarm.Request(50*tick))
		require.NoError(t, alarm.Request(60*tick))
		again := func() error {
			require.Equal(t, 2, alarm.Cancel())
			require.Zero(t, alarm.Cancel())
			return alarm.Request(20 * tick)
		}
		if inside {
			r.module.Activity("b", Spec{Trigger: r.module.PeriodicAlarm("once", 10*tick,
				timebase.Second), Work: func(Cycle) error { return again() }}).
				SwitchOn(0)
		} else {
			r.to(10)
			require.NoError(t, again())
		}
		r.to(100)
		require.Equal(t, stampsOf(20), *spans)
		require.Equal(t, timebase.EndOfTime, alarm.due)
	}
}

// Flushing is equivalent to reading and discarding the data. Oldest and Latest return what reading
// would return.
func TestFlushOldestAndLatest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := NewNode(NodeSpec{})
		m := n.Module("m")
		ch := Open[int](
			n,
			"c",
		).Keep(timebase.Time(rapid.IntRange(0, 20).Draw(t, "keep"))).
			Limit(rapid.IntRange(1, 8).Draw(t, "limit"))
		events := []*EventWriter[int]{ch.EventWriter(m, "a"), ch.EventWriter(m, "b")}
		spec := ReaderSpec{
			Mode: ReadMode(rapid.IntRange(0, int(ReadReservation)).Draw(t, "mode")),
			All:  rapid.Bool().Draw(t, "all"),
		}
		flushing, reading := ch.Reader(m, spec), ch.Reader(m, spec)
		_, ok := flushing.Oldest()
		_, late := flushing.Latest()
		require.False(t, ok || late)
		at := [2]timebase.Time{}
		for i := range rapid.IntRange(0, 30).Draw(t, "writes") {
			which := rapid.IntRange(0, 1).Draw(t, "writer")
			at[which] += timebase.Time(rapid.IntRange(0, 5).Draw(t, "step"))
			require.NoError(t, events[which].Write(at[which], i))
			if !rapid.Bool().Draw(t, "flush") {
				continue
			}
			until := timebase.Time(rapid.IntRange(-1, 40).Draw(t, "until"))
			oldest, ok := flushing.Oldest()
			first, count := timebase.Span{}, 0
			for d := range reading.All(until) {
				if count == 0 {
					first = d.Span
				}
				count++
			}
			if spec.Mode == JumpToMatchTime {
				require.Zero(t, flushing.Flush(until))
				_, found := reading.Newest()
				require.Equal(t, found, ok)
			} else {
				require.Equal(t, count, flushing.Flush(until))
				if count > 0 {
					require.Equal(t, first, oldest)
				}
			}
			require.Equal(
				t,
				reading.Unread(timebase.EndOfTime),
				flushing.Unread(timebase.EndOfTime),
			)
			latest, ok := flushing.Latest()
			newest, found := reading.Newest()
			require.Equal(t, found, ok)
			require.Equal(t, newest.Span, latest)
		}
	})
}
