package activity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

func TestClose_Writers(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c").Keep(50 * tick)
	w, k := ch.StreamWriter(r.module, "s"), ch.EventWriter(r.module, "e")
	byTime, inSequence := ch.Reader(
		r.module,
		ReaderSpec{Label: "s"},
	), ch.Reader(
		r.module,
		ReaderSpec{Label: "e"},
	)
	all := ch.Reader(r.module, ReaderSpec{All: true})
	r.start()
	writeAll(t, w, spansOf(0, 10, 10, 100))
	require.NoError(t, k.Write(3*tick, 7))
	require.NoError(t, k.Write(4*tick, 8))
	r.to(20)
	w.Close()
	k.Close()
	w.Close()
	require.ErrorIs(t, w.Write(span(100, 110), 0), ErrClosed)
	require.ErrorIs(t, k.Write(timebase.Second, 0), ErrClosed)
	require.Empty(t, ch.Entries())
	for at, want := range map[timebase.Time]bool{5: true, 19: true, 20: false, 99: false} {
		_, ok := byTime.Read(at * tick)
		require.Equal(t, want, ok, "at %d: closed at 20", at)
	}
	_, ok := all.Newest()
	require.False(t, ok)

	again := ch.StreamWriter(r.module, "s")
	require.NoError(t, again.Write(span(30, 40), 5))
	d, ok := byTime.Read(30 * tick)
	require.True(t, ok)
	require.Equal(t, 5, d.Value)
	d, ok = byTime.Read(15 * tick)
	require.True(t, ok, "still the closed one")
	require.Equal(t, 1, d.Value)
	r.to(70)
	_, ok = byTime.Read(15 * tick)
	require.True(t, ok)
	require.NoError(t, r.clock.AdvanceTo(70*tick+1))
	_, ok = byTime.Read(15 * tick)
	require.False(t, ok, "the channel keeps 50 ms")
	require.Equal(t, []int{7, 8}, values(inSequence, timebase.Second), "nothing unread is lost")
	require.Equal(t, []EntryInfo{{"s", "test", Stream}}, ch.Entries())
}

func TestClose_ReadersChannelsAndActivities(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2})
	ch := Open[int](r.node, "c").Keep(0)
	w := ch.EventWriter(r.module, "")
	lazy, eager := ch.Reader(r.module, ReaderSpec{}), ch.Reader(r.module, ReaderSpec{Name: "eager"})
	spans := r.record("a", eager)
	others := r.record("b", Or(eager, r.module.PeriodicAlarm("alarm", 0, 10*tick)))
	a := r.node.acts[0]
	r.start()
	for i := range timebase.Time(5) {
		require.NoError(t, w.Write(i*tick, 0))
	}
	require.Equal(t, 5, w.entry.kept())
	lazy.Close()
	require.ErrorIs(t, lazy.Err(), ErrClosed)
	_, ok := lazy.Read(timebase.Second)
	require.False(t, ok)
	eager.Flush(timebase.Second)
	require.NoError(t, w.Write(5*tick, 0))
	require.Equal(t, 1, w.entry.kept(), "only eager reads in sequence")
	a.Close()
	a.SwitchOn(0)
	require.Contains(t, a.Why(), "It has been closed.")
	r.to(1)
	require.Empty(t, *spans, "scheduled work does not run")
	require.Equal(t, append(stampsOf(0, 1, 2, 3, 4, 5), span(5, 10)), *others)
	require.Zero(t, r.node.waiting)
	require.Len(t, r.node.Queue(0), 0)

	eager.Close()
	require.NoError(t, w.Write(6*tick, 0))
	r.to(11)
	require.Equal(t, span(10, 20), (*others)[len(*others)-1])
	require.Contains(
		t,
		r.node.acts[0].Why(),
		"never, because the reader of channel \"c\" has been closed",
	)

	ch.Close()
	require.ErrorIs(t, w.Write(7*tick, 0), ErrClosed)
	text := Open[string](r.node, "c")
	require.NoError(t, text.EventWriter(r.module, "").Write(0, "another type"))
	r.to(20)
	require.NoError(t, r.node.Err())
	ch.EventWriter(r.module, "late")
	require.ErrorIs(t, r.node.Err(), nil)
}

