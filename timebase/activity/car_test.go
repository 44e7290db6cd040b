package activity

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// carSpec varies several things that must not affect the result, and one that must.
type carSpec struct {
	order    int // order of creation
	managers int
	parallel bool
	fault    bool // the wheel is read differently
}

type carResult struct {
	hash uint64
	text string // text written by the logger
}

type carState struct{ X, V, Psi float64 }

// runCar builds the car of the source in one of six orders, with its modules spread over the
// managers, and drives it for 2 s.
func runCar(t *testing.T, s carSpec) carResult {
	t.Helper()
	n := NewNode(NodeSpec{Managers: s.managers, Parallel: s.parallel, Trace: true})
	var log strings.Builder
	builders := []func(manager int){
		func(m int) { carInput(n, "PedalsIO", "pedals", 10*tick, m, 0) },
		func(m int) {
			shift := 0.
			if s.fault {
				shift = 0.1
			}
			carInput(n, "WheelIO", "wheel", 15*tick, m, shift)
		},
		func(m int) { carSim(n, m) },
		func(m int) { carMotion(n, m) },
		func(m int) { carLogger(n, m, &log) },
		func(m int) { carMonitor(n, m) },
	}
	for i := range builders {
		k := (i*5 + s.order) % len(builders) // 5 and 6 share no factor, so each builder comes once
		if s.order%2 == 1 {
			k = len(builders) - 1 - k
		}
		builders[k]((i + s.order) % max(s.managers, 1))
	}
	clock, err := NewVirtualClock(n, 0)
	require.NoError(t, err)
	// steps that match no period
	for at := timebase.Time(0); at < 2*timebase.Second; at += 70 * tick {
		require.NoError(t, clock.AdvanceTo(at))
	}
	for _, a := range n.acts {
		require.NoError(t, a.Err())
		require.NotZero(t, a.Cycles(), a.name)
	}
	return carResult{n.TraceHash(), log.String()}
}

func carInput(
	n *Node,
	module, channel string,
	period timebase.Duration,
	manager int,
	shift float64,
) {
	m := n.Module(module)
	w := Open[float64](n, channel).StreamWriter(m, "", Exclusive)
	m.Activity("sample",
		Spec{Priority: Priority{Manager: manager}, Trigger: m.PeriodicAlarm("clock", 0, period),
			Work: func(c Cycle) error { return w.Write(c.Span, c.Span.Start.Seconds()+shift) }}).
		SwitchOn(0)
}

func carSim(n *Node, manager int) {
	m := n.Module("CarSim")
	pedals, wheel := Open[float64](
		n,
		"pedals",
	).Reader(m, ReaderSpec{}),
		Open[float64](
			n,
			"wheel",
		).Reader(m, ReaderSpec{})
	w := Open[carState](n, "car").StreamWriter(m, "")
	var car carState
	m.Activity("step", Spec{Priority: Priority{manager, 10}, Trigger: And(pedals, wheel),
		Work: func(c Cycle) error {
			p, ok1 := pedals.Read(c.Span.Start)
			q, ok2 := wheel.Read(c.Span.Start)
			if !ok1 || !ok2 {
				return fmt.Errorf("no data at %v", c.Span)
			}
			dt := c.Span.Length().Seconds()
			car.V += p.Value * dt
			car.Psi += q.Value * dt
			car.X += car.V * dt
			return w.Write(c.Span, car)
		}}).
		SwitchOn(0)
}

func carMotion(n *Node, manager int) {
	m := n.Module("MotionFilter")
	car := Open[carState](n, "car").Reader(m, ReaderSpec{})
	w := Open[float64](n, "motion").StreamWriter(m, "")
	m.Activity("filter", Spec{Priority: Priority{Manager: manager}, Trigger: Regulate(car, 0,
		20*tick),
		Work: func(c Cycle) error {
			d, _ := car.Read(c.Span.Start)
			return w.Write(c.Span, d.Value.V/2)
		}}).
		SwitchOn(0)
}

func carLogger(n *Node, manager int, log *strings.Builder) {
	m := n.Module("Logger")
	motion := Open[float64](n, "motion").Reader(m, ReaderSpec{Mode: ReadAllData})
	m.Activity("record", Spec{Priority: Priority{Manager: manager}, Trigger: motion,
		Work: func(c Cycle) error {
			for d := range motion.All(c.Span.End) {
				fmt.Fprintf(log, "%v %.6f\n", d.Span, d.Value)
			}
			return nil
		}}).
		SwitchOn(0)
}

// carMonitor reads data that does not trigger it. It sees the state before the round, regardless of
// the order within the round. The time it reads is one step back, where all data is complete.
func carMonitor(n *Node, manager int) {
	m := n.Module("Monitor")
	motion := Open[float64](n, "motion").Reader(m, ReaderSpec{})
	w := Open[float64](n, "alerts").EventWriter(m, "")
	m.Activity("watch", Spec{Priority: Priority{Manager: manager}, Trigger: m.PeriodicAlarm("clock",
		5*tick, 40*tick),
		Work: func(c Cycle) error {
			if d, ok := motion.Read(c.Span.Start - 5*tick); ok && d.Value > 0.5 {
				return w.Write(c.Span.Start, d.Value)
			}
			return nil
		}}).
		SwitchOn(0)
}
