package scxml_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// TestLimits_OfAllMachines runs charts that stay within the limits of an instant and of a machine,
// but would use up all time or memory. The error names the machine, its state and the steps that it
// repeats.
func TestLimits_OfAllMachines(t *testing.T) {
	const tick = `<state id="s"><onentry><send event="tick" delay="0.000000001s"/></onentry>
		<transition event="tick" target="s"/></state>`
	const hoard = `<state id="s"><onentry>
		<foreach array="Array.from({length: 40}, (x, i) => 'x'.repeat(100) + i)" item="i">
		<send event="late" delay="1000s"><content expr="i"/></send></foreach>
		<send event="tick" delay="1s"/></onentry><transition event="tick" target="s"/></state>`
	const inside = `<state id="s"><onentry>
		<foreach array="Array.from({length: 100}, (x, i) => 'x'.repeat(100) + i)" item="i">
		<send event="late" target="#_internal"><content expr="i"/></send></foreach></onentry></state>`
	for name, c := range map[string]struct {
		chart  string
		limits scxml.Limits
		want   string
	}{
		"within a second": {tick, scxml.Limits{PerSecond: 5000},
			`5000 steps of all machines within one second in s, events ["tick"], transitions ` +
				`s to s in line`},
		"in a run": {tick, scxml.Limits{Total: 7000},
			`7000 steps of all machines in s, events ["tick"], transitions s to s in line`},
		"data of later events": {hoard, scxml.Limits{Waiting: 10_000},
			"bytes of data in waiting events in s"},
		"data of internal events": {inside, scxml.Limits{Waiting: 5000},
			"bytes of data in waiting events in s"},
		"internal events": {inside, scxml.Limits{Events: 50}, "50 waiting events in s"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(scxml.Options{Limits: c.limits})
			calm := r.start(t, "calm", `<state id="c"><onentry><send event="e" delay="1us"/></onentry>
				<transition event="e"/></state>`)
			m, err := r.Add("m", chart(t, c.chart))
			require.NoError(t, err)
			err = m.Start()
			if err == nil {
				err = r.Advance(timebase.Second * 20)
			}
			require.ErrorIs(t, err, scxml.ErrBounds)
			require.ErrorContains(t, err, "machine m")
			require.ErrorContains(t, err, c.want)
			require.False(t, m.Running())
			require.True(t, calm.Running(), "it has done nothing")
		})
	}
}

// TestLimits_Released: events that have been taken or dropped no longer count as waiting.
func TestLimits_Released(t *testing.T) {
	r := newRig(scxml.Options{Limits: scxml.Limits{Waiting: 1000}})
	m := r.start(t, "m", `<state id="s"><onentry>
		<send event="tick" delay="1s"><content expr="'x'.repeat(300)"/></send>
		<send event="late" id="l" delay="1000s"><content expr="'x'.repeat(300)"/></send>
		<send event="now" target="#_internal"><content expr="'x'.repeat(300)"/></send></onentry>
		<transition event="tick" target="s"><cancel sendid="l"/></transition></state>`)
	require.NoError(t, r.Advance(timebase.Second*100))
	require.True(t, m.Running())
}
