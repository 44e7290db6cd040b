package ssp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
	"gosmp/internal/finding"
)

// TestLoad_RefusesValuesThatCannotBeRead: a system in which a number or a truth value that changes
// what is simulated cannot be read, or is no finite number, is not run with another value. The
// finding is an error, too.
func TestLoad_RefusesValuesThatCannotBeRead(t *testing.T) {
	whole := describe(ports("y output Real")+`<ssd:ParameterBindings>`+binding("a.k", 1)+
		`</ssd:ParameterBindings><ssd:Elements>`+component("a", "x output Real", "k parameter Real")+
		component("b", "u input Real", "v output Real", "f input Boolean", "g output Boolean")+
		`</ssd:Elements><ssd:Connections>`+strings.Replace(connection("a.x", "b.u",
		`<ssc:LinearTransformation factor="2" offset="1"/>`), "<ssd:Connection ",
		`<ssd:Connection suppressUnitConversion="false" `, 1)+connection("b.v", "y", "")+
		connection("b.g", "b.f", `<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" `+
			`target="false"/></ssc:BooleanMappingTransformation>`)+`</ssd:Connections>`,
		`<ssd:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="1e-3" offset="0"/></ssc:Unit>
</ssd:Units><ssd:DefaultExperiment startTime="0" stopTime="1"/>`)
	files{"SystemStructure.ssd": whole}.load(t)
	const number, truth, finite = "expected a number", "expected true or false",
		"expected a finite number"
	for _, c := range [][3]string{
		{`factor="2"`, `factor="two"`, number}, {`factor="2"`, `factor="NaN"`, finite},
		{`offset="1"`, `offset="1,5"`, number}, {`offset="1"`, `offset="INF"`, finite},
		{`factor="1e-3"`, `factor="milli"`, number}, {`factor="1e-3"`, `factor="INF"`, finite},
		{`offset="0"`, `offset=""`, number}, {`offset="0"`, `offset="NaN"`, finite},
		{`startTime="0"`, `startTime="now"`, number}, {`stopTime="1"`, `stopTime="soon"`, number},
		{`Conversion="false"`, `Conversion="False"`, truth},
		{`source="true"`, `source="TRUE"`, truth}, {`target="false"`, `target="no"`, truth},
		{`Real value="1"`, `Real value="one"`, number},
		{`Real value="1"`, `Real value="1e999"`, number},
	} {
		require.Equal(t, 1, strings.Count(whole, c[0]), c[0])
		name := files{"SystemStructure.ssd": strings.Replace(whole, c[0], c[1], 1)}.write(t)
		s, _, err := ssp.Load(name, ssp.Options{})
		require.ErrorIs(t, err, ssp.ErrSystem, c[1])
		require.ErrorContains(t, err, c[2], c[1])
		require.NotContains(t, err.Error(), "\n", "one error")
		require.NoError(t, s.Close())
		list, err := ssp.Check(name, ssp.Options{})
		require.NoError(t, err)
		require.Equal(t, 1, list.Count(finding.Error), "%s: %v", c[1], list)
	}
}
