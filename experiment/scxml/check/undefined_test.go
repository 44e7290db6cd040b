package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
)

// TestChart_PartsThatAreAlwaysThere: SX27 and SX31 report parts of values that may be undefined,
// but a chart's text often shows that a value is defined.
func TestChart_PartsThatAreAlwaysThere(t *testing.T) {
	model := func(value, inside string) string {
		return document(`<datamodel><data id="v" ` + value + `</datamodel><state id="a">` + inside +
			`<transition event="go" target="f"/></state><final id="f"/>`)
	}
	literal := `expr="{pos: {x: 1}, list: [], f: 'text', none: null, 'a b': {c: 1}}"/>`
	read := func(path string) string {
		return `<transition event="e" cond="` + path + ` == 1" target="f"/>`
	}
	for name, c := range map[string]struct {
		text string
		want string // the possibly undefined part, according to SX31
	}{
		"a part of a literal": {model(literal, read("v.pos.x")+read("v.list.length")+
			read("v.f.length")), ""},
		"a part of JSON": {model(`>{"pos": {"x": {}}}</data>`,
			read("v.pos.x.y")), ""},
		"null in a literal": {model(literal, read("v.none.x")), "v.none"},
		"null in JSON": {model(`>{"none": null}</data>`, read("v.none.x")),
			"v.none"},
		"what is not in the literal": {model(literal, read("v.vel.x")), "v.vel"},
		"an item":                    {model(literal, read("v.list[0].x")), "v.list[]"},
		"a value that is computed": {model(`expr="f()"/><data id="f" expr="Object"/>`,
			read("v.pos.x")), "v.pos"},
		"a part that is assigned": {model(literal,
			`<onentry><assign location="v.pos" expr="v.list"/></onentry>`+read("v.pos.x.y")),
			"v.pos"},
		"a part of it that is assigned": {model(literal,
			`<onentry><assign location="v.pos.x" expr="v.list"/></onentry>`+read("v.pos.x")), ""},
		"the variable that is assigned": {model(literal,
			`<onentry><assign location="v" expr="In('a')"/></onentry>`+read("v.pos.x")), "v.pos"},
		"an assigned literal with the part": {model(literal,
			`<onentry><assign location="v" expr="{pos: {x: 2}}"/></onentry>`+read("v.pos.x")), ""},
		"an assigned literal without it": {model(literal,
			`<onentry><assign location="v" expr="{list: {x: 2}}"/></onentry>`+read("v.pos.x")),
			"v.pos"},
		"any part that is assigned": {model(literal,
			`<onentry><assign location="v['p' + 'os']" expr="1"/></onentry>`+read("v.pos.x")),
			"v.pos"},
		"a script that changes it": {model(literal,
			`<onentry><script>v.pos = null</script></onentry>`+read("v.pos.x")), "v.pos"},
		"a script about something else": {model(literal,
			`<onentry><script>var other = 1</script></onentry>`+read("v.pos.x")), ""},
		"an item of foreach": {model(literal,
			`<onentry><foreach array="[1]" item="v"/></onentry>`+read("v.pos.x")), "v.pos"},
		"the id of a send": {model(literal,
			`<onentry><send event="go" idlocation="v.pos"/></onentry>`+read("v.pos.x.y")), "v.pos"},
		"late binding": {strings.Replace(model(literal, read("v.pos.x")),
			`version`, `binding="late" version`, 1), "v"},

		"the event's name": {model(literal,
			`<transition event="e" cond="_event.name.length == _event.type.length" target="f"/>`),
			""},
		"the event's sender": {model(literal, read("_event.origin.length")),
			"_event.origin"},
		"an unknown event": {model(literal, read("_event.data.x")), "_event.data"},
		"an event with params": {model(literal,
			`<onentry><send event="e"><param name="p" expr="{q: 1}"/></send></onentry>`+
				read("_event.data.p.q")), ""},
		"a param that may be missing": {model(literal,
			`<onentry><send event="e"><param name="p" location="v.vel"/></send></onentry>`+
				read("_event.data.p.q")), "_event.data.p"},
		"an event with content": {model(literal,
			`<onentry><send event="e.x"><content expr="{p: {q: 1}}"/></send></onentry>`+
				read("_event.data.p.q")), ""},
		"an event with JSON": {model(literal,
			`<onentry><send event="e"><content>{"p": 1}</content></send></onentry>`+
				read("_event.data.p.length")), ""},
		"an event without data": {model(literal, `<onentry><raise event="e"/></onentry>`+
			read("_event.data.p")), "_event.data"},
		"one of two has no data": {model(literal,
			`<onentry><send event="e.x"><param name="p" expr="1"/></send><send event="e.y"/>`+
				`</onentry>`+read("_event.data.p")), "_event.data"},
		"sent to another": {model(literal,
			`<onentry><send event="e" target="#_parent"><param name="p" expr="1"/></send>`+
				`</onentry>`+read("_event.data.p")), "_event.data"},
		"from a machine inside": {model(literal,
			`<invoke><content><scxml version="1.0"><final id="x"><onentry>`+
				`<send event="e" target="#_parent"><param name="p" expr="1"/></send></onentry>`+
				`</final></scxml></content></invoke>`+read("_event.data.p")), ""},
		"a machine's result": {model(literal,
			`<invoke id="i"><content><scxml version="1.0"><final id="x"><donedata>`+
				`<param name="p" expr="1"/></donedata></final></scxml></content></invoke>`+
				`<transition event="done.invoke.i" cond="_event.data.p" target="f"/>`), ""},
		"a machine without a result": {model(literal, `<invoke id="i"><content>`+
			`<scxml version="1.0"><final id="x"/></scxml></content></invoke>`+
			`<transition event="done.invoke.i" cond="_event.data.p" target="f"/>`), "_event.data"},
		"a state's result": {model(literal,
			`<state id="b"><transition event="go" target="c"/></state><final id="c"><donedata>`+
				`<param name="p" expr="1"/></donedata></final>`+
				`<transition event="done.state.a" cond="_event.data.p" target="f"/>`), ""},
		"an object from outside": {model(literal,
			`<transition event="data.speed" cond="_event.data.value &gt; 1" target="f"/>`), ""},
		"a part of it": {model(literal,
			`<transition event="data.speed" cond="_event.data.value.x &gt; 1" target="f"/>`),
			"_event.data.value"},
		"that and another": {model(literal,
			`<transition event="data.speed e" cond="_event.data.value &gt; 1" target="f"/>`),
			"_event.data"},
		// it also takes errors
		"any event": {model(literal,
			`<transition event="*" cond="_event.data.value &gt; 1" target="f"/>`), ""},
		"asked for by the condition": {model(literal, `<transition event="e" cond="_event.data `+
			`&amp;&amp; _event.data.x" target="f"><log expr="_event.data.y"/></transition>`), ""},
		"read by the condition": {model(literal,
			`<transition event="e" cond="_event.data" target="f"><if cond="_event.data.x">`+
				`<log expr="_event.data.y"/></if></transition>`), ""},
		"asked for by an if": {model(literal,
			`<transition event="e" target="f"><if cond="_event.data"><log expr="_event.data.y"/>`+
				`<elseif cond="v.vel"/><log expr="v.vel.x"/></if></transition>`), ""},
		"not asked for behind the if": {model(literal, `<transition event="e" target="f">`+
			`<if cond="_event.data"/><log expr="_event.data.y"/></transition>`), "_event.data"},
		"not asked for in a foreach": {model(literal, `<transition event="e" target="f">`+
			`<foreach array="v.list" item="i"><log expr="_event.data.y"/></foreach></transition>`),
			"_event.data"},
		"asked for in another place": {model(literal, `<transition event="e" cond="_event.data" `+
			`target="f"/><onexit><log expr="_event.data.y"/></onexit>`), "_event.data"},
		"an eventless part of a value": {model(literal,
			`<transition cond="v.pos.x &gt; 2" target="f"/>`), ""},
	} {
		var found []string
		for _, f := range check.Chart("x", []byte(c.text),
			check.Options{Config: ecmascript.Config("testdata"), Objects: []string{"data.*"}}) {
			if f.ID == check.SX31 || f.ID == check.SX27 {
				found = append(found, f.Message)
			}
		}
		if c.want == "" {
			require.Empty(t, found, name)
			continue
		}
		require.Len(t, found, 1, name)
		require.Contains(t, found[0], "reading a part of "+c.want+", which may be undefined,", name)
	}
}

