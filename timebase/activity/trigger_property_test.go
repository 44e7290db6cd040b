package activity

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

const horizon = 40 // ticks that the models examine; of 1 ns, so that nothing lies between them

// drawSpans draws the data of one stream: spans of 1 to 6 ticks, with a gap here and there.
func drawSpans(t *rapid.T, label string) []timebase.Span {
	var all []timebase.Span
	at := timebase.Time(rapid.IntRange(0, 5).Draw(t, label+" start"))
	for at < horizon-12 {
		length := timebase.Time(rapid.IntRange(1, 6).Draw(t, label+" length"))
		all = append(all, timebase.Span{Start: at, End: at + length})
		at += length
		if rapid.IntRange(0, 3).Draw(t, label+" gap?") == 0 {
			at += timebase.Time(rapid.IntRange(1, 6).Draw(t, label+" gap"))
		}
	}
	return all
}

// drawStamps draws the data of one event entry.
func drawStamps(t *rapid.T, label string) []timebase.Span {
	stamps := rapid.SliceOfN(rapid.IntRange(0, horizon-1), 0, 12).Draw(t, label)
	slices.Sort(stamps)
	all := make([]timebase.Span, len(stamps))
	for i, s := range stamps {
		all[i] = timebase.Stamp(timebase.Time(s))
	}
	return all
}

// feed writes the data of all sources in an order drawn at random, advancing the clock now and
// then. It returns the spans emitted by the trigger that combine builds from the readers, and the
// order in which the data was written. Streams may or may not declare that they have no data for a
// while, which must make no difference.
func feed(
	t *rapid.T,
	sources [][]timebase.Span,
	combine func(...Trigger) Trigger,
) (got, order []timebase.Span) {
	n := NewNode(NodeSpec{Granule: 1})
	m := n.Module("m")
	readers, write, skip := make(
		[]Trigger,
		len(sources),
	), make(
		[]func(timebase.Span) error,
		len(sources),
	), make(
		[]func(timebase.Time),
		len(sources),
	)
	for i, data := range sources {
		ch := Open[int](n, fmt.Sprint(i))
		if len(data) > 0 && data[0].IsStamp() {
			w := ch.EventWriter(m, "")
			write[i], skip[i] = func(s timebase.Span) error {
				return w.Write(s.Start, 0)
			}, func(timebase.Time) {}
		} else {
			w := ch.StreamWriter(m, "")
			write[i], skip[i] = func(s timebase.Span) error { return w.Write(s, 0) }, w.Skip
		}
		readers[i] = ch.Reader(m, ReaderSpec{})
	}
	m.Activity("a", Spec{Trigger: combine(readers...), Work: func(c Cycle) error {
		got = append(got, c.Span)
		return nil
	}}).SwitchOn(-timebase.EndOfTime)
	clock, err := NewVirtualClock(n, 0)
	require.NoError(t, err)
	next := make([]int, len(sources))
	for {
		var open []int
		for i := range sources {
			if next[i] < len(sources[i]) {
				open = append(open, i)
			}
		}
		if len(open) == 0 {
			break
		}
		i := rapid.SampledFrom(open).Draw(t, "source")
		s := sources[i][next[i]]
		if rapid.Bool().Draw(t, "skip") {
			skip[i](s.Start - timebase.Time(rapid.IntRange(0, 8).Draw(t, "short of")))
			if rapid.Bool().Draw(t, "others first") {
				continue
			}
		}
		next[i]++
		require.NoError(t, write[i](s))
		order = append(order, s)
		if rapid.Bool().Draw(t, "advance") {
			require.NoError(t, clock.AdvanceTo(clock.Now()+1))
		}
	}
	require.NoError(t, clock.AdvanceTo(clock.Now()+1))
	return got, order
}

func covers(spans []timebase.Span, t timebase.Time) bool {
	return slices.ContainsFunc(spans, func(s timebase.Span) bool { return s.Contains(t) })
}

func hasBoundary(spans []timebase.Span, t timebase.Time) bool {
	return slices.ContainsFunc(
		spans,
		func(s timebase.Span) bool { return s.Start == t || s.End == t },
	)
}

