package activity_test

import (
	"fmt"
	"testing"

	"gosmp/timebase"
	"gosmp/timebase/activity"
)

const ms = timebase.Millisecond

// must stops a benchmark that would otherwise measure nothing.
func must(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkEntries measures the path of one datum: one activity writes it, and it triggers another,
// which reads it.
func BenchmarkEntries(b *testing.B) {
	n := activity.NewNode(activity.NodeSpec{})
	m := n.Module("bench")
	ch := activity.Open[float64](n, "events")
	w, r := ch.EventWriter(m, ""), ch.Reader(m, activity.ReaderSpec{})
	sum := 0.
	m.Activity("write", activity.Spec{Trigger: m.StepAlarm("step"),
		Work: func(c activity.Cycle) error {
			for i := range timebase.Time(100) {
				if err := w.Write(c.Span.Start+i, 1); err != nil {
					return err
				}
			}
			return nil
		}}).
		SwitchOn(0)
	m.Activity("read", activity.Spec{Trigger: r, Work: func(c activity.Cycle) error {
		d, _ := r.Read(c.Span.Start)
		sum += d.Value
		return nil
	}}).SwitchOn(0)
	clock, err := activity.NewVirtualClock(n, 0)
	must(b, err)
	for range 100 {
		_, err := clock.Step(ms)
		must(b, err)
	}
	sum = 0
	b.ReportAllocs()
	b.ResetTimer()
	steps := (b.N + 99) / 100
	for range steps {
		_, err := clock.Step(ms)
		must(b, err)
	}
	if sum != float64(100*steps) {
		b.Fatalf("%d steps gave %g data", steps, sum)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

// BenchmarkActivities measures one instant at which 1000 periodic activities are due.
func BenchmarkActivities(b *testing.B) {
	n := activity.NewNode(activity.NodeSpec{Managers: 2})
	calls := 0
	for i := range 1000 {
		m := n.Module(fmt.Sprint("module", i))
		m.Activity("work", activity.Spec{Trigger: m.PeriodicAlarm("clock", 0, 10*ms),
			Priority: activity.Priority{Manager: 1, Order: i * 7919 % 1000},
			Work:     func(activity.Cycle) error { calls++; return nil }}).SwitchOn(0)
	}
	clock, err := activity.NewVirtualClock(n, 0)
	must(b, err)
	_, err = clock.Step(10 * ms)
	must(b, err)
	calls = 0
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		_, err := clock.Step(10 * ms)
		must(b, err)
	}
	if calls != 1000*b.N {
		b.Fatalf("%d calls in %d steps", calls, b.N)
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "activations/s")
}

// fmuStep builds the program of an FMU: an activity triggered by the step that writes a stream, and
// one triggered by alarm and stream.
func fmuStep(b testing.TB) (clock *activity.VirtualClock, sum *float64) {
	n := activity.NewNode(activity.NodeSpec{})
	m := n.Module("fmu")
	step := m.StepAlarm("step")
	ch := activity.Open[float64](n, "view")
	w, r := ch.StreamWriter(m, "", activity.Exclusive), ch.Reader(m, activity.ReaderSpec{})
	sum = new(float64)
	m.Activity("input", activity.Spec{Trigger: step, Work: func(c activity.Cycle) error {
		return w.Write(c.Span, 1)
	}}).SwitchOn(0)
	m.Activity("output", activity.Spec{Trigger: activity.And(step, r),
		Work: func(c activity.Cycle) error {
			d, _ := r.Read(c.Span.Start)
			*sum += d.Value
			return nil
		}}).
		SwitchOn(0)
	clock, err := activity.NewVirtualClock(n, 0)
	must(b, err)
	for range 100 {
		_, err := clock.Step(20 * ms)
		must(b, err)
	}
	*sum = 0
	return clock, sum
}

// BenchmarkStep measures a clock step with one activity on an alarm and one on And(alarm, channel).
func BenchmarkStep(b *testing.B) {
	clock, sum := fmuStep(b)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := clock.Step(20 * ms); err != nil {
			b.Fatal(err)
		}
	}
	if *sum != float64(b.N) {
		b.Fatalf("%d steps gave %g", b.N, *sum)
	}
}

// replayStep builds the program of an FMU that replays: three events per step, a SensorView stream
// from outside, and an output on And(step, view, progress of the replay) with a safe callback.
// Every fourth step has no view.
func replayStep(b testing.TB) (step func() error, events *int) {
	n := activity.NewNode(activity.NodeSpec{})
	m := n.Module("fmu")
	alarm := m.StepAlarm("step")
	views, rows, done := activity.Open[[]byte](
		n,
		"view",
	), activity.Open[float64](
		n,
		"rows",
	), activity.Open[int](
		n,
		"done",
	)
	writeView, writeRow, writeDone := views.Keep(0).
		StreamWriter(m, ""),
		rows.EventWriter(
			m,
			"",
		), done.StreamWriter(
			m,
			"",
		)
	readView, readRows := views.Reader(
		m,
		activity.ReaderSpec{},
	), rows.Reader(
		m,
		activity.ReaderSpec{},
	)
	events = new(int)
	m.Activity("replay", activity.Spec{Trigger: alarm, Work: func(c activity.Cycle) error {
		for i := range timebase.Time(3) {
			if err := writeRow.Write(c.Span.Start+i, 1); err != nil {
				return err
			}
		}
		return writeDone.Write(c.Span, 3)
	}}).SwitchOn(0)
	drain := func(c activity.Cycle) error {
		for range readRows.All(c.Span.End) {
			*events++
		}
		return nil
	}
	m.Activity("output", activity.Spec{Work: drain, Safe: activity.Safe{On: alarm, Periods: 2,
		Work: drain},
		Trigger: activity.And(alarm, readView, done.Reader(m, activity.ReaderSpec{}))}).
		SwitchOn(0)
	clock, err := activity.NewVirtualClock(n, 0)
	must(b, err)
	view, steps := make([]byte, 1000), 0
	return func() error {
		if steps++; steps%4 == 0 {
			writeView.Stop()
		} else if err := writeView.Write(timebase.Span{Start: clock.Now(), End: clock.Now() +
			20*ms}, view); err != nil {
			return err
		}
		_, err := clock.Step(20 * ms)
		return err
	}, events
}

// BenchmarkReplayStep measures a step of a replaying FMU.
func BenchmarkReplayStep(b *testing.B) {
	step, events := replayStep(b)
	for range 100 {
		must(b, step())
	}
	*events = 0
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if err := step(); err != nil {
			b.Fatal(err)
		}
	}
	if *events < 3*(b.N-1) {
		b.Fatalf("%d events in %d steps", *events, b.N)
	}
}

