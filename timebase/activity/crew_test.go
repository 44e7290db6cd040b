package activity

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// sharedClock is a handClock for several goroutines. Time passes while the clock waits.
type sharedClock struct {
	mu  sync.Mutex
	now timebase.Time
}

func (c *sharedClock) Now() timebase.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *sharedClock) Wait(done <-chan struct{}, d timebase.Duration, wake <-chan struct{}) {
	if d >= timebase.EndOfTime/2 { // only an event can end this wait
		select {
		case <-done:
		case <-wake:
		}
		return
	}
	select {
	case <-done:
	case <-wake:
	default:
		c.mu.Lock()
		c.now += d
		c.mu.Unlock()
	}
}

// A callback that takes as long as five periods of another manager's loop delays neither the loop
// nor anything it triggers. The callback returns after five periods of the loop; in one thread, it
// would never return.
func TestParallelWallClock_LongCallbackDelaysNoOtherManager(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 3, Parallel: true})
	ch := Open[int](r.node, "c")
	w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	rounds := make(chan struct{}, 1000)
	r.module.Activity("long", Spec{Trigger: r.module.PeriodicAlarm("slow", 0, 100*tick),
		Work: func(c Cycle) error {
			for range 5 {
				<-rounds
			}
			return nil
		}}).
		SwitchOn(0)
	r.module.Activity("loop", Spec{Priority: Priority{Manager: 2}, Trigger: r.module.PeriodicAlarm(
		"fast", 0, 10*tick),
		Work: func(c Cycle) error { return w.Write(c.Span, int(c.Span.Start/tick)) }}).
		SwitchOn(0)
	var sum int
	r.module.Activity("follow", Spec{Priority: Priority{Manager: 1}, Trigger: read,
		Work: func(c Cycle) error {
			d, ok := read.Read(c.Span.Start)
			require.True(t, ok)
			sum += d.Value
			rounds <- struct{}{}
			return nil
		}}).
		SwitchOn(0)
	var threads atomic.Int32
	clock := r.wall(
		WallSpec{
			Source:   &sharedClock{},
			OnThread: func(manager int) { threads.Add(1 << (8 * manager)) },
		},
	)
	require.NoError(t, clock.Run(context.Background(), 200*tick))
	require.EqualValues(t, 0x010101, threads.Load(), "one for each manager")
	require.Equal(t, 10*(19*20/2), sum)
	require.NoError(
		t,
		clock.Run(context.Background(), 210*tick),
		"a second run continues where the first ended",
	)
	require.EqualValues(t, 0x020202, threads.Load())
	require.Equal(t, 10*(20*21/2), sum)
}

// With threads, data-triggered activities are called for the same spans and with the same data.
func TestParallelWallClock_GivesTheSameSpans(t *testing.T) {
	run := func(spec NodeSpec, drive func(n *Node)) []TraceLine {
		spec.Managers, spec.Trace = 3, true
		n := NewNode(spec)
		carInput(n, "PedalsIO", "pedals", 10*tick, 2, 0)
		carInput(n, "WheelIO", "wheel", 15*tick, 0, 0)
		Open[float64](n, "pedals").Keep(timebase.Second) // for threads that lag behind others
		Open[float64](n, "wheel").Keep(timebase.Second)
		carSim(n, 1)
		drive(n)
		return n.Trace()
	}
	want := run(NodeSpec{}, func(n *Node) {
		c, err := NewVirtualClock(n, 0)
		require.NoError(t, err)
		require.NoError(t, c.AdvanceTo(timebase.Second))
	})
	for range 20 {
		require.Equal(t, want, run(NodeSpec{Parallel: true}, func(n *Node) {
			c, err := NewWallClock(n, WallSpec{Source: &sharedClock{}})
			require.NoError(t, err)
			require.NoError(t, c.Run(context.Background(), timebase.Second))
		}))
	}
}

