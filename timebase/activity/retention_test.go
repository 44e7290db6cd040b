package activity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// A module that works 100 ms behind the clock finds the event that is valid for its time, however
// rare events are.
func TestKeep_RareEventsStayUntilTheNextOneIsOld(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w, read := ch.EventWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{Mode: JumpToMatchTime})
	var got []int
	r.module.Activity("write", Spec{Trigger: r.module.PeriodicAlarm("events", 0, 500*tick),
		Work: func(c Cycle) error {
			return w.Write(c.Span.Start, int(c.Span.Start/tick))
		}}).
		SwitchOn(0)
	r.module.Activity("read", Spec{Trigger: r.module.PeriodicAlarm("late", 100*tick, 100*tick),
		Work: func(c Cycle) error {
			d, ok := read.Read(c.Span.Start - 100*tick)
			require.True(t, ok, "at %v", c.Span.Start)
			got = append(got, d.Value)
			return nil
		}}).
		SwitchOn(0)
	r.start().to(1101)
	require.Equal(t, []int{0, 0, 0, 0, 0, 500, 500, 500, 500, 500, 1000}, got)
}

// StartOrEarlier finds the last datum before a stop during the break.
func TestKeep_StoppedStreamsStayUntilTheNextDatumIsOld(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{Match: StartOrEarlier})
	writeAll(t, w, spansOf(0, 20, 20, 40))
	w.Stop()
	require.NoError(t, w.Write(span(1000, 1020), 2))
	d, ok := read.Read(900 * tick)
	require.True(t, ok)
	require.Equal(t, 1, d.Value)
	w.Stop()
	require.NoError(t, w.Write(span(1200, 1220), 3))
	_, ok = read.Read(900 * tick)
	require.False(t, ok, "superseded 200 ms ago")
}

// For any data, a reader that lags behind the newest datum by at most the retention finds the same
// data as if nothing were ever dropped. Nothing else is kept.
func TestKeep_AgainstAReaderThatKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := NewNode(NodeSpec{})
		m := n.Module("m")
		keep := timebase.Time(rapid.IntRange(0, 30).Draw(t, "keep"))
		ch := Open[int](n, "c").Keep(keep)
		events := rapid.Bool().Draw(t, "events")
		match := Match(rapid.IntRange(0, 1).Draw(t, "match"))
		read := ch.Reader(m, ReaderSpec{Mode: JumpToMatchTime, Match: match})
		w, k := (*StreamWriter[int])(nil), (*EventWriter[int])(nil)
		if events {
			k = ch.EventWriter(m, "")
		} else {
			w = ch.StreamWriter(m, "")
		}
		var all []timebase.Span
		for i := range rapid.IntRange(1, 25).Draw(t, "data") {
			start := timebase.Time(rapid.IntRange(0, 20).Draw(t, "distance"))
			if i > 0 {
				start += all[i-1].End
			}
			s := timebase.Span{Start: start, End: start}
			if events {
				require.NoError(t, k.Write(start, i))
			} else {
				s.End += timebase.Time(rapid.IntRange(1, 10).Draw(t, "length"))
				w.Stop()
				require.NoError(t, w.Write(s, i))
			}
			all = append(all, s)
			newest := all[len(all)-1].Start
			for at := newest - keep; at <= newest+12; at++ {
				want := -1
				for j, s := range all {
					if s.Start <= at && (events || match == StartOrEarlier || at < s.End) {
						want = j
					}
				}
				if !events && match == IntervalStart && want >= 0 && !all[want].Contains(at) {
					want = -1
				}
				d, ok := read.Read(at)
				require.Equal(t, want >= 0, ok, "at %d of %v", at, all)
				if ok {
					require.Equal(t, want, d.Value, "at %d of %v", at, all)
				}
			}
			e := read.core.binds[0].entry
			for j := e.head; j+1 < e.tail; j++ {
				require.Greater(t, all[j+1].Start, newest-keep, "%d is kept for nothing", j)
			}
		}
	})
}
