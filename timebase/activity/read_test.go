package activity

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// values drains a reader for time at.
func values(r *Reader[int], at timebase.Time) []int {
	all := []int{}
	for d := range r.All(at * tick) {
		all = append(all, d.Value)
	}
	return all
}

func TestReadModesOnStreams(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c").Keep(timebase.Second)
	w := ch.StreamWriter(r.module, "")
	require.NoError(t, w.Write(span(0, 10), 10))
	readers := map[ReadMode]*Reader[int]{}
	for m := AdaptEventStream; m <= ReadReservation; m++ {
		readers[m] = ch.Reader(r.module, ReaderSpec{Mode: m})
	}
	require.NoError(t, w.Write(span(10, 20), 11))
	require.NoError(t, w.Write(span(20, 30), 12))

	require.Equal(t, 1, readers[ReadAllData].Unread(19*tick))
	require.Equal(
		t,
		[]int{11},
		values(readers[ReadAllData], 19),
		"from the first one written after it was made",
	)
	require.Equal(t, []int{12}, values(readers[ReadAllData], 20))
	require.Equal(t, []int{}, values(readers[ReadAllData], 20), "each once")
	require.Equal(
		t,
		[]int{10, 11},
		values(readers[ReadReservation], 19),
		"from the oldest datum that is left",
	)
	for _, m := range []ReadMode{AdaptEventStream, JumpToMatchTime} {
		require.Equal(t, []int{11}, values(readers[m], 19), "%v", m)
		require.Equal(t, []int{10}, values(readers[m], 0), "%v goes back as well", m)
		require.Equal(t, []int{}, values(readers[m], 30), "%v", m)
		require.Zero(t, readers[m].Unread(timebase.EndOfTime))
	}
}

func TestReadModesOnEvents(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c").Keep(timebase.Second)
	w := ch.EventWriter(r.module, "")
	adapt, jump := ch.Reader(
		r.module,
		ReaderSpec{},
	), ch.Reader(
		r.module,
		ReaderSpec{Mode: JumpToMatchTime},
	)
	for i, at := range []timebase.Time{5, 7, 7, 9} {
		require.NoError(t, w.Write(at*tick, i))
	}
	require.Equal(t, 3, adapt.Unread(8*tick))
	require.Equal(t, []int{0, 1, 2}, values(adapt, 8))
	require.Equal(t, []int{3}, values(adapt, 9))
	require.Equal(t, []int{}, values(jump, 4))
	require.Equal(t, []int{0}, values(jump, 6))
	require.Equal(t, []int{2}, values(jump, 7), "the last one of equal stamps")
	require.Equal(t, []int{3}, values(jump, 1000), "sample and hold")
}

func TestMatchRules(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c").Keep(timebase.Second)
	w := ch.StreamWriter(r.module, "")
	strict, earlier := ch.Reader(
		r.module,
		ReaderSpec{},
	), ch.Reader(
		r.module,
		ReaderSpec{Match: StartOrEarlier},
	)
	writeAll(t, w, spansOf(0, 10, 20, 30, 30, 40, 50, 60))
	for at, want := range map[timebase.Time][2][]int{
		-1: {{}, {}}, 0: {{0}, {0}}, 9: {{0}, {0}}, 10: {{}, {0}}, 19: {{}, {0}}, 20: {{1}, {1}},
		45: {{}, {2}}, 99: {{}, {3}},
	} {
		require.Equal(t, want[0], values(strict, at), "IntervalStart at %d", at)
		require.Equal(t, want[1], values(earlier, at), "StartOrEarlier at %d", at)
	}
}