// andModel evaluates every tick separately.
func andModel(streams, events [][]timebase.Span) []timebase.Span {
	var all []timebase.Span
	for t := timebase.Time(0); t < horizon; t++ {
		in, cut := true, false
		for _, s := range streams {
			in = in && covers(s, t)
			cut = cut || hasBoundary(s, t)
		}
		switch {
		case !in:
		case len(events) > 0:
			for range fewest(events, t) {
				all = append(all, timebase.Stamp(t))
			}
		case !cut && len(all) > 0 && all[len(all)-1].End == t:
			all[len(all)-1].End = t + 1
		default:
			all = append(all, timebase.Span{Start: t, End: t + 1})
		}
	}
	return all
}

// fewest returns how often stamp t occurs in the event source in which it is rarest.
func fewest(events [][]timebase.Span, t timebase.Time) int {
	least := 1 << 30
	for _, e := range events {
		count := 0
		for _, s := range e {
			if s.Start == t {
				count++
			}
		}
		least = min(least, count)
	}
	return least
}

func TestAndAgainstTheModelOnTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var streams, events [][]timebase.Span
		for i := range rapid.IntRange(1, 3).Draw(t, "streams") {
			streams = append(streams, drawSpans(t, fmt.Sprint("stream ", i)))
		}
		for i := range rapid.IntRange(0, 2).Draw(t, "events") {
			if e := drawStamps(t, fmt.Sprint("events ", i)); len(e) > 0 {
				events = append(events, e)
			}
		}
		got, _ := feed(t, append(slices.Clone(streams), events...), And)
		require.Equal(t, andModel(streams, events), got)
	})
}

// A nested And is the same as a flat one, because cutting and intersecting are associative.
func TestAndIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sources := [][]timebase.Span{drawSpans(t, "a"), drawSpans(t, "b"), drawSpans(t, "c")}
		got, _ := feed(t, sources, func(p ...Trigger) Trigger { return And(And(p[0], p[1]), p[2]) })
		require.Equal(t, andModel(sources, nil), got)
	})
}

// orModel emits every tick of what arrives that is not yet passed.
func orModel(order []timebase.Span) []timebase.Span {
	var all []timebase.Span
	passed := timebase.Time(-1) // the latest tick emitted; for a stamp, the tick before it
	for _, s := range order {
		if s.IsStamp() {
			if s.Start > passed {
				all = append(all, s)
				passed = s.Start - 1
			}
			continue
		}
		fresh := timebase.Span{}
		for t := s.Start; t < s.End; t++ {
			if t > passed {
				if fresh.Empty() {
					fresh = timebase.Span{Start: t, End: t}
				}
				fresh.End = t + 1
				passed = t
			}
		}
		if !fresh.Empty() {
			all = append(all, fresh)
		}
	}
	return all
}

func TestOrAgainstTheModelOnTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sources := [][]timebase.Span{drawSpans(t, "a"), drawSpans(t, "b")}
		if e := drawStamps(t, "events"); len(e) > 0 {
			sources = append(sources, e)
		}
		got, order := feed(t, sources, Or)
		require.Equal(t, orModel(order), got) // data written outside of a round trigger at once
		for i := 1; i < len(got); i++ {
			require.LessOrEqual(t, got[i-1].End, got[i].Start, "no time twice, none backwards")
		}
	})
}

// When data arrives in time order, Or covers exactly the time covered by any source.
func TestOrOfDataInOrderIsTheWholeUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSpans(t, "a"), drawSpans(t, "b")
		all := append(slices.Clone(a), b...)
		slices.SortFunc(all, func(x, y timebase.Span) int { return int(x.Start - y.Start) })
		o := Or().(*orTrigger)
		var got []timebase.Span
		o.targets = []target{{listenFunc(func(s timebase.Span) { got = append(got, s) }), 0}}
		for _, s := range all {
			o.accept(0, s)
		}
		for at := timebase.Time(0); at < horizon; at++ {
			require.Equal(t, covers(a, at) || covers(b, at), covers(got, at), "tick %d", at)
		}
	})
}

