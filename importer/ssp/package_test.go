package ssp_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

// A package may replace a component of another one, as defined by OSMP for sensor models since
// version 1.5 (rule 26). Values that are bound at the component come last at the top level of the
// inner system (rule 19), and the variant in the reference is used.
func TestLoad_PackageInPackage(t *testing.T) {
	model := fmu(t, append(triple("OSMPSensorViewIn", "input", "discrete"),
		`k Real parameter fixed start="1"`)...)
	inside := func(name string, k float64) string {
		return describe(ports("view input Binary", "k parameter Real")+`<ssd:ParameterBindings>`+
			binding(name+".k", k)+`</ssd:ParameterBindings>
<ssd:Elements><ssd:Component name="`+name+`" source="resources/model.fmu">`+
			ports("OSMPSensorViewIn input Binary", "k parameter Real")+
			`</ssd:Component></ssd:Elements><ssd:Connections>`+connection("view",
			name+".OSMPSensorViewIn", "")+`</ssd:Connections>`,
			`<ssd:DefaultExperiment startTime="0" stopTime="1"/>`)
	}
	inner := entries{{name: main, content: inside("first", 2)},
		{name: "Second.ssd", content: inside("second", 3)},
		{name: "resources/model.fmu", content: model}}
	for _, c := range []struct{ source, component, binding, want string }{
		{"resources/inner.ssp", "sensor.first", "", "2"},
		{"resources/inner.ssp#Second.ssd", "sensor.second", "", "3"},
		{"resources/inner.ssp#Second.ssd", "sensor.second", binding("second.k", 4), "4"},
	} {
		bindings := ""
		if c.binding != "" {
			bindings = `<ssd:ParameterBindings>` + c.binding + `</ssd:ParameterBindings>`
		}
		outer := entries{
			{name: main,
				content: describe(
					`<ssd:Elements><ssd:Component name="source" source="resources/source.fmu">`+
						ports("OSMPSensorViewOut output Binary")+
						`</ssd:Component><ssd:Component name="sensor" type="application/x-ssp-pac`+
						`kage" source="`+c.source+`">`+ports("view input Binary")+bindings+
						`</ssd:Component></ssd:Elements><ssd:Connections>`+
						connection("source.OSMPSensorViewOut", "sensor.view", "")+
						`</ssd:Connections>`,
					`<ssd:DefaultExperiment startTime="0" stopTime="1"/>`)},
			{name: "resources/source.fmu", content: fmu(t, triple("OSMPSensorViewOut", "output",
				"discrete")...)},
			{name: "resources/inner.ssp", content: string(inner.bytes(t))},
		}
		s, _, err := ssp.Load(outer.pack(t), ssp.Options{})
		require.NoError(t, err)
		require.Equal(t, []string{"source", c.component}, names(s))
		require.Equal(t, []string{"source.OSMPSensorViewOut -> " + c.component +
			".OSMPSensorViewIn"}, flat(s))
		require.Equal(t, []string{c.want}, s.Component(c.component).Starts[0].Values, c.source)
		require.NoError(t, s.Unpack(t.TempDir()))
		again, _ := again(t, s)
		require.Equal(t, flat(s), flat(again))
		require.NoError(t, s.Close())
	}
}

// A package that contains itself, or two that refer to each other, result in an error.
func TestLoad_PackagesInACircleAreRefused(t *testing.T) {
	refers := func(source string) string {
		return describe(
			`<ssd:Elements><ssd:Component name="a" type="application/x-ssp-definition" source="`+
				source+`"/></ssd:Elements>`, "")
	}
	for _, c := range []entries{
		{{name: main, content: refers("SystemStructure.ssd")}},
		{{name: main, content: refers("")}},
		{{name: main, content: refers("Other.ssd")},
			{name: "Other.ssd", content: refers("SystemStructure.ssd")}},
	} {
		s, _, err := ssp.Load(c.pack(t), ssp.Options{})
		require.ErrorIs(t, err, ssp.ErrSystem)
		require.NoError(t, s.Close())
	}
}

// Identical FMUs in several packages are written once; different ones with the same name are
// written twice.
func TestWrite_EqualFMUsOnce(t *testing.T) {
	inner := func(start string) string {
		return string(
			entries{{name: main,
				content: describe(
					`<ssd:Elements><ssd:Component name="m" source="resources/model.fmu">`+
						ports("k parameter Real")+
						`</ssd:Component></ssd:Elements>`, "")},
				{name: "resources/model.fmu", content: fmu(t,
					`k Real parameter fixed start="`+start+`"`)}}.bytes(t))
	}
	var components strings.Builder
	outer := entries{{}}
	for k, start := range []string{"1", "1", "2"} {
		name := fmt.Sprintf("resources/%d.ssp", k)
		fmt.Fprintf(&components,
			`<ssd:Component name="c%d" type="application/x-ssp-package" source=%q/>`, k, name)
		outer = append(outer, entry{name: name, content: inner(start)})
	}
	outer[0] = entry{name: main, content: describe(`<ssd:Elements>`+components.String()+
		`</ssd:Elements>`, "")}
	s, _, err := ssp.Load(outer.pack(t), ssp.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	_, written := again(t, s)
	z, err := zip.NewReader(bytes.NewReader(written), int64(len(written)))
	require.NoError(t, err)
	var files []string
	for _, f := range z.File {
		files = append(files, f.Name)
	}
	require.Equal(t, []string{main, "resources/model.fmu", "resources/model-2.fmu"}, files)
}

// A set of values can be in the package that replaces the component (rule 18).
func TestBinding_SourceInsideTheComponent(t *testing.T) {
	inner := entries{{name: main, content: describe(ports("k parameter Real")+
		`<ssd:Elements><ssd:Component name="m" source="resources/model.fmu">`+
		ports("k parameter Real")+
		`</ssd:Component></ssd:Elements><ssd:Connections>`+connection("k", "m.k", "")+
		`</ssd:Connections>`, "")},
		{name: "resources/model.fmu", content: fmu(t, `k Real parameter fixed start="1"`)},
		{name: "resources/k.ssv",
			content: parameterSet(`<ssv:Parameter name="k"><ssv:Real value="5"/></ssv:Parameter>`)}}
	outer := entries{{name: main, content: describe(`<ssd:Elements><ssd:Component name="c" type="`+
		`application/x-ssp-package" source="resources/inner.ssp">`+ports("k parameter Real")+
		`<ssd:ParameterBindings>`+
		`<ssd:ParameterBinding sourceBase="component" source="resources/k.ssv"/>`+
		`</ssd:ParameterBindings></ssd:Component></ssd:Elements>`, "")},
		{name: "resources/inner.ssp", content: string(inner.bytes(t))}}
	s, _, err := ssp.Load(outer.pack(t), ssp.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Equal(t, []string{"5"}, s.Component("c.m").Starts[0].Values)
}
