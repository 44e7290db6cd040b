package activity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

func TestSwitchingInsideCallbacks(t *testing.T) {
	r := newRig(t, NodeSpec{Managers: 2, Parallel: true})
	alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
	var spans []timebase.Span
	target := r.module.Activity(
		"target",
		Spec{
			Trigger: alarm,
			Work:    func(c Cycle) error { spans = append(spans, c.Span); return nil },
		},
	)
	r.module.Activity("switch", Spec{Trigger: alarm, Priority: Priority{Manager: 1},
		Work: func(c Cycle) error {
			switch c.Span.Start {
			case 10 * tick:
				target.SwitchOn(25 * tick)
			case 40 * tick:
				target.SwitchOff(45 * tick)
				target.SwitchOn(60 * tick)
			}
			return nil
		}}).
		SwitchOn(0)
	target.SwitchOn(5 * tick)
	target.SwitchOff(15 * tick)
	r.start()
	r.to(80)
	// The span [40,50) was scheduled before the switch-off at 45 was requested, in the same round.
	require.Equal(t, spansOf(5, 10, 10, 15, 25, 30, 30, 40, 40, 50, 60, 70, 70, 80), spans)
}

// When activities are switched before the clock starts, the last switch for that time or an earlier
// one determines whether an activity is on at a given time.
func TestSwitchingInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := NewNode(NodeSpec{})
		m := n.Module("m")
		var got, want []Cycle
		a := m.Activity(
			"a",
			Spec{Trigger: m.PeriodicAlarm("alarm", 0, tick), Work: func(c Cycle) error {
				got = append(got, c)
				return nil
			}},
		)
		var on [20]bool
		for range rapid.IntRange(1, 8).Draw(t, "switchings") {
			at, yes := rapid.IntRange(0, len(on)-1).Draw(t, "at"), rapid.Bool().Draw(t, "on")
			if yes {
				a.SwitchOn(timebase.Time(at) * tick)
			} else {
				a.SwitchOff(timebase.Time(at) * tick)
			}
			for k := at; k < len(on); k++ {
				on[k] = yes
			}
		}
		for k, yes := range on {
			if yes {
				want = append(
					want,
					Cycle{
						Span:  span(timebase.Time(k), timebase.Time(k+1)),
						First: k == 0 || !on[k-1],
						Last:  k+1 < len(on) && !on[k+1],
					},
				)
			}
		}
		clock, err := NewVirtualClock(n, 0)
		require.NoError(t, err)
		require.NoError(t, clock.AdvanceTo(timebase.Time(len(on))*tick))
		require.Equal(t, want, got)
	})
}

// A switch-on in the past does not start the activity a second time.
func TestSwitchOnInThePastContinues(t *testing.T) {
	r := newRig(t, NodeSpec{})
	var firsts []bool
	a := r.module.Activity(
		"a",
		Spec{
			Trigger: r.module.PeriodicAlarm("alarm", 0, 10*tick),
			Work: func(c Cycle) error {
				firsts = append(firsts, c.First)
				return nil
			},
		},
	)
	a.SwitchOn(10 * tick)
	r.start()
	r.to(30)
	a.SwitchOn(0)
	r.to(50)
	require.Equal(t, []bool{true, false, false, false}, firsts)
}

// A cancelled switch-on has no effect.
func TestSwitchingOffWhereItWasSwitchedOn(t *testing.T) {
	r := newRig(t, NodeSpec{})
	var cycles []Cycle
	a := r.module.Activity("a", Spec{Trigger: r.module.PeriodicAlarm("alarm", 0, 10*tick),
		Work: func(c Cycle) error { cycles = append(cycles, c); return nil }})
	a.SwitchOn(0)
	a.SwitchOff(10 * tick)
	a.SwitchOn(20 * tick)
	a.SwitchOff(20 * tick)
	a.SwitchOn(15 * tick)
	r.start()
	r.to(30)
	require.Equal(t, []Cycle{
		{
			Span:  span(0, 10),
			First: true,
			Last:  true,
		}, {Span: span(15, 20), First: true}, {Span: span(20, 30)},
	}, cycles)
}

// The switchings of a round are performed in the order of time, regardless of which was requested
// first.
func TestSwitchingsOfARoundGoByTime(t *testing.T) {
	r := newRig(t, NodeSpec{})
	alarm := r.module.PeriodicAlarm("alarm", 0, 10*tick)
	var spans []timebase.Span
	target := r.module.Activity(
		"target",
		Spec{
			Trigger: alarm,
			Work:    func(c Cycle) error { spans = append(spans, c.Span); return nil },
		},
	)
	r.module.Activity("switch", Spec{Trigger: alarm, Work: func(c Cycle) error {
		if c.Span.Start == 0 {
			target.SwitchOn(60 * tick)
			target.SwitchOn(30 * tick)
		}
		return nil
	}}).SwitchOn(0)
	r.start()
	r.to(61)
	require.Equal(t, spansOf(30, 40, 40, 50, 50, 60, 60, 70), spans)
}

// An activity that is off stays off: a later switch-off does not cancel an earlier one.
func TestSwitchingOffTwice(t *testing.T) {
	r := newRig(t, NodeSpec{})
	got := r.record("a", r.module.PeriodicAlarm("alarm", 0, 10*tick))
	r.node.acts[0].SwitchOff(10 * tick)
	r.node.acts[0].SwitchOff(50 * tick)
	r.start()
	r.to(60)
	require.Equal(t, spansOf(0, 10), *got)
}