type listenFunc func(timebase.Span)

func (f listenFunc) accept(_ int, s timebase.Span) { f(s) }

// regulateModel cuts each stretch that is covered without a gap at the grid; the incomplete part of
// the last stretch waits.
func regulateModel(in []timebase.Span, offset, period timebase.Time) []timebase.Span {
	var all []timebase.Span
	onGrid := func(t timebase.Time) bool { return ((t-offset)%period+period)%period == 0 }
	last := in[len(in)-1].End
	for t := timebase.Time(0); t < last; t++ {
		switch {
		case !covers(in, t):
		case t > 0 && covers(in, t-1) && !onGrid(t) && len(all) > 0:
			all[len(all)-1].End = t + 1
		default:
			all = append(all, timebase.Span{Start: t, End: t + 1})
		}
	}
	if k := len(all) - 1; all[k].End == last && !onGrid(last) {
		all = all[:k]
	}
	return append([]timebase.Span{}, all...)
}

// greedyModel starts a period at the first covered tick that is not emitted, and ends it on the
// grid.
func greedyModel(in []timebase.Span, offset, period timebase.Time) []timebase.Span {
	var all []timebase.Span
	done := timebase.Time(-1)
	for t := timebase.Time(0); t < horizon; t++ {
		if covers(in, t) && t >= done {
			done = t + 1
			for ((done-offset)%period+period)%period != 0 {
				done++
			}
			all = append(all, timebase.Span{Start: t, End: done})
		}
	}
	return all
}

func TestRegulatorsAgainstTheModelOnTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawSpans(t, "input")
		offset, period := timebase.Time(
			rapid.IntRange(-9, 9).Draw(t, "offset"),
		), timebase.Time(
			rapid.IntRange(1, 12).Draw(t, "period"),
		)
		got, _ := feed(
			t,
			[][]timebase.Span{in},
			func(p ...Trigger) Trigger { return Regulate(p[0], offset, period) },
		)
		require.Equal(
			t,
			regulateModel(in, offset, period),
			append([]timebase.Span{}, got...),
			"Regulate %v",
			in,
		)
		got, _ = feed(
			t,
			[][]timebase.Span{in},
			func(p ...Trigger) Trigger { return RegulateGreedy(p[0], offset, period) },
		)
		require.Equal(t, greedyModel(in, offset, period), got, "RegulateGreedy %v", in)
	})
}

// D3, D4, D6: whatever is written, stored spans are not empty, do not overlap, and contain the data
// written for new time.
func TestStreamsNeverOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := NewNode(NodeSpec{})
		m := n.Module("m")
		ch := Open[int](n, "c")
		w, read := ch.StreamWriter(m, ""), ch.Reader(m, ReaderSpec{Mode: ReadAllData})
		owner := map[timebase.Time]int{} // the first datum that covers a tick
		newest := timebase.Time(-1 << 40)
		for i := range rapid.IntRange(1, 20).Draw(t, "data") {
			s := timebase.Span{Start: timebase.Time(rapid.IntRange(0, 60).Draw(t, "start"))}
			s.End = s.Start + timebase.Time(rapid.IntRange(-2, 9).Draw(t, "length"))
			err := w.Write(s, i)
			require.Equal(t, s.Empty() || s.End <= newest, err != nil, "%v after %v", s, newest)
			if err == nil {
				for at := max(s.Start, newest); at < s.End; at++ {
					owner[at] = i
				}
				newest = s.End
			}
		}
		end := timebase.Time(-1 << 40)
		for d := range read.All(timebase.EndOfTime) {
			require.False(t, d.Span.Empty())
			require.GreaterOrEqual(t, d.Span.Start, end)
			end = d.Span.End
			for at := d.Span.Start; at < d.Span.End; at++ {
				require.Equal(t, owner[at], d.Value)
				delete(owner, at)
			}
		}
		require.Empty(t, owner, "nothing is missing")
	})
}
