package ssp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

// Content that a tool cannot read is reported for that tool only.
func TestCheck_ForTools(t *testing.T) {
	s := sound(t)
	in := func(old, replacement string) entries { return s.with(main, old, replacement) }
	pass := `<ssd:Elements>`
	for _, c := range []struct {
		tool, found string
		mutant      entries
	}{
		{"fmpy", "drops parameter bindings", s},
		{"fmpy", "does not read the default experiment", s},
		{"fmpy", "delays every connection by a step", s},
		{"fmpy", "drops transformations", in(connection("a.p", "b.p", ""), connection("a.p", "b.p",
			`<ssc:LinearTransformation factor="2"/>`))},
		{"fmpy", "sets the unconnected input b.on to 0", in(connection("a.on", "b.on", ""), "")},
		{"libcosim", "compares prefixes", renamePrefix(s, "ssd:", "s:", "xmlns:ssd", "xmlns:s")},
		{"libcosim", "the type Enumeration", s},
		{"libcosim", "the type Binary", in(`<ssc:Integer/>`, `<ssc:Binary/>`)},
		{"libcosim", "needs a type", in(`<ssc:Integer/>`, ``)},
		{"libcosim", "needs startElement and endElement", in(pass, ports("p output Real")+
			pass).with(main, connection("a.p", "b.p", ""), connection("a.p", "p", ""))},
		{"libcosim", "reads one level", in(`</ssd:Elements>`,
			`<ssd:System name="s"/></ssd:Elements>`)},
		{"ecos", "compares prefixes", renamePrefix(s, "ssd:", "", "xmlns:ssd", "xmlns")},
		{"ecos", "reads SSP 1.0", in(`version="1.0" name="test"`, `version="2.0" name="test"`)},
		{"ecos", "a missing factor", in(connection("a.p", "b.p", ""), connection("a.p", "b.p",
			`<ssc:LinearTransformation offset="2"/>`))},
		{"openmcx", "reads inline values only", s},
		{"openmcx", "does not read parameter mappings", s},
		{"openmcx", "does not read enumerations", s},
		{"openmcx", "does not read transformations", in(connection("a.p", "b.p", ""),
			connection("a.p", "b.p", `<ssc:LinearTransformation factor="2"/>`))},
		{"openmcx", "calculatedParameter", in(`name="k" kind="parameter"`,
			`name="k" kind="calculatedParameter"`)},
		{"openmcx", "reads one level", in(`</ssd:Elements>`,
			`<ssd:System name="s"/></ssd:Elements>`)},
		{"openmcx", "does not read signal dictionaries", in(`</ssd:Elements>`,
			`<ssd:SignalDictionaryReference name="s" dictionary="d"/></ssd:Elements>`)},
	} {
		_, list := c.mutant.check(t, ssp.Options{For: c.tool})
		found := false
		for _, f := range list {
			if strings.HasPrefix(f.ID, "SSP-FOR-") {
				require.Equal(t, "SSP-FOR-"+strings.ToUpper(c.tool), f.ID)
				found = found || strings.Contains(f.Message, c.found)
			}
		}
		require.True(t, found, "%s: %s in %v", c.tool, c.found, list)
		_, list = c.mutant.check(t, ssp.Options{})
		for _, f := range list {
			require.NotContains(t, f.ID, "FOR")
		}
	}
}

func TestCheck_UnknownTool(t *testing.T) {
	_, err := ssp.Check(sound(t).pack(t), ssp.Options{For: "excel"})
	require.ErrorIs(t, err, ssp.ErrTool)
	require.ErrorContains(t, err, "libcosim")
}
