package activity

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// A critical activity is safe until exactly the instant at which it is switched to work.
func TestCritical_SafeUntilSwitchedToWork(t *testing.T) {
	r := newRig(t, NodeSpec{})
	var log []string
	note := func(what string) Callback {
		return func(c Cycle) error {
			require.Equal(t, what == "safe", c.Safe)
			log = append(
				log,
				fmt.Sprintf(
					"%s %d-%d %v/%v",
					what,
					c.Span.Start/tick,
					c.Span.End/tick,
					c.First,
					c.Last,
				),
			)
			return nil
		}
	}
	a := r.module.Activity(
		"out",
		Spec{Critical: true, Trigger: r.module.PeriodicAlarm("alarm", 0, 20*tick),
			Work: note("work"), Safe: Safe{Work: note("safe")}},
	)
	a.SwitchOn(0)
	r.start()
	require.Contains(t, a.Why(), "It takes its safe callback until it is switched to work.")
	r.to(21)
	a.SwitchWork(50 * tick)
	a.SwitchSafe(70 * tick)
	a.SwitchWork(80 * tick)
	require.NotContains(t, a.Why(), "until it is switched to work")
	a.SwitchOff(110 * tick)
	r.to(200)
	require.Equal(t, []string{
		"safe 0-20 true/false", "safe 20-40 false/false", "safe 40-50 false/false",
		"work 50-60 true/false", "work 60-70 false/true",
		"safe 70-80 false/false", "work 80-100 true/false", "work 100-110 false/true",
	}, log)
}

// The state of a critical activity at the stamp of an event determines whether it works for the
// event or is safe.
func TestCritical_Events(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	w := ch.EventWriter(r.module, "")
	var safe []bool
	note := func(c Cycle) error { safe = append(safe, c.Safe); return nil }
	a := r.module.Activity(
		"out",
		Spec{
			Critical: true,
			Trigger:  ch.Reader(r.module, ReaderSpec{}),
			Work:     note,
			Safe:     Safe{Work: note},
		},
	)
	a.SwitchOn(0)
	a.SwitchWork(10 * tick)
	r.node.SwitchSafe(20 * tick)
	r.start()
	for _, at := range []timebase.Time{9, 10, 19, 20} {
		require.NoError(t, w.Write(at*tick, 0))
	}
	r.to(30)
	require.Equal(t, []bool{true, false, false, true}, safe)
}

// Work that fails makes the activity safe at once; it works again when it is switched to work. A
// safe callback that fails switches it off.
func TestCritical_FailingWorkIsSafe(t *testing.T) {
	build := func() (*rig, *Activity, map[bool][]timebase.Span, *error) {
		r, calls, fails := newRig(t, NodeSpec{}), map[bool][]timebase.Span{}, new(error)
		work := func(c Cycle) error {
			calls[c.Safe] = append(calls[c.Safe], c.Span)
			if c.Safe {
				return nil
			}
			return *fails
		}
		a := r.module.Activity(
			"out",
			Spec{
				Critical: true,
				Trigger:  r.module.PeriodicAlarm("alarm", 0, 10*tick),
				Work:     work,
				Safe:     Safe{Work: work, On: r.module.PeriodicAlarm("period", 0, 10*tick)},
			},
		)
		a.SwitchOn(0)
		a.SwitchWork(0)
		return r.start(), a, calls, fails
	}
	r, a, calls, fails := build()
	r.to(10)
	*fails = errors.New("no grip")
	r.to(40)
	require.EqualError(t, a.Err(), "no grip")
	require.Contains(t, a.Why(), "It failed and is safe: no grip. SwitchWork lets it work again.")
	require.Equal(t, []Finding{ActivityFailed}, r.found())
	require.Contains(t, r.reports[0].Detail, "the activity is safe until it is switched to work")
	require.Equal(t, spansOf(0, 10, 10, 20), calls[false])
	require.Equal(t, spansOf(20, 30, 30, 40), calls[true])

	state, err := r.node.AppendState(nil)
	require.NoError(t, err)
	fresh, b, again, _ := build()
	require.NoError(t, fresh.node.RestoreState(state))
	fresh.to(50)
	require.Equal(t, spansOf(40, 50), again[true])
	require.Empty(t, again[false])
	b.SwitchWork(50 * tick)
	require.NoError(t, b.Err())
	fresh.to(60)
	require.Equal(t, spansOf(50, 60), again[false])

	require.ErrorContains(t, newRig(t, NodeSpec{}).mistaken(func(m *Module) {
		m.Activity(
			"a",
			Spec{
				Critical: true,
				Trigger:  m.StepAlarm("s"),
				Work:     func(Cycle) error { return nil },
			},
		)
	}), "a critical activity without Safe.Work")
}

// mistaken builds a node with a mistake and returns the node's error.
func (r *rig) mistaken(build func(m *Module)) error {
	build(r.module)
	return r.node.Err()
}

// Limits count cycles by their completion times, and each report covers its own cycles.
func TestTimingLimits_ReportPerSoManyCycles(t *testing.T) {
	for _, wall := range []bool{true, false} {
		source := &handClock{}
		r := newRig(t, NodeSpec{Timing: source})
		var reports []TimingReport
		work := []timebase.Duration{1, 2, 6, 12, 1, 1, 1, 30, 1, 1, 1, 1}
		calls := 0
		var a *Activity
		a = r.module.Activity(
			"a",
			Spec{
				Trigger: r.module.PeriodicAlarm("alarm", 0, 100*tick),
				Work: func(c Cycle) error {
					source.now += work[calls] * tick
					if calls++; calls == 6 {
						a.Anomaly()
					}
					return nil
				},
				Limits: TimingLimits{
					Warning:  5 * tick,
					Critical: 10 * tick,
					Cycles:   4,
					Report:   func(r TimingReport) { reports = append(reports, r) },
				},
			},
		)
		a.SwitchOn(0)
		if wall {
			require.NoError(
				t,
				r.wall(WallSpec{Source: source}).Run(context.Background(), 1200*tick),
			)
		} else {
			r.start().to(1200)
		}
		require.Len(t, reports, 3)
		require.Equal(t, "test/a", reports[0].Activity)
		require.Equal(
			t,
			[]int{1, 1, 0},
			[]int{reports[0].Warnings, reports[0].Criticals, reports[0].Anomalies},
		)
		require.Equal(
			t,
			[]int{0, 1, 1},
			[]int{reports[1].Warnings, reports[1].Criticals, reports[1].Anomalies},
		)
		require.Equal(t, 12*tick, reports[0].Complete.Max)
		require.Equal(t, 21*tick/4, reports[0].Complete.Mean())
		require.EqualValues(t, 4, reports[2].Start.Count)
		require.Equal(t, tick, reports[2].Complete.Max)
		require.Equal(t, []Finding{TimingExceeded, TimingExceeded}, r.found())
		require.Equal(
			t,
			"of 4 cycles 1 were completed later than 0.005000000s and 1 later than "+
				"0.010000000s, 0 anomalies;"+
				" 0.012000000s at most",
			r.reports[0].Detail,
		)
	}
	require.ErrorContains(t, newRig(t, NodeSpec{}).mistaken(func(m *Module) {
		m.Activity(
			"a",
			Spec{
				Limits:  TimingLimits{Cycles: -1},
				Trigger: m.StepAlarm("s"),
				Work:    func(Cycle) error { return nil },
			},
		)
	}), "per -1 cycles")
}
