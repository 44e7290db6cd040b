package activity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// blueprint is a program drawn at random: each module is triggered by an alarm or by earlier
// modules, reads from any module, and writes a result.
type blueprint struct {
	Kind    int           // 0 alarm, 1 reader, 2 And, 3 Or, 4 regulator, 5 And with the alarm
	Period  timebase.Time // in ticks
	Inputs  [2]int        // earlier modules that trigger this one
	Glances [2]int        // modules whose newest datum is read
	Keys    bool          // writes an event as well
	Guard   timebase.Time // period of a safe callback in ticks, 0 for none
	// requests an alarm after this many ticks, which triggers a separate activity; 0 for none
	Ask timebase.Time
	// switches itself off in this cycle, and on again a while later; 0 for never
	Break int
}

func drawBlueprints(t *rapid.T) []blueprint {
	all := make([]blueprint, rapid.IntRange(2, 7).Draw(t, "modules"))
	for i := range all {
		pick := func(below int, label string) int {
			return rapid.IntRange(0, max(below-1, 0)).Draw(t, label)
		}
		all[i] = blueprint{
			Kind: rapid.IntRange(0, min(5*i, 5)).
				Draw(t, "kind"),
			Period:  timebase.Time(rapid.IntRange(1, 9).Draw(t, "period")),
			Inputs:  [2]int{pick(i, "input"), pick(i, "input")},
			Glances: [2]int{pick(len(all), "glance"), pick(len(all), "glance")},
			Keys:    rapid.Bool().Draw(t, "keys"),
			Guard:   timebase.Time(max(rapid.IntRange(-9, 9).Draw(t, "guard"), 0)),
			Ask:     timebase.Time(rapid.IntRange(-6, 6).Draw(t, "ask")),
			Break:   max(rapid.IntRange(-6, 6).Draw(t, "break"), 0),
		}
	}
	return all
}

// assemble adds one module to a node.
func (b blueprint) assemble(n *Node, i int, p Priority) {
	m := n.Module(fmt.Sprint("m", i))
	stream := func(k int) *Channel[int] { return Open[int](n, fmt.Sprint("c", k)) }
	in := [2]*Reader[int]{
		stream(b.Inputs[0]).Reader(m, ReaderSpec{}),
		stream(b.Inputs[1]).Reader(m, ReaderSpec{}),
	}
	var trigger Trigger
	switch alarm := func() Trigger {
		return m.PeriodicAlarm("clock", timebase.Time(i)*tick, b.Period*tick)
	}; b.Kind {
	case 0:
		trigger = alarm()
	case 1:
		trigger = in[0]
	case 2:
		trigger = And(in[0], in[1])
	case 3:
		trigger = Or(in[0], in[1])
	case 4:
		trigger = Regulate(in[0], 0, b.Period*tick)
	default:
		trigger = And(in[0], alarm())
	}
	glance := [2]*Reader[int]{
		stream(b.Glances[0]).Reader(m, ReaderSpec{}),
		stream(b.Glances[1]).Reader(m, ReaderSpec{}),
	}
	keys := Open[int](n, "keys").Reader(m, ReaderSpec{All: true})
	w := stream(i).StreamWriter(m, "")
	k := Open[int](n, "keys").EventWriter(m, "")
	var a *Activity
	alarm := m.AperiodicAlarm("asked")
	work := func(c Cycle) error {
		x, _ := glance[0].Newest()
		y, _ := glance[1].Newest()
		sum := 3*x.Value + 5*y.Value + i + 1 + int(n.Now()/tick)
		for d := range keys.All(c.Span.End) {
			sum = 7*sum + d.Value
		}
		if b.Ask != 0 {
			_ = alarm.Request(n.Now() + b.Ask*tick) // refused unless later than the newest
		}
		if a.Cycles() == uint64(b.Break) {
			a.SwitchOff(c.Span.End)
			a.SwitchOn(c.Span.End + 11*tick)
		}
		if b.Keys {
			if err := k.Write(n.Now(), sum); err != nil {
				return err
			}
		}
		return w.Write(c.Span, sum)
	}
	spec := Spec{Trigger: trigger, Priority: p, Work: work}
	if b.Guard > 0 {
		spec.Safe = Safe{
			On:      m.PeriodicAlarm("guard", b.Guard*tick/2, b.Guard*tick),
			Periods: 1 + i%2,
			Work:    work,
		}
	}
	if b.Guard%3 == 1 { // safe at first, and again after a while
		spec.Critical = true
	}
	a = m.Activity("work", spec)
	a.SwitchOn(0)
	a.SwitchWork(b.Period * 3 * tick / 2)
	a.SwitchSafe(50*tick + 1)
	a.SwitchWork(60 * tick)
	answer := Open[int](n, "answers").EventWriter(m, "")
	m.Activity("answer", Spec{Trigger: alarm, Priority: p, Work: func(c Cycle) error {
		return answer.Write(n.Now(), int(c.Span.Start))
	}}).SwitchOn(0)
}