func TestReadersChooseEntries(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	early := ch.Reader(r.module, ReaderSpec{Label: "b"}) // before there is an entry
	mod := func(name string) *Module { return r.node.Module(name) }
	for i, w := range []*EventWriter[int]{ // created in no particular order
		ch.EventWriter(mod("y"), "b"), ch.EventWriter(mod("x"), "c"), ch.EventWriter(mod("x"), "b"),
		ch.EventWriter(mod("z"), "a"),
	} {
		require.NoError(t, w.Write(tick, i))
	}
	at := func(spec ReaderSpec) []int {
		spec.Mode = ReadReservation
		return values(ch.Reader(r.module, spec), 1)
	}
	require.Equal(t, []int{3}, at(ReaderSpec{}), "the first label")
	require.Equal(t, []int{2}, at(ReaderSpec{Index: 1}), "then by module")
	require.Equal(t, []int{0}, at(ReaderSpec{Index: 2}))
	require.Equal(t, []int{1}, at(ReaderSpec{Index: 3}))
	require.Equal(t, []int{}, at(ReaderSpec{Index: 4}))
	require.Equal(t, []int{1}, at(ReaderSpec{Label: "c"}))
	require.Equal(t, []int{}, at(ReaderSpec{Label: "d"}))
	require.Equal(t, []int{3, 2, 0, 1}, at(ReaderSpec{All: true}))
	require.Len(t, values(early, 1), 1, "a label takes one entry")
}

func TestVirtualJoinReadsInTheOrderOfTime(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	a, b := ch.EventWriter(r.module, "a"), ch.EventWriter(r.module, "b")
	read := ch.Reader(r.module, ReaderSpec{All: true})
	got := r.record("x", read)
	r.start()
	for i, at := range []timebase.Time{1, 4, 4, 9} {
		require.NoError(t, a.Write(at*tick, 10+i))
	}
	for i, at := range []timebase.Time{2, 4, 8} {
		require.NoError(t, b.Write(at*tick, 20+i))
	}
	require.Equal(t, []int{10, 20, 11, 12, 21, 22}, values(read, 8))
	r.to(1)
	require.Equal(t, stampsOf(1, 2, 4, 4, 4, 8, 9), *got)
	d, ok := read.Newest()
	require.True(t, ok)
	require.Equal(t, Datum[int]{13, timebase.Stamp(9 * tick), "a"}, d)
}

func TestVirtualJoinOfStreams(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	a, b := ch.StreamWriter(r.module, "a"), ch.StreamWriter(r.module, "b")
	e := ch.EventWriter(r.module, "e")
	read := ch.Reader(r.module, ReaderSpec{All: true})
	got := r.record("x", read)
	r.start()
	require.NoError(t, a.Write(span(0, 20), 1))
	require.NoError(t, b.Write(span(10, 30), 2))
	require.NoError(t, e.Write(5*tick, 3))
	require.Equal(t, []int{3, 1}, values(read, 5), "events first, so that they are drained")
	require.Equal(t, []int{2}, values(read, 15), "the one that starts latest")
	r.to(1)
	require.Equal(
		t,
		append(spansOf(0, 20), timebase.Stamp(5*tick), span(20, 30)),
		*got,
		"no time twice",
	)
}

func TestReservationKeepsDataForALaterReader(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c").Keep(0).Reserve()
	other := Open[int](r.node, "other").Keep(0)
	w, x := ch.EventWriter(r.module, ""), other.EventWriter(r.module, "")
	for i := range 50 {
		require.NoError(t, w.Write(timebase.Time(i)*timebase.Second, i))
		require.NoError(t, x.Write(timebase.Time(i)*timebase.Second, i))
	}
	late := ch.Reader(r.module, ReaderSpec{Mode: ReadReservation})
	require.Len(t, slices.Collect(late.All(timebase.EndOfTime)), 50)
	require.Len(
		t,
		values(other.Reader(r.module, ReaderSpec{Mode: ReadReservation}), timebase.EndOfTime/tick),
		1,
	)
	require.NoError(t, w.Write(50*timebase.Second, 50))
	require.Equal(t, 1, w.entry.kept(), "the reservation has been taken up")
}

