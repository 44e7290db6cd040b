package activity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// Drain is equivalent to All without returning the data: for every mode, kind and choice of
// entries, both leave twin readers in the same state.
func TestDrainIsTheLastOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := NewNode(NodeSpec{})
		m := n.Module("m")
		ch := Open[int](
			n,
			"c",
		).Keep(timebase.Time(rapid.IntRange(0, 20).Draw(t, "keep"))).
			Limit(rapid.IntRange(1, 8).Draw(t, "limit"))
		streams := ch.StreamWriter(m, "stream")
		events := []*EventWriter[int]{ch.EventWriter(m, "a"), ch.EventWriter(m, "b")}
		spec := ReaderSpec{
			Mode:  ReadMode(rapid.IntRange(0, int(ReadReservation)).Draw(t, "mode")),
			Match: Match(rapid.IntRange(0, int(StartOrEarlier)).Draw(t, "match")),
		}
		if spec.All = rapid.Bool().Draw(t, "all"); !spec.All {
			spec.Label = rapid.SampledFrom([]string{"a", "b", "stream", "nobody"}).Draw(t, "label")
		}
		draining, reading := ch.Reader(m, spec), ch.Reader(m, spec)
		at := [3]timebase.Time{}
		newest := -1
		for i := range rapid.IntRange(0, 30).Draw(t, "writes") {
			which := rapid.IntRange(0, 2).Draw(t, "writer")
			step := timebase.Time(rapid.IntRange(0, 5).Draw(t, "step"))
			if which == 2 {
				require.NoError(
					t,
					streams.Write(timebase.Span{Start: at[which], End: at[which] + step + 1}, i),
				)
				step++
			} else {
				require.NoError(t, events[which].Write(at[which]+step, i))
			}
			at[which] += step
			if rapid.Bool().Draw(t, "read") {
				until := timebase.Time(rapid.IntRange(-1, 40).Draw(t, "until"))
				want, span, count := newest, timebase.Span{}, 0
				for d := range reading.All(until) {
					want, span = d.Value, d.Span
					count++
				}
				gotSpan, gotCount := draining.Drain(until, &newest)
				require.Equal(t, want, newest)
				require.Equal(t, span, gotSpan)
				require.Equal(t, count, gotCount)
				require.Equal(
					t,
					reading.Unread(timebase.EndOfTime),
					draining.Unread(timebase.EndOfTime),
				)
				require.Equal(t, reading.Lost(), draining.Lost())
			}
		}
	})
}

func TestDrainLeavesTheValueAloneWhenThereIsNone(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[string](r.node, "c")
	w := ch.EventWriter(r.module, "")
	reader := ch.Reader(r.module, ReaderSpec{})
	held := "held"
	require.NoError(t, w.Write(5*tick, "new"))
	for _, at := range []timebase.Time{4, 5, 6} {
		s, count := reader.Drain(at*tick, &held)
		if at == 5 {
			require.Equal(t, timebase.Stamp(5*tick), s)
			require.Equal(t, 1, count)
			require.Equal(t, "new", held)
			held = "held"
			continue
		}
		require.Zero(t, count)
		require.Zero(t, s)
		require.Equal(t, "held", held)
	}
}

// Entries that trigger nothing are published outside the order of names. An activity that is built
// in the same round and triggered by one of them must not be missed.
func TestEntryBeginsToTriggerInTheRoundInWhichItIsWritten(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.EventWriter(r.module, "")
	var got []timebase.Span
	r.module.Activity("a", Spec{Trigger: r.module.PeriodicAlarm("alarm", 0, 10*tick),
		Work: func(c Cycle) error {
			if c.First {
				r.module.Activity("b", Spec{Trigger: ch.Reader(r.module, ReaderSpec{}),
					Work: func(c Cycle) error {
						got = append(got, c.Span)
						return nil
					}}).
					SwitchOn(0)
			}
			return w.Write(c.Span.Start, 1)
		}}).
		SwitchOn(0)
	r.start().to(11)
	require.Equal(t, []timebase.Span{timebase.Stamp(0), timebase.Stamp(10 * tick)}, got)
}
