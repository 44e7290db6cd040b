package trial_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
)

// TestRun_JudgeThatComparesWithNothing: a judge that compares the data of events with a variable
// without a useful value misses what it looks for, so the run does not pass.
func TestRun_JudgeThatComparesWithNothing(t *testing.T) {
	const misses = "the <data> \"limit\" a value"
	for _, c := range []struct{ data, cond, more, setting, want string }{
		{`<data id="limit"/>`, "_event.data.value &gt; limit", "", "", misses},
		{`<data id="limit" expr="0/0"/>`, "limit &lt; _event.data.value", "", "", misses},
		{`<data id="limit">ten</data>`, "_event.data.value &gt; limit", "", "",
			`compared with the text "ten"`},
		{`<data id="limit" expr="'ten'"/>`, "_event.data.time &gt; limit", "", "",
			`compared with the text "ten"`},
		{`<data id="limit">sideways</data>`, "_event.data.side == limit", "", "",
			`no side has the name "sideways"`},
		{`<data id="limit" expr="10"/>`, "_event.data.value &gt; limit", "", "", ""},
		{`<data id="limit">10</data>`, "_event.data.value &gt; limit", "", "", ""},
		{`<data id="limit"/>`, "_event.data.value &gt; limit", "", "stops.limit=10", ""},
		{`<data id="limit"/>`, "_event.data.value &gt; limit",
			`<onentry><assign location="limit" expr="10"/></onentry>`, "", ""},
		{`<data id="limit"/>`, "_event.data.value &gt; limit",
			`<onentry><script>limit = 10</script></onentry>`, "", ""},
		{`<data id="limit"/>`, "_event.data.value &gt; limit",
			`<onentry><foreach array="[10]" item="limit"/></onentry>`, "", ""},
		{`<data id="limit"/>`, "[1].some(function(limit) { return _event.data.value &gt; limit })",
			"", "", ""},
	} {
		m := files(t, true)
		text := string(m["stops.scxml"].Data)
		const judges = `<transition event="collision" target="failure"/>`
		require.Contains(t, text, judges)
		text = strings.Replace(text, judges, c.more+`<transition event="collision" cond="`+c.cond+
			`" target="failure"/>`, 1)
		text = strings.Replace(text, "</datamodel>", c.data+"</datamodel>", 1)
		m["stops.scxml"].Data = []byte(text)
		o := trial.Options{Files: m, FMU: brakeMaker, Seed: 1, Examine: true}
		if name, value, is := strings.Cut(c.setting, "="); is {
			o.Set = []trial.Setting{{Name: name, Value: value}}
		}
		x, err := trial.Open("demo.exc", m["demo.exc"].Data, o)
		require.NoError(t, err, "%+v", c)
		v, err := x.Run(t.Context())
		require.NoError(t, err, "%+v", c)
		if c.want == "" {
			require.Equal(t, trial.Passed, v.Outcome, "%+v: %s", c, v.Cause)
			continue
		}
		require.Equal(t, trial.Undecided, v.Outcome, "%+v", c)
		require.Contains(t, v.Cause, c.want)
	}
}
