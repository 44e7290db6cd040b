package ecmascript_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/experiment/scxml"
)

// TestEventData_IsJSONParse compares the data of events with the result of JSON.parse for the same
// text: their serialized text and the order of their names.
func TestEventData_IsJSONParse(t *testing.T) {
	chart := parse(t,
		`<datamodel><data id="text"/></datamodel><state id="s"><transition event="text"><assign location="text" expr="_event.data"/></transition>
	<transition event="e" target="equal" cond="JSON.stringify(_event.data) === JSON.stringify(JSON.parse(text)) &amp;&amp; Array.isArray(_event.data) === Array.isArray(JSON.parse(text))"/>
	</state><state id="equal"/>`)
	same := func(t require.TestingT, text string) {
		v, ok := scxml.JSON(text)
		require.True(t, ok, text)
		s := scxml.NewSystem(scxml.Options{})
		m, err := s.Add("m", chart)
		require.NoError(t, err)
		require.NoError(t, m.Start())
		require.NoError(t, m.Handle(scxml.Event{Name: "text", Data: scxml.String(text)}))
		require.NoError(t, m.Handle(scxml.Event{Name: "e", Data: v}))
		require.Equal(t, []string{"equal"}, m.Configuration(), text)
	}
	for _, text := range []string{`{}`, `[]`,
		` { "b" : [ 1 , -0, 1E-2 ] , "a" : { } , "b" : null } `, `{"__proto__":{"a":1}}`,
		`{"\u005f_proto__":1}`, `[true,false,"\n\"\\\/é"]`,
		`{"10":1,"9":2,"x":3,"":4}`, `["\ud800",9007199254740993,"𝄞"]`, "[\n\t1\r]"} {
		same(t, text)
	}
	number := rapid.Map(rapid.Float64Range(-1e300, 1e300), func(x float64) any { return x })
	leaf := rapid.OneOf(number, rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.SampledFrom([]any{nil, true, false, 0, -7}))
	rapid.Check(t, func(t *rapid.T) {
		var tree func(depth int) any
		tree = func(depth int) any {
			n := rapid.IntRange(0, 3).Draw(t, "parts")
			switch kind := rapid.IntRange(0, 2).Draw(t, "kind"); {
			case kind == 0 || depth == 0:
				return leaf.Draw(t, "leaf")
			case kind == 1:
				list := make([]any, n)
				for k := range list {
					list[k] = tree(depth - 1)
				}
				return list
			}
			fields := map[string]any{}
			for k := range n {
				fields[fmt.Sprint(rapid.String().Draw(t, "name"), k)] = tree(depth - 1)
			}
			return fields
		}
		text, err := json.Marshal(map[string]any{"x": tree(4)})
		require.NoError(t, err)
		same(t, string(text))
	})
}
