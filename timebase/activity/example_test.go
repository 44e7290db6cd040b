package activity_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// run drives the clock of most examples; it prints errors in the construction of the node.
func run(n *activity.Node, until timebase.Time) {
	clock, err := activity.NewVirtualClock(n, 0)
	if err == nil {
		err = clock.AdvanceTo(until)
	}
	if err != nil {
		fmt.Println(err)
	}
}

// A stream datum is valid on [t1, t2). Spans connect, and a gap is reported.
func ExampleStreamWriter() {
	node := activity.NewNode(
		activity.NodeSpec{OnDiagnostic: func(d activity.Diagnostic) { fmt.Println(d) }},
	)
	module := node.Module("example")
	speed := activity.Open[float64](node, "speed")
	w, r := speed.StreamWriter(module, ""), speed.Reader(module, activity.ReaderSpec{})

	_ = w.Write(timebase.Span{Start: 0, End: 20 * ms}, 1.5)
	_ = w.Write(timebase.Span{Start: 30 * ms, End: 50 * ms}, 1.7)
	for _, at := range []timebase.Time{0, 19 * ms, 20 * ms, 30 * ms} {
		d, ok := r.Read(at)
		fmt.Println(at, d.Value, ok)
	}
	fmt.Println(w.Write(timebase.Span{Start: 60 * ms, End: 60 * ms}, 0))
	// Output:
	// 0.000000000s channel "speed", entry of example: stream gap: [0.030000000s,0.050000000s) starts 0.010000000s after the previous datum ended; call Stop before a break
	// 0.000000000s 1.5 true
	// 0.019000000s 1.5 true
	// 0.020000000s 0 false
	// 0.030000000s 1.7 true
	// channel "speed", entry of example: end of the span is not later than its start: found @0.060000000s, expected an end after the start
}

// Events are read in the order in which they were written, up to the requested time.
func ExampleReader_All() {
	node := activity.NewNode(activity.NodeSpec{})
	module := node.Module("example")
	keys := activity.Open[string](node, "keys")
	w, r := keys.EventWriter(module, ""), keys.Reader(module, activity.ReaderSpec{})

	_ = w.Write(5*ms, "a")
	_ = w.Write(5*ms, "b")
	_ = w.Write(9*ms, "c")
	for d := range r.All(8 * ms) {
		fmt.Println(d.Span, d.Value)
	}
	fmt.Println(r.Unread(timebase.EndOfTime), "to come")
	// Output:
	// @0.005000000s a
	// @0.005000000s b
	// 1 to come
}

// And emits the time that all parts cover, cut at every boundary.
func ExampleAnd() {
	node := activity.NewNode(activity.NodeSpec{})
	m := node.Module("example")
	both := activity.And(m.PeriodicAlarm("fast", 0, 20*ms), m.PeriodicAlarm("slow", 0, 30*ms))
	m.Activity("work", activity.Spec{Trigger: both, Work: func(c activity.Cycle) error {
		fmt.Println(c.Span)
		return nil
	}}).SwitchOn(0)
	run(node, 60*ms)
	// Output:
	// [0.000000000s,0.020000000s)
	// [0.020000000s,0.030000000s)
	// [0.030000000s,0.040000000s)
	// [0.040000000s,0.060000000s)
}

// A regulator lets an activity run at its own period, regardless of the period of its input.
func ExampleRegulate() {
	node := activity.NewNode(activity.NodeSpec{})
	m := node.Module("example")
	input := m.PeriodicAlarm("input", 0, 30*ms)
	m.Activity("work",
		activity.Spec{Trigger: activity.Regulate(input, 0, 40*ms),
			Work: func(c activity.Cycle) error {
				fmt.Println("at", node.Now(), "for", c.Span)
				return nil
			}}).
		SwitchOn(0)
	run(node, 100*ms)
	// Output:
	// at 0.030000000s for [0.000000000s,0.040000000s)
	// at 0.060000000s for [0.040000000s,0.080000000s)
	// at 0.090000000s for [0.080000000s,0.120000000s)
}