// D11, D22: any program gives the same trace, for any creation order of its modules, number of
// managers, assignment and priority of activities, and size of the clock's steps, parallel or not.
func TestAnyProgramIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := drawBlueprints(t)
		run := func(order []int, spec NodeSpec, priority func() Priority,
			step func() timebase.Time) []TraceLine {
			spec.Trace = true
			n := NewNode(spec)
			for _, i := range order {
				program[i].assemble(n, i, priority())
			}
			clock, err := NewVirtualClock(n, 0)
			require.NoError(t, err)
			for clock.Now() < 100*tick {
				require.NoError(t, clock.AdvanceTo(min(clock.Now()+step()*tick, 100*tick)))
			}
			return n.Trace()
		}
		order := make([]int, len(program))
		for i := range order {
			order[i] = i
		}
		want := run(
			order,
			NodeSpec{},
			func() Priority { return Priority{} },
			func() timebase.Time { return 100 },
		)
		got := run(
			rapid.Permutation(order).Draw(t, "order"),
			NodeSpec{
				Managers: rapid.IntRange(1, 4).Draw(t, "managers"),
				Parallel: rapid.Bool().Draw(t, "parallel"),
			},
			func() Priority {
				return Priority{
					rapid.IntRange(0, 3).Draw(t, "manager"),
					rapid.IntRange(-500, 500).Draw(t, "order"),
				}
			},
			func() timebase.Time { return timebase.Time(rapid.IntRange(1, 30).Draw(t, "step")) },
		)
		require.Equal(t, want, got)
	})
}

// If a trace omitted data that it cannot cover, two different runs would look equal.
func TestTraceRefusesWhatItCannotCover(t *testing.T) {
	build := func(with Codec[withCodec]) (*rig, *EventWriter[withCodec]) {
		r := newRig(t, NodeSpec{Trace: true})
		ch := Open[withCodec](r.node, "c")
		if with != nil {
			ch.Codec(with)
		}
		return r, ch.EventWriter(r.module, "")
	}
	r, w := build(nil)
	_ = w.Write(0, withCodec{}) // seals the node
	_, err := NewVirtualClock(r.node, 0)
	require.ErrorIs(t, err, ErrCodec)
	require.ErrorContains(t, err, "give the channel a Codec before the clock is made")
	require.ErrorIs(t, w.Write(0, withCodec{}), ErrCodec)

	hash := func(values ...int) uint64 {
		r, w := build(intPointer{})
		r.start()
		for i, v := range values {
			require.NoError(t, w.Write(timebase.Time(i), withCodec{&v}))
		}
		return r.node.TraceHash()
	}
	require.Equal(t, hash(1, 2), hash(1, 2))
	require.NotEqual(t, hash(1, 2), hash(1, 3))

	r, w = build(intPointer{})
	r.start()
	negative := -1
	require.NoError(t, w.Write(0, withCodec{&negative}))
	err = r.clock.AdvanceTo(tick)
	require.ErrorIs(t, err, ErrCodec)
	require.ErrorContains(t, err, "negative")
}

func TestBuildingInsideAParallelRoundIsRefused(t *testing.T) {
	r := newRig(t, NodeSpec{Parallel: true})
	ch := Open[int](r.node, "c")
	calls := 0
	r.module.Activity("a", Spec{Trigger: r.module.StepAlarm("step"), Work: func(Cycle) error {
		calls++
		require.ErrorIs(t, ch.StreamWriter(r.module, "x").Write(span(0, 1), 0), ErrRunning)
		require.ErrorIs(t, ch.Reader(r.module, ReaderSpec{}).Err(), ErrRunning)
		require.ErrorIs(t, Open[int](r.node, "new").EventWriter(r.module, "").Err(), ErrRunning)
		r.module.AperiodicAlarm("late")
		r.module.Activity("late", Spec{})
		return nil
	}}).
		SwitchOn(0)
	r.start()
	r.to(1)
	require.Equal(t, 1, calls)
	require.ErrorIs(t, r.clock.AdvanceTo(2*tick), ErrRunning)
	require.ErrorContains(t, r.node.Err(), "build between two advances of the clock")
	_, err := r.node.AppendState(nil)
	require.ErrorIs(t, err, ErrRunning)
}

// Two streams that are written in the same round reach an Or in the order of names, regardless of
// which was written first.
func TestOrOfDataOfOneRoundIsDeterministic(t *testing.T) {
	run := func(first, second int) []timebase.Span {
		r := newRig(t, NodeSpec{Managers: 2})
		alarm := r.module.PeriodicAlarm("alarm", 0, 20*tick)
		var readers []Trigger
		for i, name := range []string{"a", "b"} {
			ch := Open[int](r.node, name)
			w := ch.StreamWriter(r.module, "")
			readers = append(readers, ch.Reader(r.module, ReaderSpec{}))
			r.module.Activity("write "+name,
				Spec{Trigger: alarm, Priority: Priority{Manager: []int{first, second}[i]},
					Work: func(c Cycle) error {
						return w.Write(
							timebase.Span{
								Start: c.Span.Start,
								End:   c.Span.Start + timebase.Time(10*i+10)*tick,
							},
							0,
						)
					}}).
				SwitchOn(0)
		}
		spans := r.record("or", Or(readers...))
		r.start()
		r.to(1)
		return *spans
	}
	require.Equal(t, spansOf(0, 10, 10, 20), run(1, 0))
	require.Equal(t, spansOf(0, 10, 10, 20), run(0, 1))
}
