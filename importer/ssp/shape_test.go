package ssp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

const (
	vector = `Real/><ssc:Dimension size="3"`
	matrix = `Real/><ssc:Dimension size="2"/><ssc:Dimension size="3"`
)

// indexedConnection returns a connection with the indices of both ends.
func indexedConnection(from, fromIndices, to, toIndices string) string {
	attributes := ""
	if fromIndices != "" {
		attributes += ` startIndices="` + fromIndices + `"`
	}
	if toIndices != "" {
		attributes += ` endIndices="` + toIndices + `"`
	}
	return "<ssd:Connection" + attributes + connection(from, to, "")[len("<ssd:Connection"):]
}

// Elements of arrays keep their positions across system boundaries: each element that enters leaves
// as the same element, and a whole array is split if a single element is read.
func TestLoad_ElementsThroughBoundaries(t *testing.T) {
	inner := `<ssd:System name="s">` + ports("m input "+matrix, "v output "+vector) +
		`<ssd:Elements>` +
		component("c", "whole input "+matrix, "one input Real", "w output "+vector) +
		`</ssd:Elements><ssd:Connections>` +
		connection("m", "c.whole", "") + indexedConnection("m", "2 3", "c.one", "") +
		connection("c.w", "v", "") +
		`</ssd:Connections></ssd:System>`
	for _, c := range []struct {
		name, outside string
		want          []string
	}{
		{"a whole array", connection("a.m", "s.m", ""), []string{"a.m -> s.c.whole",
			"a.m[2,3] -> s.c.one"}},
		{
			"single elements", indexedConnection("a.x", "", "s.m", "2 3") + indexedConnection("a.m",
				"1 1", "s.m", "1 2"),
			[]string{"a.x -> s.c.whole[2,3]", "a.m[1,1] -> s.c.whole[1,2]", "a.x -> s.c.one"},
		},
		{"out", indexedConnection("s.v", "3", "b.u", ""), []string{"s.c.w[3] -> b.u"}},
		{"back", indexedConnection("b.u", "", "s.v", "2"), []string{"s.c.w[2] -> b.u"}},
	} {
		s := files{"SystemStructure.ssd": describeAs("2.0", `<ssd:Elements>`+component("a",
			"m output "+matrix, "x output Real")+inner+
			component("b", "u input Real")+`</ssd:Elements><ssd:Connections>`+c.outside+
			`</ssd:Connections>`, "")}.load(t)
		require.Equal(t, c.want, flat(s), c.name)
	}
}

func TestLoad_RefusesElementsThatDoNotExist(t *testing.T) {
	for _, c := range []struct{ connections, message string }{
		{indexedConnection("a.m", "3 1", "b.u", ""),
			"the index 1 of a.m is 3, and the dimension has the size 2"},
		{indexedConnection("a.m", "0 1", "b.u", ""), "the index 1 of a.m is 0"},
		{indexedConnection("a.m", "2", "b.u", ""),
			"a.m has 2 dimensions, and the connection has 1 indices for it"},
		{indexedConnection("a.x", "1", "b.u", ""),
			"a.x has 0 dimensions, and the connection has 1 indices for it"},
		{connection("a.m", "b.u", ""), "a.m has 6 elements, and b.u has 1"},
		{connection("a.m", "b.v", ""), "a.m has 6 elements, and b.v has 3"},
		{indexedConnection("a.m", "", "b.v", "1"), "a.m has 6 elements, and b.v[1] has 1"},
		{indexedConnection("a.x", "", "b.v", "1") + indexedConnection("a.m", "1 1", "b.v", "1"),
			"a second value for b.v"},
	} {
		name := files{"SystemStructure.ssd": describeAs("2.0", `<ssd:Elements>`+component("a",
			"m output "+matrix, "x output Real")+
			component("b", "u input Real", "v input "+vector)+`</ssd:Elements><ssd:Connections>`+
			c.connections+`</ssd:Connections>`, "")}.write(t)
		s, _, err := ssp.Load(name, ssp.Options{})
		require.ErrorIs(t, err, ssp.ErrSystem)
		require.ErrorContains(t, err, c.message)
		require.NoError(t, s.Close())
	}
}