// For the race detector, two managers simultaneously use everything in a node that callbacks may
// use.
func TestParallelWallClock_CallbacksShareTheNode(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2, Parallel: true})
	ch, all := Open[int](r.node, "c").Keep(20*tick), Open[string](r.node, "all")
	input := ch.EventWriter(r.module, "outside")
	reads := [2]*Reader[int]{}
	var acts [2]*Activity
	asked := [2]*AperiodicAlarm{}
	for i, name := range []string{"a", "b"} {
		m := r.node.Module(name)
		w, k := ch.StreamWriter(m, "s"), all.EventWriter(m, name)
		reads[i] = ch.Reader(m, ReaderSpec{All: true, Mode: ReadAllData})
		texts := all.Reader(m, ReaderSpec{All: true})
		alarm := m.PeriodicAlarm("alarm", 0, tick)
		asked[i] = m.AperiodicAlarm("asked")
		acts[i] = m.Activity(
			"work",
			Spec{Priority: Priority{Manager: i}, Trigger: alarm, Work: func(c Cycle) error {
				for range texts.All(c.Span.End) {
					_ = texts.Unread(c.Span.End)
				}
				_, _ = reads[i].Newest()
				var last int
				reads[i].Drain(c.Span.End, &last)
				_ = asked[i].Request(r.node.Now() + 2*tick)
				_, _, _, _ = acts[1-i].Cycles(), acts[1-i].Err(), acts[1-i].Why(), acts[1-i].Stats()
				_, _ = r.node.Queue(0), reads[i].Lost()
				if c.Span.Start%(10*tick) == 0 {
					w.Stop()
					return nil
				}
				return w.Write(
					timebase.Span{Start: max(c.Span.Start, w.entry.end), End: c.Span.End},
					last+1,
				)
			}},
		)
		acts[i].SwitchOn(0)
		m.Activity("asked", Spec{Priority: Priority{Manager: i}, Trigger: Or(asked[i], reads[i]),
			Work: func(c Cycle) error {
				acts[i].SwitchOn(c.Span.Start)
				return k.Write(r.node.Now(), m.Name())
			}, Safe: Safe{On: alarm, Work: func(Cycle) error { return alarm.SetPeriod(0, tick) }}}).
			SwitchOn(0)
	}
	source := &sharedClock{}
	clock := r.wall(WallSpec{Source: source})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		for range 100 {
			clock.Post(func() { _ = input.Write(r.node.Now(), 1) })
		}
	}()
	for until := 50 * tick; until <= 200*tick; until += 50 * tick {
		require.NoError(t, clock.Run(ctx, until))
	}
	<-posted
	require.NoError(t, clock.Run(ctx, 201*tick))
	for i := range acts {
		require.NoError(t, acts[i].Err())
		require.GreaterOrEqual(t, acts[i].Cycles(), uint64(201))
	}
}

// A callback that fails or panics is switched off, the clock reports it, and building is impossible
// meanwhile.
func TestParallelWallClock_FailuresAndBuilding(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2, Parallel: true})
	for i, work := range []Callback{
		func(Cycle) error {
			return errors.New("out of fuel")
		}, func(Cycle) error { panic("no road") },
	} {
		m := r.node.Module([]string{"a", "b"}[i])
		m.Activity("work", Spec{Priority: Priority{Manager: i}, Trigger: m.PeriodicAlarm("alarm", 0,
			tick), Work: work}).
			SwitchOn(0)
	}
	clock := r.wall(WallSpec{Source: &sharedClock{}})
	require.NoError(t, clock.Run(context.Background(), 10*tick))
	require.Equal(t, []Finding{ActivityFailed, ActivityFailed}, r.found())

	clock.Post(func() { r.module.StepAlarm("late") })
	require.NoError(t, clock.Run(context.Background(), 20*tick))
	require.ErrorIs(t, clock.Run(context.Background(), 30*tick), ErrRunning)
}

// When the context ends a run, running callbacks return, and due activities remain due.
func TestParallelWallClock_StopsWithItsContext(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2, Parallel: true})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := [2]int{}
	for i := range calls {
		m := r.node.Module([]string{"a", "b"}[i])
		m.Activity("work", Spec{Priority: Priority{Manager: i}, Trigger: m.PeriodicAlarm("alarm", 0,
			tick), Work: func(Cycle) error {
			if calls[i]++; i == 1 && calls[i] == 3 {
				cancel()
			}
			return nil
		}}).
			SwitchOn(0)
	}
	clock := r.wall(WallSpec{Source: &sharedClock{}})
	require.ErrorIs(t, clock.Run(ctx, timebase.EndOfTime), context.Canceled)
	require.NoError(t, clock.Run(context.Background(), clock.Now()))
	require.Equal(t, calls[0], calls[1], "caught up")
}
