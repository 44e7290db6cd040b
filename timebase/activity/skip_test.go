package activity

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// histories returns the number of spans that the first activity's And holds back for each of its
// parts.
func (r *rig) histories() []int {
	and := r.node.acts[0].trigger.(*andTrigger)
	held := make([]int, len(and.sources))
	for i := range held {
		held[i] = and.sources[i].history.len()
	}
	return held
}

// A stream that declares that it has no data does not hold back others: there is no backlog, and
// the stream resumes in time.
func TestSkip_NothingPilesUp(t *testing.T) {
	r := newRig(t, NodeSpec{})
	step := r.module.StepAlarm("step")
	ch := Open[int](r.node, "c").Keep(0)
	w := ch.StreamWriter(r.module, "")
	worked := r.record("and", And(step, ch.Reader(r.module, ReaderSpec{})))
	const steps = 30_000 // more than the history holds
	present := false
	r.module.Activity("input", Spec{Trigger: step, Work: func(c Cycle) error {
		if present {
			return w.Write(c.Span, 1)
		}
		w.Skip(c.Span.End)
		return nil
	}}).SwitchOn(0)
	r.start()
	for at := timebase.Time(1); at <= steps; at++ {
		r.to(at)
		require.LessOrEqual(t, r.histories()[0], 2)
	}
	require.Empty(t, *worked)
	require.Contains(t, r.node.acts[0].Why(), "which it has never done")
	present = true
	r.to(steps + 1)
	present = false
	r.to(steps + 2)
	r.to(steps + 4)
	require.Equal(t, spansOf(steps, steps+1), *worked)
	require.Contains(
		t,
		r.node.acts[0].Why(),
		"which it stopped at "+(timebase.Time(steps+4)*tick).String(),
	)
	require.Empty(t, r.reports)
}

// Skipped time is final: data written for it is cut or refused, and subsequent data does not start
// with a gap.
func TestSkip_WhatWasSkippedStaysEmpty(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.StreamWriter(r.module, "")
	reader := ch.Reader(r.module, ReaderSpec{})
	r.start()
	w.Skip(20 * tick)
	require.ErrorIs(t, w.Write(span(5, 20), 1), ErrOrder)
	require.Empty(t, r.reports)
	require.NoError(t, w.Write(span(10, 30), 2))
	require.Equal(t, []Finding{StreamOverlap}, r.found())
	_, ok := reader.Read(15 * tick)
	require.False(t, ok)
	d, ok := reader.Read(20 * tick)
	require.True(t, ok)
	require.Equal(t, span(20, 30), d.Span)

	w.Skip(25 * tick)
	require.NoError(t, w.Write(span(26, 40), 3))
	d, ok = reader.Read(30 * tick)
	require.True(t, ok)
	require.Equal(t, span(30, 40), d.Span, "time that has been passed already is not taken back")
	w.Skip(45 * tick)
	w.Skip(42 * tick)
	require.NoError(t, w.Write(span(50, 60), 4))
	require.Equal(t, []Finding{StreamOverlap, StreamOverlap}, r.found(), "stopped until then")
}

// Data that a round writes before it skips comes first, regardless of which entry is published
// first.
func TestSkip_BehindWhatIsStillToBePublished(t *testing.T) {
	r := newRig(t, NodeSpec{})
	a, b := Open[int](
		r.node,
		"a",
	).Keep(timebase.Second),
		Open[int](
			r.node,
			"b",
		).Keep(timebase.Second)
	first, second := a.StreamWriter(r.module, ""), b.StreamWriter(r.module, "")
	worked := r.record(
		"and",
		And(a.Reader(r.module, ReaderSpec{}), b.Reader(r.module, ReaderSpec{})),
	)
	r.module.Activity("write", Spec{Trigger: r.module.StepAlarm("step"), Work: func(Cycle) error {
		second.Skip(5 * tick)
		require.NoError(t, second.Write(span(5, 10), 0))
		second.Skip(30 * tick)
		require.NoError(t, first.Write(span(0, 7), 0))
		require.NoError(t, first.Write(span(7, 20), 0))
		require.NoError(t, first.Write(span(20, 40), 0))
		return nil
	}}).
		SwitchOn(0)
	r.start()
	r.to(1)
	require.Equal(t, spansOf(5, 7, 7, 10), *worked)
	require.NoError(t, first.Write(span(40, 60), 0))
	require.Equal(t, []int{2, 0}, r.histories(), "no reader needs the time before 30 any more")
	require.NoError(t, second.Write(span(30, 50), 0))
	require.NoError(t, r.clock.AdvanceTo(r.clock.Now()))
	require.Equal(t, spansOf(5, 7, 7, 10, 30, 40, 40, 50), *worked)
	require.Empty(t, r.reports)
}