func TestRetentionIsBounded(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w, read := ch.StreamWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	for i := range timebase.Time(1000) {
		require.NoError(t, w.Write(span(10*i, 10*i+10), int(i)))
	}
	require.Equal(t, 21, w.entry.kept(), "0.2 s before the start of the newest, and the newest")
	require.Equal(t, []int{979}, values(read, 9790))
	require.Equal(t, []int{}, values(read, 9789))

	longer := Open[int](
		r.node,
		"longer",
	).Keep(timebase.Second).
		Keep(0)
		// the longest requested time applies
	v := longer.StreamWriter(r.module, "")
	for i := range timebase.Time(1000) {
		require.NoError(t, v.Write(span(10*i, 10*i+10), 0))
	}
	require.Equal(t, 101, v.entry.kept())
}

func TestReaderThatNeverReadsIsReported(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c").Limit(25_000)
	w := ch.EventWriter(r.module, "")
	lazy, good := ch.Reader(r.node.Module("lazy"), ReaderSpec{}), ch.Reader(r.module, ReaderSpec{})
	for i := range 30_000 {
		require.NoError(t, w.Write(timebase.Time(i)*timebase.Second, i))
		require.Equal(t, []int{i}, values(good, timebase.Time(i)*1000))
	}
	require.Equal(t, []Finding{UnreadData, UnreadData, LostData}, r.found())
	require.ErrorContains(
		t,
		fmt.Errorf("%v", r.reports[0]),
		`10000 data are unread by channel "c", entry 0 read by lazy`,
	)
	require.EqualValues(t, 5000, lazy.Lost())
	d, ok := lazy.Read(timebase.EndOfTime)
	require.True(t, ok)
	require.Equal(t, 5000, d.Value)
	require.Zero(t, good.Lost())
	require.Len(t, values(lazy, timebase.EndOfTime/tick), 24_999)
	require.NoError(t, w.Write(30_000*timebase.Second, 0))
	require.Equal(
		t,
		2,
		w.entry.kept(),
		"nothing is kept for a reader that has read, only what the retention asks for",
	)
}

func TestLimitBelowTheWarning(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c").Limit(3).Keep(0)
	w, read := ch.EventWriter(r.module, ""), ch.Reader(r.module, ReaderSpec{})
	for i := range 9 {
		require.NoError(t, w.Write(timebase.Time(i)*tick, i))
	}
	require.Equal(t, []int{6, 7, 8}, values(read, 100))
	require.EqualValues(t, 6, read.Lost())
	require.Equal(t, []Finding{LostData}, r.found())
}

func TestKindMismatchIsReported(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	ch.EventWriter(r.module, "")
	ch.Reader(r.module, ReaderSpec{Kind: Stream})
	ch.Reader(r.module, ReaderSpec{Kind: Event})
	r.start()
	require.Equal(t, []Finding{KindMismatch}, r.found())
}

// A reader created by a callback reads data written in the same round or later.
func TestReaderMadeInsideACallback(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.StreamWriter(r.module, "")
	var late *Reader[int]
	got := []int{}
	i := 0
	r.module.Activity("a", Spec{Trigger: r.module.StepAlarm("step"), Work: func(c Cycle) error {
		if i == 1 {
			late = ch.Reader(r.module, ReaderSpec{Mode: ReadAllData})
		}
		if late != nil {
			got = append(got, values(late, c.Span.End/tick)...)
		}
		i++
		return w.Write(c.Span, i)
	}}).
		SwitchOn(0)
	r.start()
	for k := range timebase.Time(4) {
		r.to(k + 1)
	}
	require.Equal(t, []int{2, 3}, got)
}

func TestReservationThatNobodyTakesIsReported(t *testing.T) {
	r := newRig(t, NodeSpec{})
	w := Open[int](r.node, "c").Reserve().EventWriter(r.module, "")
	for i := range 10_000 {
		require.NoError(t, w.Write(timebase.Time(i)*timebase.Second, i))
	}
	require.Equal(t, []Finding{UnreadData}, r.found())
	require.Contains(t, r.reports[0].Detail, "10000 data are unread by a reader with a reservation")
}
