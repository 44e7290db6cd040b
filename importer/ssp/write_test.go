package ssp_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

// essence holds the properties that must be preserved when a system is written and read again.
type essence struct {
	Name, Title, Description string
	Components               []part
	Connections              []string
	Start, Stop              *float64
	Step                     float64
}

type part struct {
	Name, Mode, Description string
	Step                    float64
	Starts                  []string
}

func essenceOf(s *ssp.System) essence {
	e := essence{s.Name, s.Title, s.Description, nil, flat(s), s.Experiment.Start,
		s.Experiment.Stop, s.Experiment.Step.Seconds}
	for _, c := range s.Components {
		p := part{Name: c.Name, Mode: c.Mode, Description: c.Description, Step: c.Step.Seconds}
		for _, x := range c.Starts {
			p.Starts = append(p.Starts, x.Variable)
			p.Starts = append(p.Starts, x.Values...)
		}
		e.Components = append(e.Components, p)
	}
	return e
}

// again writes a system and reads it back.
func again(t testing.TB, s *ssp.System) (*ssp.System, []byte) {
	var b bytes.Buffer
	require.NoError(t, ssp.Write(&b, s))
	name := filepath.Join(t.TempDir(), "again.ssp")
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o600))
	read, _, err := ssp.Load(name, ssp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, read.Close()) })
	return read, b.Bytes()
}

// A written system is read back as the same system, and writing it again yields the same bytes.
func TestWrite_ReadsBack(t *testing.T) {
	s := sound(t)
	scaled := connection("a.p", "b.p", `<ssc:LinearTransformation factor="2.5" offset="-1"/>`)
	numbers := `<ssc:IntegerMappingTransformation><ssc:MapEntry source="1" target="3"/>` +
		`</ssc:IntegerMappingTransformation>`
	inner := `<ssd:System name="in">` + ports("i input Integer") +
		`<ssd:Elements><ssd:Component name="c" source="resources/b.fmu">` + ports("p input Real") +
		`</ssd:Component></ssd:Elements><ssd:Connections>` + connection("i", "c.p",
		`<ssc:LinearTransformation factor="2" offset="1"/>`) + `</ssd:Connections></ssd:System>`
	for _, c := range []struct {
		what   string
		system entries
	}{
		{"as it is", s},
		{"scaled", s.with(main, connection("a.p", "b.p", ""), scaled)},
		{"converted", s.with(main, `name="p" kind="output"><ssc:Real unit="Pa"/>`,
			`name="p" kind="output"><ssc:Real unit="bar"/>`)},
		{"mapped", s.with(main, connection("a.gear", "b.gear", ""), connection("a.gear", "b.gear",
			`<ssc:EnumerationMappingTransformation><ssc:MapEntry source="R" target="D"/>`+
				`<ssc:MapEntry source="D" target="R"/></ssc:EnumerationMappingTransformation>`))},
		{"switched", s.with(main, connection("a.on", "b.on", ""), connection("a.on", "b.on",
			`<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/>`+
				`</ssc:BooleanMappingTransformation>`))},
		{"mapped, then scaled", s.with(main, connection("a.n", "b.n", ""), connection("a.n", "in.i",
			numbers)).element(inner).
			element(`<ssd:Component name="map1" source="resources/a.fmu"/>`)},
		{"with a step", s.with(main, `stopTime="10"/>`,
			`stopTime="10"><ssd:Annotations><ssc:Annotation type="com.opensimulationplatform">`+
				`<osp:FixedStepAlgorithm xmlns:osp="o" baseStepSize="0.1"/></ssc:Annotation>`+
				`</ssd:Annotations></ssd:DefaultExperiment>`)},
		{"numbers of 64 bits", s.with(main, `version="1.0" name="test"`,
			`version="2.0" name="test"`).with(main, connection("a.gear", "b.gear", ""),
			connection("a.gear", "b.gear",
				`<ssc:IntegerMappingTransformation>`+
					`<ssc:MapEntry source="-3000000000" target="1"/>`+
					`<ssc:MapEntry source="1" target="9223372036854775807"/>`+
					`</ssc:IntegerMappingTransformation>`))},
		{"SSP 2.0", s.with(main, `version="1.0" name="test"`, `version="2.0" name="test"`).with(
			main, `<ssd:Component name="a" `, `<ssd:Component name="a&quot;ä b" `).
			replaceAll(main, `startElement="a"`, `startElement="a&quot;ä b"`)},
	} {
		t.Run(c.what, func(t *testing.T) {
			first, _, err := ssp.Load(c.system.pack(t), ssp.Options{})
			require.NoError(t, err)
			defer func() { require.NoError(t, first.Close()) }()
			second, written := again(t, first)
			require.Equal(t, essenceOf(first), essenceOf(second))
			_, twice := again(t, second)
			require.Equal(t, written, twice)
			for _, f := range second.Findings {
				require.NotContains(t, []string{"SSP-X1", "SSP-X2", "SSP-X3", "SSP-Z1", "SSP-Z3",
					"SSP-S6"}, f.ID, "%v", f)
			}
		})
	}
}