// BenchmarkStepByHand does the same work in a loop without a clock for comparison.
func BenchmarkStepByHand(b *testing.B) {
	var view, sum float64
	input := func(timebase.Span) error { view = 1; return nil }
	output := func(timebase.Span) error { sum += view; return nil }
	b.ReportAllocs()
	for i := range timebase.Time(b.N) {
		s := timebase.Span{Start: i * 20 * ms, End: (i + 1) * 20 * ms}
		if err := input(s); err != nil {
			b.Fatal(err)
		}
		if err := output(s); err != nil {
			b.Fatal(err)
		}
	}
	if sum != float64(b.N) {
		b.Fatalf("%d steps gave %g", b.N, sum)
	}
}

// BenchmarkState measures saving and restoring a state.
func BenchmarkState(b *testing.B) {
	n := activity.NewNode(activity.NodeSpec{})
	m := n.Module("fmu")
	w := activity.Open[[]byte](n, "view").StreamWriter(m, "")
	clock, err := activity.NewVirtualClock(n, 0)
	must(b, err)
	for i := range timebase.Time(20) {
		must(
			b,
			w.Write(timebase.Span{Start: i * 20 * ms, End: (i + 1) * 20 * ms}, make([]byte, 1000)),
		)
		must(b, clock.AdvanceTo((i+1)*20*ms))
	}
	var state []byte
	b.ReportAllocs()
	for range b.N {
		state, err = n.AppendState(state[:0])
		must(b, err)
		must(b, n.RestoreState(state))
	}
	b.SetBytes(int64(len(state)))
}

// TestStepAllocatesNothing enforces what the benchmarks show: after warm-up a step does not
// allocate.
func TestStepAllocatesNothing(t *testing.T) {
	clock, sum := fmuStep(t)
	if allocs := testing.AllocsPerRun(1000, func() { _, _ = clock.Step(20 * ms) }); allocs != 0 {
		t.Errorf("%g allocations per step, expected 0", allocs)
	}
	if *sum != 1001 { // AllocsPerRun warms up with one more run
		t.Errorf("%g outputs, expected 1001", *sum)
	}

	step, events := replayStep(t)
	for range 100 {
		must(t, step())
	}
	*events = 0
	if allocs := testing.AllocsPerRun(1000, func() { must(t, step()) }); allocs != 0 {
		t.Errorf("%g allocations per step of the replay, expected 0", allocs)
	}
	if *events < 3000 {
		t.Errorf("%d events, expected 3 a step", *events)
	}
}