// A reader over all entries guarantees nothing, because each entry may be late.
func TestSkip_DoesNotSpeakForOtherEntries(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c").Keep(timebase.Second)
	early, late := ch.StreamWriter(r.module, "early"), ch.StreamWriter(r.module, "late")
	alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
	worked := r.record("and", And(alarm, ch.Reader(r.module, ReaderSpec{All: true})))
	r.start()
	early.Skip(100 * tick)
	r.to(55)
	require.NoError(t, late.Write(span(0, 20), 0))
	r.to(56)
	require.Equal(t, spansOf(0, 10, 10, 20), *worked)
}

// A saved state contains the skipped time.
func TestSkip_IsPartOfTheState(t *testing.T) {
	build := func() (*rig, *StreamWriter[int], *[]timebase.Span) {
		r := newRig(t, NodeSpec{})
		ch := Open[int](r.node, "c")
		w := ch.StreamWriter(r.module, "")
		alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
		worked := r.record("and", And(alarm, ch.Reader(r.module, ReaderSpec{})))
		return r.start(), w, worked
	}
	one, w, _ := build()
	w.Skip(40 * tick)
	one.to(25)
	state, err := one.node.AppendState(nil)
	require.NoError(t, err)
	again, w, worked := build()
	require.NoError(t, again.node.RestoreState(state))
	require.ErrorIs(t, w.Write(span(0, 40), 0), ErrOrder)
	again.to(45)
	require.Equal(t, []int{1, 0}, again.histories(), "only what begins when the promise ends waits")
	require.NoError(t, w.Write(span(40, 60), 0))
	again.to(46)
	require.Equal(t, spansOf(40, 50), *worked)
	require.Empty(t, again.reports)
}

// Two parts of which one is a stream are matched without the detour that more parts take. A third
// part that always covers everything takes the detour and must not change what comes out.
func TestSkip_TwoPartsAreMatchedAsThreeAre(t *testing.T) {
	for seed := range int64(200) {
		random := rand.New(rand.NewSource(seed)) //nolint:gosec // repeatable
		r := newRig(t, NodeSpec{})
		step := r.module.StepAlarm("step")
		ch := Open[int](r.node, "c")
		w := ch.StreamWriter(r.module, "")
		reader := ch.Reader(r.module, ReaderSpec{})
		two := r.record("two", And(step, reader))
		three := r.record("three", And(step, reader, r.module.StepAlarm("again")))
		r.start()
		at, written := timebase.Time(0), timebase.Time(0)
		for range 60 {
			end := written + timebase.Time(random.Intn(4))
			switch random.Intn(4) {
			case 0:
				w.Skip(end * tick)
				written = max(written, end)
			case 1:
				if end > written {
					require.NoError(t, w.Write(span(written, end), 0))
					written = end
				}
			}
			if random.Intn(3) > 0 {
				at += timebase.Time(1 + random.Intn(3))
				r.to(at)
			}
		}
		require.Equal(t, *three, *two, "seed %d", seed)
		require.NotEmpty(t, *two, "seed %d", seed)
	}
}

// TestSkip_ReplacingIsInserting checks that a span put in the place of a skipped one leaves the same
// behind as inserting it and then dropping what cannot be reached.
func TestSkip_ReplacingIsInserting(t *testing.T) {
	replaced := map[bool]int{}
	for reach := timebase.Time(1); reach <= 7; reach++ {
		r := newRig(t, NodeSpec{})
		ch := Open[int](r.node, "c")
		w := ch.StreamWriter(r.module, "")
		r.record("and", And(r.module.StepAlarm("step"), ch.Reader(r.module, ReaderSpec{})))
		r.start()
		w.Skip(reach * tick)
		and := r.node.acts[0].trigger.(*andTrigger)
		for code := range timebase.Time(6 * 3 * 4 * 3) {
			oldest := span(code%6, code%6+code/6%3)
			s := span(code/6%3+code%6+code/18%4, code/6%3+code%6+code/18%4+code/72)
			left := func(insert bool) (spans []timebase.Span) {
				src := &and.sources[0]
				src.history, and.warned = ring[timebase.Span]{}, false
				src.history.push(oldest)
				done := !insert && and.replaceSkipped(0, s)
				if !insert {
					replaced[done]++
				}
				if !done {
					src.insert(s)
					and.skipUnreachable()
					and.shorten(src)
				}
				for k := src.history.head; k < src.history.tail; k++ {
					spans = append(spans, *src.history.at(k))
				}
				return spans
			}
			require.Equal(t, left(true), left(false), "%v, then %v, nothing before %d", oldest, s, reach)
			require.False(t, and.warned)
		}
	}
	require.Greater(t, replaced[true], 100)
	require.Greater(t, replaced[false], 100)
	t.Log(replaced)
}
