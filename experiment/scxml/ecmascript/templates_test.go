package ecmascript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
)

// TestModel_Templates: templates with any number of insertions have the same value as their parts,
// which are converted to texts in their order.
func TestModel_Templates(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<state id="s"/>`))
	for n := range 40 {
		var template, want strings.Builder
		for k := range n {
			fmt.Fprintf(&template, "%s${seen.push(%d)}", strings.Repeat("é", k%3), k)
			fmt.Fprintf(&want, "%s%d", strings.Repeat("é", k%3), k+1)
		}
		v, err := m.Value("(seen => `" + template.String() + "-` + seen)([])")
		require.NoError(t, err)
		var order []string
		for k := range n {
			order = append(order, fmt.Sprint(k))
		}
		require.Equal(t, `"`+want.String()+"-"+strings.Join(order, ",")+`"`, v.Text())
	}
	for _, c := range [][2]string{
		{"`a${1}b${null}c${[2, [3]]}d${{toString: () => 't', valueOf: () => 'v'}}e`",
			`"a1bnullc2,3dte"`},
		{"`${1}${`${2}${`${3}${4}${5}`}${6}`}${7}`", `"1234567"`},
		{"((t, ...v) => t.raw.join('|') + v)`a${1}b${2}c${3}d${4}`", `"a|b|c|d|1,2,3,4"`},
		{"eval('`${1}${2}${3}${4}${5}${6}${7}${8}`')", `"12345678"`},
	} {
		v, err := m.Value(c[0])
		require.NoError(t, err, c[0])
		require.Equal(t, c[1], v.Text(), c[0])
	}
	for _, code := range []string{"`${a}${Symbol()}${b}`", "((a, b) => `${a}${b}`)('', Symbol())"} {
		_, err := m.Value(code)
		require.Error(t, err, code)
	}
	v, err := m.Value("eval('`" + strings.Repeat("${1}", 10_000) + "`').length")
	require.NoError(t, err)
	require.Equal(t, "10000", v.Text())
}