// Closing a module removes everything that it owns, and another module can replace it.
func TestClose_Modules(t *testing.T) {
	r := newRig(t, NodeSpec{})
	log := []string{}
	build := func(round int) *Module {
		m := r.node.Module("car")
		ch := Open[int](r.node, "cars")
		w, own := ch.StreamWriter(m, "x"), ch.Reader(m, ReaderSpec{All: true, Mode: ReadAllData})
		m.KeepState(&counter{})
		ch.Watch(m)
		asked, hand := m.AperiodicAlarm("asked"), m.ManualTrigger("hand")
		m.Activity("drive", Spec{Trigger: m.PeriodicAlarm("clock", 0, 10*tick),
			Work: func(c Cycle) error {
				log = append(log, fmt.Sprintf("%d at %d", round, c.Span.Start/tick))
				_, _ = own.Read(c.Span.Start)
				if c.Span.Start == 20*tick {
					require.NoError(t, asked.Request(25*tick))
					m.Close()
					require.NoError(t, w.Write(c.Span, 0), "until the round has ended")
					t.Cleanup(func() {
						require.ErrorIs(t, asked.Request(timebase.Second), ErrClosed)
						require.ErrorIs(t, hand.Pull(timebase.Stamp(timebase.Second)), ErrClosed)
					})
					return nil
				}
				return w.Write(c.Span, round)
			}}).
			SwitchOn(0)
		m.Activity("asked", Spec{Trigger: Or(asked, hand), Work: func(Cycle) error {
			log = append(log, "asked")
			return nil
		}}).
			SwitchOn(0)
		return m
	}
	first := build(1)
	r.start()
	r.to(41)
	build(2)
	r.to(61)
	require.Equal(t, []string{"1 at 0", "1 at 10", "1 at 20", "2 at 50", "2 at 60"}, log)
	require.Len(t, r.node.alarms, 3)
	require.NoError(t, r.node.Err())
	first.PeriodicAlarm("late", 0, tick)
	require.ErrorIs(t, r.node.Err(), ErrClosed)
}

// Traffic modules that come and go leave nothing behind.
func TestClose_LeavesNothingBehind(t *testing.T) {
	r := newRig(t, NodeSpec{Trace: true})
	ch := Open[int](r.node, "cars").Keep(20 * tick)
	display := ch.Reader(r.module, ReaderSpec{All: true})
	r.record("display", display)
	r.start()
	for i := range timebase.Time(300) {
		m := r.node.Module(fmt.Sprint("car ", i%7))
		w, others := ch.StreamWriter(
			m,
			fmt.Sprint(i),
		), ch.Reader(
			m,
			ReaderSpec{All: true, Mode: ReadAllData},
		)
		m.Activity("drive", Spec{Trigger: Or(m.PeriodicAlarm("clock", 0, tick), others),
			Work: func(Cycle) error { return nil }}).
			SwitchOn(0)
		require.NoError(t, w.Write(span(10*i, 10*i+10), 0))
		r.to(10*i + 10)
		m.Close()
	}
	r.to(4000)
	n := r.node
	require.Equal(
		t,
		[]int{0, 0, 1, 0, 0, 1, 0, 0},
		[]int{len(ch.entries), len(ch.gone), len(ch.readers), len(ch.removed), len(n.alarms),
			len(n.acts), n.lingering, len(display.core.binds)},
	)
	require.Len(t, n.modules, 1)
	require.Len(t, n.retired, 300+7)
}