// A start value of a boundary is passed to the connected variable: the whole array, or the element
// that is read from it.
func TestLoad_StartValuesOfArraysAtBoundaries(t *testing.T) {
	set := `<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="2.0" name="p"><ssv:Parameters>
<ssv:Parameter name="p"><ssv:Real value="1 2 3"/><ssc:Dimension size="3"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>`
	s := files{"SystemStructure.ssd": describeAs("2.0", ports("p parameter "+vector)+set+
		`<ssd:Elements>`+
		component("c", "all parameter "+vector, "second parameter Real")+
		`</ssd:Elements><ssd:Connections>`+connection("p", "c.all", "")+
		indexedConnection("p", "2", "c.second", "")+`</ssd:Connections>`, "")}.load(t)
	starts := map[string][]string{}
	for _, v := range s.Components[0].Starts {
		starts[v.Variable] = v.Values
	}
	require.Equal(t, map[string][]string{"all": {"1", "2", "3"}, "second": {"2"}}, starts)
}

func TestCutIndices(t *testing.T) {
	for text, want := range map[string][]uint64{"x[3]": {3}, "x[1,22]": {1, 22}, "a[1].x[2]": {2},
		"x": nil, "x[a]": nil, "x[]": nil, "[1]": nil, "x[-1]": nil} {
		_, indices := ssp.CutIndices(text)
		require.Equal(t, want, indices, text)
	}
}

// If whole arrays and elements alternate, each level multiplies the number of paths through nested
// systems.
func TestLoad_EndsWhereWaysMultiply(t *testing.T) {
	name := files{"SystemStructure.ssd": manyWays()}.write(t)
	s, _, err := ssp.Load(name, ssp.Options{})
	require.ErrorContains(t, err, "too many paths")
	require.NoError(t, s.Close())
}

// Each of many elements of one array has its own connection, through a nested system and a signal
// dictionary. The effort grows linearly with their number, not quadratically.
func TestLoad_ManyElementsOfOneArray(t *testing.T) {
	const n = 20_000
	array := fmt.Sprintf(`Real/><ssc:Dimension size="%d"`, n)
	var in, out, inner strings.Builder
	for k := range n {
		text := fmt.Sprint(k + 1)
		in.WriteString(indexedConnection("a.v", text, "bus.v", text))
		out.WriteString(indexedConnection("bus.v", text, "s.v", text))
		inner.WriteString(indexedConnection("v", text, "c.v", text))
	}
	s := files{"SystemStructure.ssd": describeAs("2.0", `<ssd:Elements>`+component("a", "v output "+
		array)+
		`<ssd:SignalDictionaryReference name="bus" dictionary="d">`+ports("v inout "+array)+
		`</ssd:SignalDictionaryReference>
<ssd:System name="s">`+ports("v input "+array)+`<ssd:Elements>`+component("c", "v input "+array)+
		`</ssd:Elements><ssd:Connections>`+inner.String()+
		`</ssd:Connections></ssd:System></ssd:Elements><ssd:Connections>`+in.String()+out.String()+
		`</ssd:Connections>
<ssd:SignalDictionaries><ssd:SignalDictionary name="d"><ssb:SignalDictionary version="2.0"><ssb:DictionaryEntry name="v"><ssc:`+array+
		`/></ssb:DictionaryEntry></ssb:SignalDictionary></ssd:SignalDictionary>`+
		`</ssd:SignalDictionaries>`, "")}.load(t)
	require.Len(t, s.Connections, n)
	last := s.Connections[n-1]
	require.Equal(t, fmt.Sprintf("a.v[%d] -> s.c.v[%d]", n, n), last.From.String()+" -> "+
		last.To.String())
}
