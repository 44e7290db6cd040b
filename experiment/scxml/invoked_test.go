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
		`<invoke srcexpr="'none.scxml'"/>`:                     nil,
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