// The step of an FMU: the master passes input for the step, the clock advances by the step, and due
// activities run in the calling goroutine. Replay is triggered by the step; the output is triggered
// by the step, its input and the replay's progress, and uses its safe callback in a step without
// input.
func ExampleVirtualClock_Step() {
	node := activity.NewNode(
		activity.NodeSpec{OnDiagnostic: func(d activity.Diagnostic) { fmt.Println(" ", d) }},
	)
	fmu, replay := node.Module("fmu"), node.Module("replay")
	step := fmu.StepAlarm("step")
	view := activity.Open[string](node, "SensorView")
	samples := activity.Open[float64](node, "barometer.pressure")
	progress := activity.Open[int](node, "progress")

	// Replay the rows of a recording as events at their stamps. Rows up to the end of a step become
	// visible in that step.
	rows := []timebase.Time{0, 8 * ms, 20 * ms, 45 * ms}
	writeSample, writeProgress := samples.EventWriter(replay, ""), progress.StreamWriter(replay, "")
	next := 0
	replay.Activity("rows", activity.Spec{Trigger: step, Work: func(c activity.Cycle) error {
		for ; next < len(rows) && rows[next] <= c.Span.End; next++ {
			if err := writeSample.Write(rows[next], 1000+float64(next)); err != nil {
				return err
			}
		}
		return writeProgress.Write(c.Span, next)
	}}).
		SwitchOn(0)

	readView, readSamples := view.Reader(
		fmu,
		activity.ReaderSpec{},
	), samples.Reader(
		fmu,
		activity.ReaderSpec{},
	)
	replayed := progress.Reader(fmu, activity.ReaderSpec{})
	fmu.Activity("output", activity.Spec{
		Trigger: activity.And(step, readView, replayed),
		Work: func(c activity.Cycle) error {
			v, _ := readView.Read(c.Span.Start)
			fmt.Print("  ", c.Span, " ", v.Value)
			for d := range readSamples.All(c.Span.End) {
				fmt.Print(" ", d.Value)
			}
			fmt.Println()
			return nil
		},
		Safe: activity.Safe{On: step, Work: func(c activity.Cycle) error {
			fmt.Println(" ", c.Span, "no input, the output is empty")
			return nil
		}},
	}).SwitchOn(0)

	writeView := view.StreamWriter(fmu, "", activity.Exclusive)
	clock, err := activity.NewVirtualClock(node, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, h := range []timebase.Duration{10 * ms, 10 * ms, 20 * ms, 10 * ms} {
		fmt.Println("DoStep", i)
		if i == 2 {
			writeView.Stop() // the master has no SensorView for this step
		} else if err := writeView.Write(timebase.Span{Start: clock.Now(), End: clock.Now() + h},
			"view"); err != nil {
			fmt.Println(err)
		}
		if _, err := clock.Step(h); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// DoStep 0
	//   [0.000000000s,0.010000000s) view 1000 1001
	// DoStep 1
	//   [0.010000000s,0.020000000s) view 1002
	// DoStep 2
	//   0.040000000s activity fmu/output: input failed: no input for 1 periods, the newest is [0.020000000s,0.040000000s); the safe callback takes over
	//   [0.020000000s,0.040000000s) no input, the output is empty
	// DoStep 3
	//   [0.040000000s,0.050000000s) view 1003
	//   0.050000000s activity fmu/output: input restored: after 1 periods
}

// A state can be saved and restored in order to repeat a step.
func ExampleNode_AppendState() {
	node := activity.NewNode(activity.NodeSpec{})
	m := node.Module("counter")
	count := activity.Open[int](node, "count")
	w, own := count.StreamWriter(m, ""), count.Reader(m, activity.ReaderSpec{})
	m.Activity("count",
		activity.Spec{Trigger: m.StepAlarm("step"), Work: func(c activity.Cycle) error {
			last, _ := own.Newest() // state that must be restored belongs in a channel
			return w.Write(c.Span, last.Value+1)
		}}).
		SwitchOn(0)
	clock, _ := activity.NewVirtualClock(node, 0)

	_, _ = clock.Step(10 * ms)
	state, err := node.AppendState(nil)
	fmt.Println(err)
	for range 2 { // two steps, and back
		_, _ = clock.Step(5 * ms)
		_, _ = clock.Step(5 * ms)
		d, _ := own.Newest()
		fmt.Println(clock.Now(), d.Value)
		fmt.Println(node.RestoreState(state))
	}
	d, _ := own.Newest()
	fmt.Println(clock.Now(), d.Value)
	// Output:
	// <nil>
	// 0.020000000s 3
	// <nil>
	// 0.020000000s 3
	// <nil>
	// 0.010000000s 1
}

// "Why does my module not run?" is the most frequent question.
func ExampleActivity_Why() {
	node := activity.NewNode(activity.NodeSpec{})
	m := node.Module("MotionFilter")
	car := activity.Open[float64](node, "car").Reader(m, activity.ReaderSpec{})
	filter := m.Activity("filter", activity.Spec{
		Trigger: activity.And(m.PeriodicAlarm("clock", 0, 10*ms), car),
		Work:    func(activity.Cycle) error { return nil },
	})
	filter.SwitchOn(0)
	run(node, 20*ms)
	fmt.Println(filter.Why())
	// Output:
	// activity MotionFilter/filter at 0.020000000s: never ran. Next when And waits until a module makes a writer for entry 0 of channel "car" (there is none); it holds alarm MotionFilter/clock every 0.010000000s from 0.000000000s on.
}

// A wall clock runs the same program in real time.
func ExampleWallClock() {
	node := activity.NewNode(activity.NodeSpec{})
	m := node.Module("example")
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	m.Activity("work",
		activity.Spec{Trigger: m.PeriodicAlarm("clock", 0, ms), Work: func(c activity.Cycle) error {
			fmt.Println(c.Span)
			if c.Span.End == 3*ms {
				stop()
			}
			return nil
		}}).
		SwitchOn(0)
	clock, err := activity.NewWallClock(node, activity.WallSpec{Speed: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = clock.Run(ctx, timebase.EndOfTime)
	// On a busy computer, the clock may be late, and more alarms may have fired than were
	// processed.
	fmt.Println(errors.Is(err, context.Canceled), clock.Lateness().Count >= 3)
	// Output:
	// [0.000000000s,0.001000000s)
	// [0.001000000s,0.002000000s)
	// [0.002000000s,0.003000000s)
	// true true
}

// The dump shows what each module writes, reads and triggers.
func ExampleNode_WriteText() {
	node := activity.NewNode(activity.NodeSpec{})
	pedals, sim := node.Module("PedalsIO"), node.Module("CarSim")
	gas := activity.Open[float64](node, "gas")
	w, r := gas.StreamWriter(pedals, "right"), gas.Reader(sim, activity.ReaderSpec{Label: "right"})
	pedals.Activity("sample", activity.Spec{Trigger: pedals.PeriodicAlarm("clock", 0, 10*ms),
		Work: func(c activity.Cycle) error { return w.Write(c.Span, 0.3) }}).
		SwitchOn(0)
	sim.Activity("step",
		activity.Spec{Trigger: r, Work: func(activity.Cycle) error { return nil }}).
		SwitchOn(0)
	run(node, 20*ms)
	_ = node.WriteText(os.Stdout)
	// Output:
	// node at 0.020000000s, tick 0.001000000s, 1 manager(s)
	// channel "gas" of float64
	//   stream "right" written by PedalsIO: 2 data, 2 kept, up to 0.020000000s
	//   read by CarSim: entry "right", AdaptEventStream, triggers CarSim/step
	// alarm PedalsIO/clock every 0.010000000s: fired 2 times, triggers PedalsIO/sample
	// activity CarSim/step: manager 0, order 0, triggered by channel "gas", entry "right" read by CarSim
	//   activity CarSim/step at 0.020000000s: ran 2 times, last for [0.010000000s,0.020000000s). Next when PedalsIO writes to channel "gas" (entry "right") again after 0.020000000s.
	// activity PedalsIO/sample: manager 0, order 0, triggered by alarm PedalsIO/clock every 0.010000000s
	//   activity PedalsIO/sample at 0.020000000s: ran 2 times, last for [0.010000000s,0.020000000s). Next when alarm PedalsIO/clock fires at 0.020000000s.
}
