package trial_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWatch_Limits: a vehicle that stands, with the speed 0, has crossed a limit only if the speed
// is really above or below it. Incomplete watches raise an error.
func TestWatch_Limits(t *testing.T) {
	for watch, want := range map[[2]string]string{
		{"watch.signal", "variable: 'ego.speed', below: 0.5"}:             "signal.crossed",
		{"watch.signal", "variable: 'ego.speed', below: 0.5, above: 1"}:   "signal.crossed",
		{"watch.signal", "variable: 'ego.speed', below: -1, above: -0.5"}: "signal.crossed",
		{"watch.signal", "variable: 'ego.speed', below: 0"}:               "over",
		{"watch.signal", "variable: 'ego.speed', above: 0"}:               "over",
		{"watch.signal", "variable: 'ego.speed', below: -1, above: 1"}:    "over",
		{"watch.signal", "variable: 'ego.speed'"}:                         "error.communication",
		{"watch.signal", "variable: 'ego.sped', above: 1"}:                "error.communication",
		{"watch.zone", "x: 1e6, y: 0, radius: 1"}:                         "over",
		{"watch.zone", "x: 0, y: 0, radius: 1e6"}:                         "zone.entered",
		{"watch.zone", "y: 0, radius: 1e6"}:                               "error.communication",
		{"watch.zone", "x: 0, radius: 1e6"}:                               "error.communication",
		{"watch.zone", "x: 0, y: 0, radius: 0"}:                           "error.communication",
		{"watch.zone", "x: 0, y: 0"}:                                      "error.communication",
	} {
		v := judged(t, `<state id="a"><onentry><send type="experiment" event="`+watch[0]+
			`"><content expr="({name: 'w', `+watch[1]+`})"/></send>
<send event="over" delay="90ms"/></onentry><transition
 event="signal zone error over" target="success"/></state>
<final id="success"><donedata><content expr="_event.name"/></donedata></final>`, `<state id="a"/>`)
		require.Equal(t, "success", v.Judgments[1].Outcome, "%v: %s", watch, v.Cause)
		require.Contains(t, string(v.Judgments[1].Data), want, watch)
	}
}

// TestWatch_ZonesOfOneName: zones of one name are different ones if they lie elsewhere or have
// another radius.
func TestWatch_ZonesOfOneName(t *testing.T) {
	for second, want := range map[string]string{
		"x: 1e6, y: 0, radius: 5": "over", "x: 1e6, y: 0, radius: 1e7": "zone.entered",
		"x: 0, y: 0, radius: 1e6": "zone.entered",
	} {
		v := judged(t, `<state id="a"><onentry><send type="experiment" event="watch.zone">
<content expr="({name: 'w', x: 1e6, y: 0, radius: 1})"/></send>
<send type="experiment" event="watch.zone"><content expr="({name: 'w', `+second+`})"/></send>
<send event="over" delay="90ms"/></onentry><transition
 event="zone error over" target="success"/></state>
<final id="success"><donedata><content expr="_event.name"/></donedata></final>`, `<state id="a"/>`)
		require.Equal(t, "success", v.Judgments[1].Outcome, "%v: %s", second, v.Cause)
		require.Contains(t, string(v.Judgments[1].Data), want, second)
	}
}

// TestWatch_OnTheCircle: the circle belongs to the zone.
func TestWatch_OnTheCircle(t *testing.T) {
	for radius, want := range map[string]string{"5": "zone.entered", "4.999": "over"} {
		v := judged(t, `<state id="a"><onentry><send type="experiment" event="move">
<content expr="({name: 'ego', x: 3, y: -4})"/></send>
<send type="experiment" event="watch.zone">
<content expr="({name: 'w', x: 0, y: 0, radius: `+radius+`})"/></send>
<send event="over" delay="90ms"/></onentry><transition
 event="zone error over" target="success"/></state>
<final id="success"><donedata><content expr="_event.name"/></donedata></final>`, `<state id="a"/>`)
		require.Contains(t, string(v.Judgments[1].Data), want, v.Cause)
	}
}
