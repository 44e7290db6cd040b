package scxml_test

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
)

// TestInspectInvoked: charts in files are inspected wherever a chart invokes them by name, each file
// once, and files that are missing are reported at the element that names them.
func TestInspectInvoked(t *testing.T) {
	chart := func(body string) string {
		return `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">` + body +
			`</state></scxml>`
	}
	files := map[string]string{
		"good.scxml": chart(""), "loop.scxml": chart(`<invoke src="loop.scxml"/>`),
		"data.scxml":  chart(`<datamodel><data id="x" src="none.json"/></datamodel>`),
		"deep.scxml":  chart("\n" + `<invoke src="none.scxml"/>`),
		"wrong.scxml": chart(`<transition target="b"/>`), "text.scxml": "text",
	}
	const scxmlType = `type="http://www.w3.org/TR/scxml/"`
	for body, want := range map[string][]string{
		`<invoke src="good.scxml"/>`:                           nil,
		`<invoke src="loop.scxml"/>`:                           nil,
		`<invoke src="none.scxml"/>`:                           {"main.scxml:1 SX12"},
		`<invoke src="none.scxml" ` + scxmlType + `/>`:         {"main.scxml:1 SX12"},
		`<invoke src="none.scxml" type="other"/>`:              nil,
		`<invoke srcexpr="'none.scxml'"/>`:                     {"main.scxml:1 SX12"},
		`<invoke srcexpr="'no' + 'ne.scxml'"/>`:                {"main.scxml:1 SX12"},
		`<invoke srcexpr="'good' + '.scxml'"/>`:                nil,
		`<invoke srcexpr="'deep.scxml'"/>`:                     {"deep.scxml:2 SX12"},
		`<invoke srcexpr="'x' + unknown"/>`:                    nil,
		`<invoke srcexpr="_event.data"/>`:                      nil,
		`<invoke srcexpr="Math.random() + 'x'"/>`:              nil,
		`<invoke srcexpr="17"/>`:                               {"main.scxml:1 SX12"},
		`<invoke src="data.scxml"/>`:                           {"data.scxml:1 SX12"},
		`<invoke src="deep.scxml"/>`:                           {"deep.scxml:2 SX12"},
		`<invoke src="text.scxml"/>`:                           {"text.scxml:1 SX01"},
		`<invoke src="deep.scxml"/><invoke src="deep.scxml"/>`: {"deep.scxml:2 SX12"},
		`<invoke><content>` + chart(`<invoke src="none.scxml"/>`) +
			`</content></invoke>`: {"main.scxml:1 SX12"},
	} {
		config := scxml.Config{Languages: []scxml.Language{ecmascript.Language{}},
			Load: func(src string) ([]byte, error) {
				text, ok := files[src]
				if !ok {
					return nil, fs.ErrNotExist
				}
				return []byte(text), nil
			}}
		c, list := scxml.Inspect("main.scxml", []byte(chart(body)), config)
		require.NotNil(t, c, "%s: %v", body, list)
		var got []string
		for _, f := range scxml.InspectInvoked(c) {
			got = append(got, fmt.Sprintf("%s:%d %s", f.Place.File, f.Place.Line, f.ID))
		}
		require.Equal(t, want, got, body)
		for _, f := range scxml.InspectInvoked(c) {
			require.Contains(t, check.Judge(c, list, check.Options{Config: config}), f)
		}
	}
}

// TestInspectInvoked_OfData: data that a chart never changes has a known value, but only in a chart
// that no other chart invokes.
func TestInspectInvoked_OfData(t *testing.T) {
	config := scxml.Config{Languages: []scxml.Language{ecmascript.Language{}},
		Load: func(src string) ([]byte, error) {
			if src == "inner.scxml" {
				return []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">` +
					`<datamodel><data id="name" expr="'none.scxml'"/></datamodel><state id="a">` +
					`<invoke srcexpr="name"/></state></scxml>`), nil
			}
			return nil, fs.ErrNotExist
		}}
	const invoke = `<invoke srcexpr="name + '.scxml'"/>`
	type result struct {
		findings int
		files    []string
		all      bool
	}
	known, unknown := result{1, []string{"none.scxml"}, true}, result{}
	for body, want := range map[string]result{
		invoke:                        known,
		`<invoke src="inner.scxml"/>`: {0, []string{"inner.scxml"}, true},
		`<invoke src="inner.scxml"/>` + invoke: {1,
			[]string{"inner.scxml", "none.scxml"}, true},
		invoke + `<onentry><assign location="name" expr="'other'"/></onentry>`:     unknown,
		invoke + `<onentry><assign location="other" expr="'other'"/></onentry>`:    known,
		invoke + `<onentry><script>name = 'other';</script></onentry>`:             unknown,
		invoke + `<onentry><foreach array="[1]" item="name"/></onentry>`:           unknown,
		invoke + `<onentry><foreach array="[1]" item="i" index="name"/></onentry>`: unknown,
		invoke + `<onentry><send event="x" idlocation="name"/></onentry>`:          unknown,
		invoke + `<onentry><log expr="name = 2"/></onentry>`:                       unknown,
		invoke + `<onentry><log expr="other = 2"/></onentry>`:                      known,
		invoke + `<onentry><log expr="eval('name = 2')"/></onentry>`:               unknown,
		invoke + `<onentry><script>function f() { name = 2; }</script></onentry>`:  unknown,
		invoke + `<onentry><script>var q = 1;</script></onentry>`:                  known,
		`<invoke srcexpr="other + '.scxml'"/>`:                                     unknown,
		`<invoke srcexpr="third + '.scxml'"/>`:                                     unknown,
	} {
		c, list := scxml.Inspect("main.scxml", []byte(
			`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel>`+
				`<data id="name" expr="'none'"/><data id="other" expr="name"/>`+
				`<data id="third">'x'</data></datamodel><state id="a">`+body+
				`</state></scxml>`), config)
		require.NotNil(t, c, "%s: %v", body, list)
		found := scxml.InspectInvoked(c)
		require.Len(t, found, want.findings, body)
		for _, f := range found {
			require.Equal(t, "SX12", f.ID)
			require.Greater(t, f.Place.Column, 1)
			require.Contains(t, f.Remedy, "srcexpr")
		}
		files, all := scxml.InvokedFiles(c)
		require.Equal(t, want.files, files, body)
		require.Equal(t, want.all, all, body)
	}
}
