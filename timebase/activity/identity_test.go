package activity

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// A restored state is assigned to its readers by their mode, by the activity that they trigger, or
// by name, regardless of the order in which they were created.
func TestRestore_IntoANodeBuiltInAnotherOrder(t *testing.T) {
	type program struct {
		*rig
		w       *EventWriter[int]
		readers map[string]*Reader[int]
		calls   map[string]int
	}
	build := func(order []string) program {
		p := program{
			rig:     newRig(t, NodeSpec{}),
			readers: map[string]*Reader[int]{},
			calls:   map[string]int{},
		}
		ch := Open[int](p.node, "c").Keep(0)
		p.w = ch.EventWriter(p.module, "")
		for _, name := range order {
			spec := ReaderSpec{}
			switch name {
			case "all data":
				spec.Mode = ReadAllData
			case "named":
				spec.Name = name
			}
			r := ch.Reader(p.module, spec)
			p.readers[name] = r
			if name == "a" || name == "b" {
				p.module.Activity(name, Spec{Trigger: r, Work: func(Cycle) error {
					p.calls[name]++
					return nil
				}}).
					SwitchOn(0)
			}
		}
		p.start()
		return p
	}
	first := build([]string{"a", "b", "all data", "named", "plain"})
	for i := range 6 {
		require.NoError(t, first.w.Write(timebase.Time(i)*tick, i))
	}
	read := map[string]int{"a": 1, "b": 2, "all data": 3, "named": 4, "plain": 5}
	for name, count := range read {
		for range count {
			first.readers[name].Read(timebase.EndOfTime)
		}
	}
	state, err := first.node.AppendState(nil)
	require.NoError(t, err)
	second := build([]string{"plain", "named", "all data", "b", "a"})
	require.NoError(t, second.node.RestoreState(state))
	for name, count := range read {
		d, ok := second.readers[name].Read(timebase.EndOfTime)
		require.True(t, ok)
		require.Equal(t, count, d.Value, name)
	}
}

// Indistinguishable readers are rejected when a state is saved, unless they have no state.
func TestSave_RefusesIndistinguishableReaders(t *testing.T) {
	r := newRig(t, NodeSpec{})
	events, streams := Open[int](r.node, "events"), Open[int](r.node, "streams")
	events.EventWriter(r.module, "")
	streams.StreamWriter(r.module, "")
	streams.Reader(r.module, ReaderSpec{})
	streams.Reader(r.module, ReaderSpec{})
	events.Reader(r.module, ReaderSpec{})
	r.start()
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	events.Reader(r.module, ReaderSpec{})
	_, err = r.node.AppendState(nil)
	require.ErrorIs(t, err, ErrName)
	require.ErrorContains(t, err, "ReaderSpec.Name")
	require.ErrorIs(t, r.node.RestoreState(state), ErrName)
}

// A clock that is created after restoring would restart the alarms at its own time.
func TestRestore_BeforeThereIsAClock(t *testing.T) {
	build := func() (*rig, *AperiodicAlarm, *[]timebase.Span) {
		r := newRig(t, NodeSpec{})
		alarm := r.module.AperiodicAlarm("alarm")
		return r, alarm, r.record("a", alarm)
	}
	clocked, _, _ := build()
	clocked.start().to(50)
	state, err := clocked.node.AppendState(nil)
	require.NoError(t, err)
	r, _, _ := build()
	err = r.node.RestoreState(state)
	require.ErrorIs(t, err, ErrSnapshot)
	require.ErrorContains(t, err, "make the clock before you save or restore")

	other, alarm, _ := build()
	require.NoError(t, alarm.Request(7*tick))
	state, err = other.node.AppendState(nil)
	require.NoError(t, err)
	require.ErrorIs(t, clocked.node.RestoreState(state), ErrSnapshot)
	r, _, spans := build()
	require.NoError(t, r.node.RestoreState(state))
	r.start().to(10)
	require.Equal(t, stampsOf(7), *spans)
}

// Spans held back by the time base of a safe callback are part of the state.
func TestTimeBaseOfASafeCallbackIsPartOfTheState(t *testing.T) {
	build := func() (*rig, *StreamWriter[int], *[]timebase.Span) {
		r := newRig(t, NodeSpec{})
		ch := Open[int](r.node, "c")
		w := ch.StreamWriter(r.module, "")
		_, safe := r.guarded(
			"g",
			1,
			Regulate(ch.Reader(r.module, ReaderSpec{}), 0, 10*tick),
			r.module.AperiodicAlarm("never"),
		)
		return r.start(), w, safe
	}
	r, w, _ := build()
	require.NoError(t, w.Write(span(0, 7), 0))
	r.to(7)
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	fresh, v, safe := build()
	require.NoError(t, fresh.node.RestoreState(state))
	require.NoError(t, v.Write(span(7, 12), 0))
	fresh.to(20)
	require.Equal(t, spansOf(0, 10), *safe)
}

// counter is a module that keeps its state outside of channels.
type counter struct{ n, refuse byte }

func (c *counter) AppendState(dst []byte) ([]byte, error) {
	if c.n == 100 {
		return dst, errors.New("a hundred is too much")
	}
	return append(dst, c.n), nil
}

func (c *counter) RestoreState(src []byte) error {
	if len(src) != 1 || src[0] == c.refuse {
		return errors.New("not this one")
	}
	c.n = src[0]
	return nil
}

func TestKeepState_SavesWhatModulesKeep(t *testing.T) {
	build := func(names ...string) (*rig, map[string]*counter) {
		r, all := newRig(t, NodeSpec{}), map[string]*counter{}
		for _, name := range names {
			c := &counter{refuse: 255}
			all[name] = c
			m := r.node.Module(name)
			m.KeepState(c)
			m.Activity("count", Spec{Trigger: m.PeriodicAlarm("clock", 0, tick),
				Work: func(Cycle) error { c.n++; return nil }}).
				SwitchOn(0)
		}
		return r.start(), all
	}
	r, counters := build("a", "b")
	counters["b"].n = 40
	r.to(2)
	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	r.to(7)

	counters["b"].refuse = 42
	err = r.node.RestoreState(state)
	require.ErrorIs(t, err, ErrSnapshot)
	require.ErrorContains(t, err, `state of module "b": not a state of this node: not this one`)
	require.EqualValues(t, 7, counters["a"].n, "taken back")
	require.EqualValues(t, 47, counters["b"].n)
	require.Equal(t, 7*tick, r.node.Now())

	counters["b"].refuse = 255
	require.NoError(t, r.node.RestoreState(state))
	require.EqualValues(t, 2, counters["a"].n)
	r.to(3)
	require.EqualValues(t, 43, counters["b"].n)

	fresh, again := build("b", "a")
	require.NoError(t, fresh.node.RestoreState(state))
	require.EqualValues(t, 2, again["a"].n)
	require.EqualValues(t, 42, again["b"].n)

	counters["a"].n = 100
	same, err := r.node.AppendState([]byte("kept"))
	require.ErrorContains(t, err, "a hundred is too much")
	require.Equal(t, "kept", string(same))

	other, _ := build("a")
	require.ErrorIs(t, other.node.RestoreState(state), ErrSnapshot)
	other.node.Module("a").KeepState(&counter{})
	require.ErrorContains(t, other.node.Err(), "a second one")
}
