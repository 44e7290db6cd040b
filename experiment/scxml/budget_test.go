package scxml_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
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

// TestLimits_HandedOver runs a chart that invokes itself twice with a text for each machine, or with
// the text of its own chart, and checks that machines that have ended no longer count.
func TestLimits_HandedOver(t *testing.T) {
	const most = 100_000
	refused := func(t *testing.T, inside string) (machines int, text string) {
		document := []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" ` +
			`datamodel="ecmascript">` + inside + "</scxml>")
		config := ecmascript.Config("testdata")
		config.Load = func(string) ([]byte, error) { return document, nil }
		c, err := scxml.Parse("self.scxml", document, config)
		require.NoError(t, err)
		s := scxml.NewSystem(scxml.Options{Limits: scxml.Limits{HandedOver: most},
			Observe: func(r scxml.Record) {
				if r.Kind == scxml.Raised && text == "" {
					text = r.Text
				}
			}})
		m, err := s.Add("m", c)
		require.NoError(t, err)
		require.NoError(t, m.Start())
		require.NoError(t, s.Advance(timebase.Second*20))
		return len(s.Machines()), text
	}
	large := `<datamodel><data id="d" expr="'x'.repeat(30000)"/></datamodel>`
	twice := `<state id="s"><invoke src="self.scxml"><param name="d" expr="d + ''"/></invoke>
		<invoke src="self.scxml"><param name="d" expr="d + ''"/></invoke></state>`
	n, text := refused(t, large+twice)
	require.Equal(t, 1+3, n, "three texts of 30 kB")
	require.Contains(t, text, "invoked machines are given values and charts of 12")
	require.Contains(t, text, "expected at most 100000; invoked by state s")
	n, text = refused(t, "<!-- "+strings.Repeat("x", 40_000)+
		` --><state id="s"><invoke src="self.scxml"/></state>`)
	require.Equal(t, 1+2, n)
	require.Contains(t, text, "expected at most 100000; invoked by state s")
	_, text = refused(t, `<datamodel><data id="d" expr="0"/></datamodel><state id="s">
		<transition cond="d !== 0" target="end"/><transition event="next" target="s"/>
		<onentry><send event="next" delay="1s"/></onentry>
		<invoke src="self.scxml"><param name="d" expr="'x'.repeat(30000)"/></invoke></state>
		<final id="end"/>`)
	require.Empty(t, text, "twenty, in turn")
}