func TestWatch_EntriesThatComeAndGo(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	b := ch.StreamWriter(r.module, "b")
	ch.EventWriter(r.module, "a")
	watcher := ch.Watch(r.module)
	var log []string
	r.module.Activity("watch", Spec{Trigger: watcher, Work: func(c Cycle) error {
		for e := range watcher.All() {
			require.Equal(t, c.Span.Start, e.Time)
			log = append(
				log,
				fmt.Sprintf(
					"%d: %s of %s (%v) closed %v",
					e.Time/tick,
					e.Label,
					e.Module,
					e.Kind,
					e.Closed,
				),
			)
		}
		return nil
	}}).SwitchOn(0)
	r.module.Activity("make", Spec{Trigger: r.module.PeriodicAlarm("once", 20*tick,
		timebase.Second), Work: func(Cycle) error {
		ch.EventWriter(r.node.Module("z"), "")
		ch.EventWriter(r.node.Module("y"), "")
		b.Close()
		short := ch.EventWriter(r.module, "short")
		short.Close()
		return nil
	}}).
		SwitchOn(0)
	r.start()
	require.Contains(t, r.node.acts[1].Why(), "is scheduled")
	r.to(10)
	r.to(30)
	require.Equal(t, []string{
		"0: a of test (event) closed false", "0: b of test (stream) closed false",
		"20: b of test (stream) closed true", "20:  of y (event) closed false",
		"20:  of z (event) closed false",
	}, append(log[:3:3], log[3:]...))
	require.Contains(t, r.node.acts[1].Why(), "Next when an entry of channel \"c\" comes or goes.")
	_, ok := watcher.Next()
	require.False(t, ok)

	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	require.NoError(t, r.node.RestoreState(state))
	require.Contains(t, text(t, r.node), "  watched by test, triggers test/watch\n")
	ch.Watch(r.module)
	require.ErrorContains(t, r.node.Err(), "another watcher of that module")
}

// The trace of traffic modules that come and go depends neither on the advances nor on the order of
// the managers.
func TestTrafficIsTheSameForEveryPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type car struct{ From, Life, Period, Peer int }
		cars := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) car {
			return car{
				rapid.IntRange(0, 60).Draw(t, "from"),
				rapid.IntRange(1, 60).Draw(t, "life"),
				rapid.IntRange(1, 9).Draw(t, "period"),
				rapid.IntRange(0, 4).Draw(t, "peer"),
			}
		}), 1, 6).Draw(t, "cars")
		keep := timebase.Time(rapid.IntRange(0, 30).Draw(t, "keep"))
		run := func(step func() timebase.Time, manager func() int) []TraceLine {
			n := NewNode(NodeSpec{Trace: true, Managers: 3})
			ch := Open[int](n, "cars").Keep(keep * tick)
			spawn := n.Module("spawn")
			start := func(i int, c car) {
				m := n.Module(fmt.Sprint("car ", i))
				w := ch.StreamWriter(m, fmt.Sprint(i%3))
				peer := ch.Reader(m, ReaderSpec{Label: fmt.Sprint(c.Peer)})
				all := ch.Reader(m, ReaderSpec{All: true, Mode: ReadMode(c.Peer % 3)})
				watch := ch.Watch(m)
				end := n.Now() + timebase.Time(c.Life)*tick
				alarm := m.PeriodicAlarm("clock", 0, timebase.Time(c.Period)*tick)
				m.Activity("drive", Spec{Priority: Priority{Manager: manager()}, Trigger: Or(alarm,
					And(alarm, peer), watch),
					Work: func(cy Cycle) error {
						sum := 0
						for d := range all.All(cy.Span.Start) {
							sum = 3*sum + d.Value
						}
						newest, _ := all.Newest()
						late, _ := peer.Read(cy.Span.Start - 10*tick)
						for e := range watch.All() {
							sum += len(e.Module) + len(e.Label)
						}
						if n.Now() >= end {
							m.Close()
						}
						if cy.Span.IsStamp() {
							return nil
						}
						return w.Write(cy.Span, (sum+5*newest.Value+7*late.Value+i)%10_007)
					}}).
					SwitchOn(0)
			}
			for i, c := range cars {
				spawn.Activity(fmt.Sprint(i), Spec{Priority: Priority{Manager: manager()},
					Trigger: spawn.PeriodicAlarm(
						fmt.Sprint(i),
						timebase.Time(c.From)*tick,
						timebase.Second,
					), Work: func(Cycle) error { start(i, c); return nil }}).SwitchOn(0)
			}
			clock, err := NewVirtualClock(n, 0)
			require.NoError(t, err)
			for clock.Now() < 100*tick {
				require.NoError(t, clock.AdvanceTo(min(clock.Now()+step(), 100*tick)))
			}
			return n.Trace()
		}
		want := run(func() timebase.Time { return 100 * tick }, func() int { return 0 })
		got := run(
			func() timebase.Time {
				return timebase.Time(rapid.IntRange(1, 20*int(tick)).Draw(t, "step"))
			},
			func() int { return rapid.IntRange(0, 2).Draw(t, "manager") },
		)
		require.Equal(t, want, got)
	})
}
