package activity_test

import (
	"fmt"

	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// Controls are the inputs of the driver.
type Controls struct{ Gas, Angle float64 }

// Motion is the resulting motion of the car.
type Motion struct{ Speed, YawRate float64 }

// newInput creates a module that samples a device on an alarm: inputs are triggered by time.
func newInput(
	node *activity.Node,
	name, channel string,
	period timebase.Duration,
	device func(timebase.Time) Controls,
) {
	m := node.Module(name)
	out := activity.Open[Controls](node, channel).StreamWriter(m, "", activity.Exclusive)
	m.Activity("sample", activity.Spec{
		Priority: activity.Priority{Manager: 1},
		Trigger:  m.PeriodicAlarm("clock", 0, period),
		Work:     func(c activity.Cycle) error { return out.Write(c.Span, device(c.Span.Start)) },
	}).SwitchOn(0)
}

// newCarSim creates the simulation. Computations are triggered by data: it runs as soon as both
// inputs exist for a time, no matter where and when they were sampled.
func newCarSim(node *activity.Node) {
	m := node.Module("CarSim")
	pedals := activity.Open[Controls](node, "pedals").Reader(m, activity.ReaderSpec{})
	wheel := activity.Open[Controls](node, "wheel").Reader(m, activity.ReaderSpec{})
	out := activity.Open[Motion](node, "motion").StreamWriter(m, "", activity.Exclusive)
	var car Motion
	m.Activity("step", activity.Spec{
		Priority: activity.Priority{Manager: 1, Order: 100},
		Trigger:  activity.And(pedals, wheel),
		Work: func(c activity.Cycle) error {
			p, _ := pedals.Read(c.Span.Start)
			w, _ := wheel.Read(c.Span.Start)
			car.Speed += 4 * p.Value.Gas * c.Span.Length().Seconds()
			car.YawRate = car.Speed * w.Value.Angle / 2.7
			return out.Write(c.Span, car)
		},
	}).SwitchOn(0)
}

// newMotionIO creates the critical output: triggered by time and by data. When data is missing for
// two periods, it brings the platform to rest.
func newMotionIO(node *activity.Node) {
	m := node.Module("MotionIO")
	motion := activity.Open[Motion](node, "motion").Reader(m, activity.ReaderSpec{})
	alarm := m.PeriodicAlarm("clock", 0, 20*ms)
	m.Activity("drive", activity.Spec{
		Priority: activity.Priority{Manager: 1, Order: 200},
		Trigger:  activity.And(alarm, activity.Regulate(motion, 0, 20*ms)),
		Work: func(c activity.Cycle) error {
			d, _ := motion.Read(c.Span.Start)
			fmt.Printf("platform %v follows %.3f m/s\n", c.Span, d.Value.Speed)
			return nil
		},
		Safe: activity.Safe{On: alarm, Periods: 2, Work: func(c activity.Cycle) error {
			fmt.Printf("platform %v comes to rest\n", c.Span)
			return nil
		}},
	}).SwitchOn(0)
}

// newLogger creates the recorder: it reads every datum in sequence, at the lowest priority.
func newLogger(node *activity.Node) *int {
	m := node.Module("Logger")
	motion := activity.Open[Motion](
		node,
		"motion",
	).Reader(m, activity.ReaderSpec{Mode: activity.ReadAllData})
	records := 0
	m.Activity("record", activity.Spec{
		Trigger: m.PeriodicAlarm("clock", 0, 50*ms),
		Work: func(c activity.Cycle) error {
			for range motion.All(c.Span.Start) {
				records++
			}
			return nil
		},
	}).SwitchOn(0)
	return &records
}

// The car of the DUECA documentation: pedals and wheel are sampled at different rates, the
// simulation is triggered by their data, the motion platform by time and data, and a logger
// records. The wheel fails after 60 ms.
func Example_car() {
	node := activity.NewNode(
		activity.NodeSpec{
			Managers:     2,
			OnDiagnostic: func(d activity.Diagnostic) { fmt.Println(d) },
		},
	)
	records := newLogger(node) // modules may be created in any order
	newMotionIO(node)
	newCarSim(node)
	newInput(
		node,
		"PedalsIO",
		"pedals",
		10*ms,
		func(timebase.Time) Controls { return Controls{Gas: 0.5} },
	)
	newInput(node, "WheelIO", "wheel", 20*ms, func(t timebase.Time) Controls {
		if t >= 60*ms {
			panic("the wheel does not answer")
		}
		return Controls{Angle: 0.1}
	})
	run(node, 140*ms)
	fmt.Println(*records, "data recorded")
	// Output:
	// platform [0.000000000s,0.020000000s) follows 0.020 m/s
	// platform [0.020000000s,0.040000000s) follows 0.060 m/s
	// platform [0.040000000s,0.060000000s) follows 0.100 m/s
	// 0.060000000s activity WheelIO/sample: activity failed: cycle [0.060000000s,0.080000000s): panic: the wheel does not answer; the activity is switched off
	// 0.100000000s activity MotionIO/drive: input failed: no input for 2 periods, the newest is [0.080000000s,0.100000000s); the safe callback takes over
	// platform [0.080000000s,0.100000000s) comes to rest
	// platform [0.100000000s,0.120000000s) comes to rest
	// platform [0.120000000s,0.140000000s) comes to rest
	// 6 data recorded
}