// TestChart_AcceptsIntendedConstructs covers correct charts that look like mistakes.
func TestChart_AcceptsIntendedConstructs(t *testing.T) {
	inner := func(outer string) string {
		return document(
			`<state id="a"><invoke id="i"><content><scxml version="1.0"><state id="b"/></scxml>` +
				`</content></invoke>` + outer + `</state><final id="f"/>`)
	}
	for name, c := range map[string]struct{ text, want string }{
		"a raised done event": {document(`<state id="a"><onentry><raise event="done.state.mine"/>` +
			`</onentry><transition event="done.state.mine" target="f"/></state><final id="f"/>`),
			""},
		"a sent done event": {document(`<state id="a"><onentry><send event="done.invoke.mine"/>` +
			`</onentry><transition event="done.invoke.mine" target="f"/></state><final id="f"/>`),
			""},
		"a done event that nothing makes": {document(`<state id="a"><onentry>` +
			`<raise event="done.state.mine"/></onentry>` +
			`<transition event="done.state.mime done.state.mine" target="f"/></state>` +
			`<final id="f"/>`), check.SX28},
		"a state that reacts": {
			document(`<state id="a"><transition event="e"><log label="e"/></transition></state>`),
			""},
		"a state that does not": {document(`<state id="s"><transition event="e"><log label="e"/>` +
			`</transition><state id="a"/></state>`), check.SX25},
		"a machine that is cancelled": {inner(`<transition event="stop" target="f"/>`), ""},
		"a machine that is cancelled later": {inner(`<transition cond="In('f')" target="f"/>`),
			""},
		"a machine that has to end": {inner(`<transition event="done.invoke.i" target="f"/>`),
			check.SX25},
		"a machine of a state that stays": {strings.Replace(inner(`<transition event="stop"/>`),
			`<final id="f"/>`, "", 1), check.SX25},
		"a request of the experiment": {document(`<state id="a"><onentry><send type="experiment" ` +
			`event="stop"/></onentry><transition event="e" target="f"/></state><final id="f"/>`),
			""},
		"a request of something not known": {document(`<state id="a"><transition event="error" ` +
			`target="f"/><transition event="e" target="f"><send type="experimant" event="stop"/>` +
			`</transition></state><final id="f"/>`), "SX11"},
		"an error that another state awaits": {document(`<state id="a"><onentry>` +
			`<send event="e" target="#_scxml_x"/></onentry>` +
			`<transition event="error.communication" target="f"/></state><final id="f"/>`), ""},
	} {
		list := check.Chart("x", []byte(c.text),
			check.Options{Config: ecmascript.Config("testdata"),
				Processors: []string{"experiment"}})
		if c.want == "" {
			require.Empty(t, text(t, list), name)
			continue
		}
		require.Len(t, list, 1, name)
		require.Equal(t, c.want, list[0].ID, name)
	}
}
