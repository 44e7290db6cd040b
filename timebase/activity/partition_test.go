package activity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
)

// The trace of any program is the same no matter how its run is divided into advances, at the
// instants of its alarms and periods or between them, and whether or not its state is carried over
// to a fresh node there.
func TestAnyProgramIsTheSameForEveryPartition(t *testing.T) {
	const end = 100 * tick
	rapid.Check(t, func(t *rapid.T) {
		program := drawBlueprints(t)
		build := func() (*Node, *VirtualClock) {
			n := NewNode(NodeSpec{Trace: true})
			for i, b := range program {
				b.assemble(n, i, Priority{})
			}
			clock, err := NewVirtualClock(n, 0)
			require.NoError(t, err)
			return n, clock
		}
		whole, clock := build()
		require.NoError(t, clock.AdvanceTo(end))

		parts, clock := build()
		for clock.Now() < end {
			step := timebase.Time(rapid.IntRange(0, 5).Draw(t, "step")) * tick
			if rapid.IntRange(0, 3).Draw(t, "between") == 0 {
				step += timebase.Time(rapid.IntRange(1, 999_999).Draw(t, "fraction"))
			}
			require.NoError(t, clock.AdvanceTo(min(clock.Now()+step, end)))
			if rapid.IntRange(0, 9).Draw(t, "carry over") > 0 {
				continue
			}
			state, err := parts.AppendState(nil)
			require.NoError(t, err)
			parts, clock = build()
			require.NoError(t, parts.RestoreState(state))
		}
		require.Equal(t, whole.Trace(), parts.Trace())
	})
}

// A safe callback is called when its period has ended, regardless of other running activities and
// of the advances.
func TestSafeCallbackAtTheEndOfItsPeriod(t *testing.T) {
	for _, step := range []timebase.Time{1, 7, 10, 100} {
		r := newRig(t, NodeSpec{})
		var at []timebase.Time
		r.module.Activity("out", Spec{Trigger: r.module.AperiodicAlarm("never"),
			Work: func(Cycle) error { return nil },
			Safe: Safe{On: r.module.PeriodicAlarm("alarm", 0, 20*tick), Work: func(c Cycle) error {
				at = append(at, r.node.Now())
				require.Equal(t, c.Span.End, r.node.Now())
				return nil
			}}}).
			SwitchOn(0)
		r.start()
		for now := step; now <= 100; now += step {
			r.to(now)
		}
		require.Len(t, at, int(100/step*step/20), "steps of %d", step)
	}
}
