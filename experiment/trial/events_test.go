package trial_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
)

// TestEvents runs machines that see events begin and end: zones, collisions and the road. Two
// machines see the same events, in the order of the document.
func TestEvents(t *testing.T) {
	chart := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="seen" expr="[]"/></datamodel>
	<state id="a"><onentry>
	<send type="experiment" event="watch.zone"><content expr="({name: 'start', x: 50, y: -1.75, radius: 3})"/></send>
	<send type="experiment" event="controls"><content expr="({name: 'ego', throttle: 1})"/></send></onentry>
	<transition event="zone collision off.road"><log expr="_event.name + ' ' + (_event.data.zone || '') + ' ' + _event.data.actor"/><script>seen.push(_event.name)</script></transition>
	<transition event="collision.end" target="b"/></state>
	<state id="b"/></scxml>`
	parts := strings.Replace(chart, `<transition event="zone`,
		`<transition event="collision"><send type="experiment" event="move"><content expr="({name: 'lead', x: 300, y: 9})"/></send>
	<log expr="_event.name + ' apart'"/></transition><transition event="zone`, 1)
	m := files(t, false)
	m["traffic.scxml"] = &fstest.MapFile{Data: []byte(parts)}
	m["stops.scxml"] = &fstest.MapFile{Data: []byte(strings.Replace(chart, `<state id="b"/>`,
		`<final id="b"/>`, 1))}
	var log []string
	_, err := open(t, m, trial.Options{Log: func(line string) {
		if at, text, is := strings.Cut(line, " log: "); is {
			_, machine, _ := strings.Cut(at, " ")
			log = append(log, machine+": "+text)
		}
	}}).Run(t.Context())
	require.NoError(t, err)
	var want []string
	for _, text := range []string{"zone.entered start lead", "collision", "collision.end",
		"zone.left start lead", "zone.entered start ego", "zone.left start ego", "off.road  ego"} {
		first, second := text, text
		if strings.HasPrefix(text, "collision") {
			first, second = text+" apart", text+"  ego"
		}
		want = append(want, "traffic: "+first, "stops: "+second)
	}
	require.Equal(t, want, log)
}