// After Unpack, a folder contains each FMU of a package exactly once, with unchanged bytes.
func TestSystem_Unpack(t *testing.T) {
	s := sound(t)
	twice := s.with(main, `</ssd:Elements>`,
		`<ssd:Component name="c" source="resources/b.fmu"/></ssd:Elements>`)
	system, _, err := ssp.Load(twice.pack(t), ssp.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, system.Close()) }()
	folder := t.TempDir()
	require.NoError(t, system.Unpack(folder))
	require.Equal(t, system.Component("b").File, system.Component("c").File)
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 4)
	content, err := os.ReadFile(system.Component("a").File)
	require.NoError(t, err)
	for _, e := range s {
		if e.name == "resources/a.fmu" {
			require.Equal(t, e.content, string(content))
		}
	}
}

// boundary returns the connections to the connectors of the top system, and these connectors.
func boundary(s *ssp.System) (list []string) {
	for _, c := range s.Boundary {
		list = append(list, fmt.Sprint(c.From, " -> ", c.To, " ", c.Transformation))
	}
	for _, c := range s.Interface {
		list = append(list, fmt.Sprint(c.Name, " ", c.Kind, " ", c.Type, " ", c.Unit, " ",
			c.Dimensions))
	}
	return list
}

// The connectors of the top system are written with their units and types, together with the
// connections to them, so that the package can replace a component like the original.
func TestWrite_KeepsTheConnectorsOfTheTopSystem(t *testing.T) {
	model := fmu(t, append(triple("OSMPSensorViewIn", "input", "discrete"),
		`k Real parameter fixed start="1" unit="Pa"`,
		`p Real output continuous unit="Pa"`,
		"gear Enumeration output discrete declaredType=\"Gear\"")...)
	interfaces := ports("view input Binary", `k parameter Real unit="bar"`,
		`p output Real unit="bar"`, `q output Real unit="bar"`,
		`gear output Enumeration name="Gear"`, "through input Real", "same output Real",
		"lost input Integer")
	first := entries{
		{name: main, content: describe(interfaces+`<ssd:ParameterBindings>`+binding("k", 2)+
			`</ssd:ParameterBindings><ssd:Elements>
<ssd:Component name="m" source="resources/m.fmu">`+ports("OSMPSensorViewIn input Binary",
			"k parameter Real", "p output Real", `gear output Enumeration name="Gear"`)+
			`</ssd:Component></ssd:Elements><ssd:Connections>`+connection("view",
			"m.OSMPSensorViewIn", "")+connection("m.k", "k", "")+connection("m.p", "p", "")+
			connection("m.p", "q", `<ssc:LinearTransformation factor="3"/>`)+connection("m.gear",
			"gear", "")+connection("through", "same", "")+`</ssd:Connections>`,
			`<ssd:Enumerations><ssc:Enumeration name="Gear"><ssc:Item name="R" value="-1"/>`+
				`<ssc:Item name="N" value="0"/><ssc:Item name="D" value="1"/></ssc:Enumeration>`+
				`</ssd:Enumerations>`+pressureUnits)},
		{name: "resources/m.fmu", content: model},
	}
	s, _, err := ssp.Load(first.pack(t), ssp.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Equal(t, []string{
		"view -> m.OSMPSensorViewIn {[] 1 0}", "k -> m.k {[] 100000 0}", "m.p -> p {[] 1e-05 0}",
		"m.p -> q {[] 3.0000000000000004e-05 0}",
		"m.gear -> gear {[] 1 0}", "through -> same {[] 1 0}",
	}, boundary(s)[:6])
	second, written := again(t, s)
	require.Equal(t, boundary(s), boundary(second))
	require.Equal(t, essenceOf(s), essenceOf(second))
	_, twice := again(t, second)
	require.Equal(t, written, twice)

	for _, inner := range [][]byte{first.bytes(t), written} {
		outer := entries{
			{name: main,
				content: describe(
					`<ssd:Elements><ssd:Component name="source" source="resources/source.fmu">`+
						ports("OSMPSensorViewOut output Binary")+
						`</ssd:Component><ssd:Component name="in" type="application/x-ssp-package`+
						`" source="resources/inner.ssp">`+
						ports("view input Binary", `q output Real unit="bar"`)+`</ssd:Component>`+
						component("b", `q input Real unit="bar"`)+
						`</ssd:Elements><ssd:Connections>`+
						connection("source.OSMPSensorViewOut", "in.view", "")+
						connection("in.q", "b.q", "")+
						`</ssd:Connections>`, pressureUnits)},
			{name: "resources/source.fmu", content: fmu(t, triple("OSMPSensorViewOut", "output",
				"discrete")...)},
			{name: "resources/inner.ssp", content: string(inner)},
		}
		whole, _, err := ssp.Load(outer.pack(t), ssp.Options{})
		require.NoError(t, err)
		require.Equal(t, []string{"source.OSMPSensorViewOut -> in.m.OSMPSensorViewIn",
			"in.m.p -> b.q *3.0000000000000004e-05 +0"}, flat(whole))
		require.Equal(t, []string{"200000"}, whole.Component("in.m").Starts[0].Values)
		require.NoError(t, whole.Close())
	}
}

// A placeholder names a message as a whole; an FMU of FMI 2.0 represents it as three Integers.
func TestWrite_MessagesOfPlaceholders(t *testing.T) {
	s, _, err := ssp.Load(entries{
		{name: main, content: describe(`<ssd:Elements>`+component("ego", "view output Binary")+
			component("log", "data input Binary")+
			`<ssd:Component name="s" source="resources/s.fmu">`+
			ports("OSMPSensorViewIn input Binary", "OSMPSensorDataOut output Binary")+
			`</ssd:Component>
<ssd:Component name="t" source="resources/t.fmu">`+ports("OSMPSensorDataIn input Binary",
			"OSMPSensorViewIn input Binary")+`</ssd:Component></ssd:Elements><ssd:Connections>`+
			connection("ego.view", "s.OSMPSensorViewIn", "")+connection("s.OSMPSensorDataOut",
			"log.data", "")+
			connection("s.OSMPSensorDataOut", "t.OSMPSensorDataIn", "")+`</ssd:Connections>`, "")},
		{name: "resources/s.fmu", content: fmu(t, append(triple("OSMPSensorViewIn", "input",
			"discrete"), triple("OSMPSensorDataOut", "output", "discrete")...)...)},
		{name: "resources/t.fmu", content: fmu(t, append(triple("OSMPSensorDataIn", "input",
			"discrete"), triple("OSMPSensorViewIn", "input", "discrete")...)...)},
	}.pack(t), ssp.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Len(t, s.Connections, 3)
	second, written := again(t, s)
	require.Equal(t, flat(s), flat(second))
	var names []string
	for _, c := range second.Component("t").Connectors {
		names = append(names, c.Name)
	}
	require.Equal(t, []string{
		"OSMPSensorDataIn.base.lo", "OSMPSensorDataIn.base.hi", "OSMPSensorDataIn.size",
		"OSMPSensorViewIn.base.lo", "OSMPSensorViewIn.base.hi", "OSMPSensorViewIn.size",
	}, names)
	_, twice := again(t, second)
	require.Equal(t, written, twice)
}

// numbersOf64Bits returns a system with a map between two types.
func numbersOf64Bits(from, to, source, target string) entries {
	return entries{{name: main, content: describeAs("2.0", `<ssd:Elements>`+component("a",
		"n output "+from)+component("b", "n input "+to)+
		`</ssd:Elements><ssd:Connections>`+connection("a.n", "b.n", fmt.Sprintf(
		`<ssc:IntegerMappingTransformation><ssc:MapEntry source=%q target=%q/>`+
			`</ssc:IntegerMappingTransformation>`, source, target))+`</ssd:Connections>`, "")}}
}

// UInt64 values of 2^63 and above are written as they were read.
func TestWrite_MapsOfUInt64(t *testing.T) {
	for _, c := range [][4]string{
		{"UInt64", "UInt64", "9223372036854775808", "1"},
		{"UInt64", "UInt64", "18446744073709551615", "9223372036854775808"},
		{"Int64", "Int64", "-1", "-9223372036854775808"},
	} {
		first, _, err := ssp.Load(numbersOf64Bits(c[0], c[1], c[2], c[3]).pack(t), ssp.Options{})
		require.NoError(t, err)
		second, written := again(t, first)
		require.Equal(t, essenceOf(first), essenceOf(second))
		_, twice := again(t, second)
		require.Equal(t, written, twice)
		text, err := ssp.Describe(first, func(*ssp.Component) string { return "" })
		require.NoError(t, err)
		require.Contains(t, string(text), fmt.Sprintf(`source=%q target=%q`, c[2], c[3]))
		require.NoError(t, first.Close())
	}
}

// A number with the opposite sign may have the same bits as a valid value of the type, but it is a
// different number.
func TestLoad_RefusesMapsOfTheOtherSign(t *testing.T) {
	for _, c := range [][4]string{
		{"Int64", "Int64", "18446744073709551615", "1"}, {"Int32", "Int32", "1",
			"9223372036854775808"},
		{"UInt64", "UInt64", "-1", "1"}, {"UInt64", "UInt64", "1", "-1"},
	} {
		_, _, err := ssp.Load(numbersOf64Bits(c[0], c[1], c[2], c[3]).pack(t), ssp.Options{})
		require.ErrorContains(t, err, "is not a value of", "%v", c)
	}
}

// A connector without a type has the type and the dimensions of the FMU's variable.
func TestWrite_DimensionsOfConnectorsWithoutAType(t *testing.T) {
	s := files{"resources/a.fmu": arrays(t), "SystemStructure.ssd": describeAs("2.0",
		`<ssd:Elements>`+
			`<ssd:Component name="a" source="resources/a.fmu"><ssd:Connectors>`+
			`<ssd:Connector name="v" kind="output"/></ssd:Connectors></ssd:Component>`+
			`<ssd:Component name="b" source="resources/a.fmu"><ssd:Connectors>`+
			`<ssd:Connector name="w" kind="input"/></ssd:Connectors></ssd:Component>`+
			`</ssd:Elements><ssd:Connections>`+connection("a.v", "b.w", "")+`</ssd:Connections>`,
		"")}.load(t)
	text, err := ssp.Describe(s, func(*ssp.Component) string { return "" })
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(text), `<ssc:Dimension size="3"/>`))
}
