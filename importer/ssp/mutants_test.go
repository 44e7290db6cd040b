package ssp_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// twin returns the sound package as SSP 2.0.
func twin(t testing.TB) entries {
	return sound(t).with(main, `version="1.0" name="test"`, `version="2.0" name="test"`)
}

// folder unpacks a package and returns the path of its description.
func (e entries) folder(t testing.TB) string {
	f := files{}
	for _, x := range e {
		f[x.name] = x.content
	}
	return f.write(t)
}

// alone writes one document and returns its path.
func alone(t testing.TB, name, content string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// withRaw packs the entries and an additional one whose header is written unchanged.
func (e entries) withRaw(t testing.TB, h *zip.FileHeader) string {
	packed := e.bytes(t)
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	require.NoError(t, err)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range r.File {
		require.NoError(t, z.Copy(f))
	}
	_, err = z.CreateRaw(h)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return alone(t, "demo.ssp", b.String())
}

// changedFMU returns an FMU with a changed model description. Its libraries are omitted unless they
// are requested.
func changedFMU(t testing.TB, fmu, old, replacement string, libraries bool) string {
	r, err := zip.NewReader(strings.NewReader(fmu), int64(len(fmu)))
	require.NoError(t, err)
	var all entries
	for _, f := range r.File {
		x, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(x)
		require.NoError(t, err)
		if f.Name == "modelDescription.xml" {
			require.Contains(t, string(content), old)
			content = []byte(strings.ReplaceAll(string(content), old, replacement))
		}
		if libraries || !strings.HasPrefix(f.Name, "binaries/") {
			all = append(all, entry{name: f.Name, content: string(content)})
		}
	}
	return string(all.bytes(t))
}

// arrays returns an FMI 3.0 FMU with arrays, the parameter p for their sizes, and a Binary that is
// not a message.
func arrays(t testing.TB) string {
	variables := `<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="v" valueReference="1" causality="output"><Dimension start="3"/></Float64>
<Float64 name="m" valueReference="2" causality="output"><Dimension start="2"/><Dimension start="3"/></Float64>
<Float64 name="u" valueReference="3" causality="input" start="0"/>
<Float64 name="w" valueReference="4" causality="input" start="0 0 0"><Dimension start="3"/></Float64>
<Float64 name="p" valueReference="5" causality="parameter" variability="fixed" start="0 0 0"><Dimension start="3"/></Float64>
<Binary name="blob" valueReference="6" causality="output"/>`
	all := entries{{name: "modelDescription.xml", content: `<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="g"><CoSimulation modelIdentifier="m"/><ModelVariables>` + variables +
		`</ModelVariables><ModelStructure><Output valueReference="1"/>` +
		`<Output valueReference="2"/><Output valueReference="6"/></ModelStructure>` +
		`</fmiModelDescription>`}}
	for _, library := range []string{"x86_64-linux/m.so", "aarch64-linux/m.so",
		"x86_64-windows/m.dll", "x86_64-darwin/m.dylib", "aarch64-darwin/m.dylib"} {
		all = append(all, entry{name: "binaries/" + library})
	}
	return string(all.bytes(t))
}

// plus adds a component with its own FMU, connectors and bindings.
func (e entries) plus(name, fmu, inside string) entries {
	source := "resources/" + name + ".fmu"
	return e.with(main, "</ssd:Elements>",
		fmt.Sprintf(`<ssd:Component name=%q source=%q>%s</ssd:Component></ssd:Elements>`, name,
			source, inside)).
		with(source, "", fmu)
}

// also adds connections.
func (e entries) also(connections string) entries {
	return e.with(main, "</ssd:Connections>", connections+"</ssd:Connections>")
}

// top adds content before the elements of the system.
func (e entries) top(content string) entries {
	return e.with(main, "<ssd:Elements>", content+"<ssd:Elements>")
}

// element adds an element.
func (e entries) element(content string) entries {
	return e.with(main, "</ssd:Elements>", content+"</ssd:Elements>")
}

// moreMutants returns the paths of files for the messages that the mutants of the rules do not
// cover.
func moreMutants(t testing.TB) (paths []string) {
	for _, list := range [][]entries{structuralMutants(t), connectionMutants(t), arrayMutants(t),
		messageMutants(t), sourceMutants(t), tableMutants(t)} {
		for _, m := range list {
			paths = append(paths, m.pack(t))
		}
	}
	s := sound(t)
	paths = append(paths, documentMutants(t)...)
	return append(paths,
		alone(t, "demo.ssp", "no zip"),
		s.withRaw(t, &zip.FileHeader{Name: "extra/x", Method: 12, ReaderVersion: 20}),
		s.withRaw(t, &zip.FileHeader{Name: "extra/x", Flags: 1, ReaderVersion: 20}),
		s.withRaw(t, &zip.FileHeader{Name: "extra/x", ReaderVersion: 45}),
		s.withRaw(t, &zip.FileHeader{Name: "extra/\xff", ReaderVersion: 20}),
		s.with(main, "resources/a.ssv", "resources").folder(t),
		s.with(main, "resources/a.ssv", "resources/../resources/a.ssv").folder(t),
		s.element(
			`<ssd:Component name="z" type="application/x-ssp-package" source="resources"/>`).folder(
			t),
		append(s[:len(s):len(s)], entry{name: "resources/z.fmu/modelDescription.xml"}).element(
			`<ssd:Component name="z" source="resources/z.fmu"/>`).folder(t),
	)
}

// tableMutants returns packages in which a component is a table with connectors that do not fit.
func tableMutants(t testing.TB) (list []entries) {
	for _, connectors := range []string{
		`<ssd:Connector name="x" kind="parameter"><ssc:Real/></ssd:Connector>`,
		`<ssd:Connector name="z" kind="output"><ssc:Real/></ssd:Connector>`,
		`<ssd:Connector name="x" kind="output"><ssc:Real/></ssd:Connector>` +
			`<ssd:Connector name="z" kind="output"><ssc:Real/></ssd:Connector>`,
	} {
		list = append(list, sound(t).element(`<ssd:Component name="table" type="text/csv" `+
			`source="resources/t.csv"><ssd:Connectors>`+connectors+
			`</ssd:Connectors></ssd:Component>`).with("resources/t.csv", "", "time,x,y\n0,1,2\n"))
	}
	return list
}

// documentMutants returns documents other than descriptions, and files that are not XML.
func documentMutants(t testing.TB) (paths []string) {
	set := func(version, parameters, behind string) string {
		text := strings.Replace(parameterSet(parameters), `<ssv:ParameterSet version="1.0"`,
			`<ssv:ParameterSet version="`+version+`"`, 1)
		return alone(t, "a.ssv", strings.Replace(text, "</ssv:Parameters>", "</ssv:Parameters>"+
			behind, 1))
	}
	items := `<ssv:Enumerations><ssc:Enumeration name="E"><ssc:Item name="A" value="1"/>` +
		`</ssc:Enumeration></ssv:Enumerations>`
	parameter := func(value string) string {
		return `<ssv:Parameter name="a">` + value + `</ssv:Parameter>`
	}
	const mapping = `<ssm:ParameterMapping version="1.0" ` +
		`xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping" ` +
		`xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">%s</ssm:ParameterMapping>`
	entry := `<ssb:DictionaryEntry name="a"><ssc:Real/></ssb:DictionaryEntry>`
	paths = append(paths,
		set("1.0", parameter(`<ssv:Enumeration value="A" name="E"/>`), ""),
		set("1.0", parameter(`<ssv:Enumeration value="B" name="E"/>`), items),
		set("2.0", parameter(`<ssv:Real value="1 2"/><ssc:Dimension size="3"/>`), ""),
		set("1.0", parameter(`<ssv:Real value="1 2"/>`), ""),
		set("1.0", parameter(`<ssv:Binary value="0g"/>`), ""),
		set("1.0", parameter(`<ssv:Real value=""/>`), ""),
		set("2.0", parameter(`<ssv:String value="a"><ssv:Value value="b"/></ssv:String>`), ""),
		set("2.0", parameter(`<ssv:String/>`), ""),
		alone(t, "a.ssm", fmt.Sprintf(mapping,
			`<ssm:MappingEntry source="a" target="c"/><ssm:MappingEntry source="b" target="c"/>`)),
		alone(t, "a.ssm", fmt.Sprintf(mapping,
			`<ssm:MappingEntry source="a" target="c"><ssc:LinearTransformation factor="2"/>`+
				`<ssc:LinearTransformation factor="2"/></ssm:MappingEntry>`)),
		alone(t, "a.ssb",
			`<ssb:SignalDictionary version="1.0" `+
				`xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary" `+
				`xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">`+entry+entry+
				`</ssb:SignalDictionary>`),
	)
	sound := parameterSet("")
	attributes := ""
	for k := range 1001 {
		attributes += fmt.Sprintf(` a%d=""`, k)
	}
	for _, text := range []string{
		strings.Replace(sound, "</ssv:ParameterSet>", "", 1), `<?xml version="1.0"?>`,
		sound + "text", `<!DOCTYPE a [<!ENTITY b "c">]>` + sound, sound + "<a/>",
		strings.Replace(sound, "<ssv:Parameters>", "<ssv:Parameters>"+strings.Repeat("<ssv:a/>",
			1<<20), 1),
		strings.Replace(sound, "<ssv:Parameters>", "<ssv:Parameters>"+strings.Repeat("<ssv:a>",
			100), 1),
		strings.Replace(sound, "<ssv:Parameters>", "<ssv:Parameters"+attributes+">", 1),
		strings.Replace(sound, "<ssv:Parameters>", `<ssv:Parameters x:y="">`, 1),
		strings.Replace(sound, ` name="s"`, ` name="s" name="t"`, 1),
	} {
		paths = append(paths, alone(t, "a.ssv", text))
	}
	return paths
}

// structuralMutants returns packages with errors in the structure of the description.
func structuralMutants(t testing.TB) []entries {
	s, s2 := sound(t), twin(t)
	in := func(old, replacement string) entries { return s.with(main, old, replacement) }
	var many strings.Builder
	for k := range 1 << 14 {
		fmt.Fprintf(&many, `<ssd:System name="s%d"/>`, k)
	}
	geometry := `<ssd:Connectors><ssd:Connector name="t" kind="output"><ssc:Real/>` +
		`<ssd:ConnectorGeometry x="0" y="0" systemInnerX="1"/></ssd:Connector></ssd:Connectors>`
	dictionary := func(name string) string {
		return `<ssd:SignalDictionary name="` + name +
			`"><ssb:SignalDictionary version="1.0"><ssb:DictionaryEntry name="y"><ssc:Real/>` +
			`</ssb:DictionaryEntry></ssb:SignalDictionary></ssd:SignalDictionary>`
	}
	bus := `<ssd:SignalDictionaryReference name="bus" dictionary="d">` + ports("x inout Real") +
		`</ssd:SignalDictionaryReference>`
	experiment := `<ssd:DefaultExperiment startTime="0" stopTime="10"/>`
	return []entries{
		in("<ssd:Units>", `<ssd:Units><ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit>`),
		in("<ssd:Enumerations>",
			`<ssd:Enumerations><ssc:Enumeration name="Gear"><ssc:Item name="R" value="-1"/>`+
				`<ssc:Item name="N" value="0"/><ssc:Item name="D" value="1"/></ssc:Enumeration>`),
		s.element(many.String()),
		s.element(`<ssd:Component name="" source="resources/a.fmu"/>`),
		s.element(`<ssd:Component name="a" source="resources/a.fmu"/>`),
		s.top(`<ssd:Connectors>` + strings.Repeat(`<ssd:Connector name="c" kind="output"/>`,
			1<<18+1) + `</ssd:Connectors>`),
		s.top(ports(" output Real")), s.top(ports("t output Real", "t output Real")),
		s.top(ports(`t output Enumeration name="None"`)),
		s2.top(ports(`t output Real/><ssc:Dimension size="1" sizeConnector="n"`,
			"n structuralParameter Integer")),
		s2.top(ports(`t output Real/><ssc:Dimension sizeConnector="n"`)),
		s.element(bus), s.element(bus).with(main, `</ssd:Connections>`,
			`</ssd:Connections><ssd:SignalDictionaries>`+dictionary("d")+
				`</ssd:SignalDictionaries>`),
		in(`</ssd:Connections>`, `</ssd:Connections><ssd:SignalDictionaries>`+dictionary("d")+
			dictionary("d")+`</ssd:SignalDictionaries>`),
		s.element(
			`<ssd:Component name="s.a" source="resources/a.fmu"/><ssd:System name="s">` +
				`<ssd:Elements><ssd:Component name="a" source="resources/a.fmu"/></ssd:Elements>` +
				`</ssd:System>`),
		in("<ssd:Elements>", "<ssd:Elements>text"), in(pressureUnits, "").with(main, experiment,
			experiment+pressureUnits),
		in("<ssd:Enumerations>",
			`<ssd:Enumerations><ssc:Enumeration name="E"><ssc:Annotations>`+
				`<ssc:Annotation type="x.y"/></ssc:Annotations></ssc:Enumeration>`),
		in(experiment, strings.Replace(experiment, "/>",
			`><ssd:Annotations><ssc:Annotation type="x.y"><a/><b/></ssc:Annotation>`+
				`</ssd:Annotations></ssd:DefaultExperiment>`, 1)),
		in(experiment, experiment+experiment), in("<ssd:Elements>", "<ssd:Elements><ssd:Part/>"),
		s.top(geometry),
		s.element(`<ssd:System name="s" id="i"/><ssd:System name="u" id="i"/>`),
		append(s2[:len(s2):len(s2)], entry{name: "Other.ssd", content: s2[0].content}),
	}
}

// sourceMutants returns packages with errors in the files that they refer to.
func sourceMutants(t testing.TB) []entries {
	s, s2 := sound(t), twin(t)
	in := func(old, replacement string) entries { return s.with(main, old, replacement) }
	bound := `<ssd:ParameterBinding source="resources/a.ssv"/>`
	definition := func(source, inside string) string {
		return `<ssd:Component name="z" type="application/x-ssp-definition" source="` + source +
			`">` + inside + `</ssd:Component>`
	}
	inner := describe(ports("x output Real"), "")
	nested := slices.Concat(s, entries{{name: "resources/inner.ssd", content: inner}})
	plain := fmu(t)
	return []entries{
		s2.element(
			`<ssd:Component name="z"><ssd:ParameterBindings>` +
				`<ssd:ParameterBinding source="resources/z.ssv" sourceBase="component"/>` +
				`</ssd:ParameterBindings></ssd:Component>`),
		in(bound, `<ssd:ParameterBinding type="text/csv" source="resources/a.csv"/>`).without(
			"resources/a.ssv"),
		in(bound,
			`<ssd:ParameterBinding source="resources/a.ssv"><ssd:ParameterValues>`+
				`<ssv:ParameterSet version="1.0" name="i"><ssv:Parameters/></ssv:ParameterSet>`+
				`</ssd:ParameterValues></ssd:ParameterBinding>`),
		s.without("resources/a.ssv").with("resources/a.ssv", "", s[2].content),
		in("resources/a.ssv", "https://example.org/a.ssv"), in("resources/a.ssv",
			"//example.org/a.ssv"), in("resources/a.ssv", "resources/a.ssv?b"),
		in("resources/a.ssv", "#a"), in("resources/a.fmu", "#a"), in(`version="1.0" name="inner"`,
			`version="2.0" name="inner"`),
		s2.element(`<ssd:Component name="z"/>`),
		s.element(`<ssd:Component name="z" type="text/x-modelica" source="resources/z.mo"/>`),
		s.element(definition("", "")), s.element(`<ssd:System name="s" id="i"><ssd:Elements>` +
			definition("#i", "") + `</ssd:Elements></ssd:System>`), s.element(definition("#none",
			"")),
		s.element(
			`<ssd:Component name="z" type="application/x-ssp-package" source="resources/b.ssm"/>`),
		nested.element(definition("resources/inner.ssd", ports("y output Real"))),
		nested.element(definition("resources/inner.ssd", ports("x input Real"))),
		s.plus("z", changedFMU(t, plain, `numberOfEventIndicators`, `numberOfEventIndicators`,
			false), ""),
		s.plus("z", changedFMU(t, plain, `<CoSimulation `,
			`<ModelExchange modelIdentifier="m"/><CoSimulation `, true), ""),
	}
}

// connectionMutants returns packages with errors in connections, units and transformations.
func connectionMutants(t testing.TB) []entries {
	s, s2 := sound(t), twin(t)
	instead := func(e entries, name, inside string) entries {
		return e.with(main, connection("a."+name, "b."+name, ""), connection("a."+name, "b."+name,
			inside))
	}
	linear := `<ssc:LinearTransformation factor="2"/>`
	numbers := func(inside string) string {
		return `<ssc:IntegerMappingTransformation>` + inside + `</ssc:IntegerMappingTransformation>`
	}
	inner := `<ssd:System name="s">` + ports("x input") +
		`<ssd:Elements><ssd:Component name="c" source="resources/b.fmu">` +
		ports("n input Integer") +
		`</ssd:Component></ssd:Elements><ssd:Connections>` + connection("x", "c.n",
		numbers(`<ssc:MapEntry source="1" target="2"/>`)) + `</ssd:Connections></ssd:System>`
	kelvin := s.top(ports(`t output Real unit="K"`))
	// A connector without type and unit, between two connectors that differ.
	way := func(source, to, target string) entries {
		return s.top(ports("t input " + source)).also(connection("t", "s.x", "")).element(
			`<ssd:System name="s">` + ports("x input") + `<ssd:Elements>` +
				`<ssd:Component name="c" source="resources/b.fmu">` + ports(to+" input "+target) +
				`</ssd:Component></ssd:Elements><ssd:Connections>` +
				connection("x", "c."+to, "") + `</ssd:Connections></ssd:System>`)
	}
	suppressed := func(inside string) string {
		return strings.Replace(connection("a.p", "t", inside), " ",
			` suppressUnitConversion="true" `, 1)
	}
	extreme := `<ssd:Units><ssc:Unit name="huge"><ssc:BaseUnit m="1" factor="1e300"/></ssc:Unit>` +
		`<ssc:Unit name="tiny"><ssc:BaseUnit m="1" factor="1e-300"/></ssc:Unit>`
	other := slices.Concat(s,
		entries{{name: "resources/inner.ssd",
			content: describe(ports(`x output Real unit="bar"`),
				strings.Replace(pressureUnits, "1e5", "2e5", 1))}})
	return []entries{
		s.top(ports("t output Real")).also(strings.Replace(connection("a.p", "t", ""),
			` endConnector`, ` endElement="" endConnector`, 1)),
		instead(s, "p", linear+linear), way("Real", "n", "Integer"), way(`Real unit="bar"`, "p",
			`Real unit="Pa"`),
		s.also(connection("a.n", "s.x", linear)).element(inner),
		s.replaceAll(main, `<ssc:Real unit="Pa"/>`, `<ssc:Real unit="K"/>`),
		s.plus("c", fmu(t, `u Real input continuous start="0"`, "y Real output continuous"),
			ports("u input Real", "y output Real")).also(connection("c.y", "c.u", "")),
		instead(s, "n",
			numbers(`<ssc:MapEntry source="1" target="2"/><ssc:MapEntry source="1" target="3"/>`)),
		instead(s, "gear",
			`<ssc:EnumerationMappingTransformation><ssc:MapEntry source="X" target="D"/>`+
				`</ssc:EnumerationMappingTransformation>`),
		instead(s2, "n", numbers(`<ssc:MapEntry source="9223372036854775808" target="2"/>`)),
		kelvin.also(suppressed("")), kelvin.also(suppressed(linear)), kelvin.also(connection("a.p",
			"t", "")),
		s.with(main, "<ssd:Units>", extreme).top(ports(`x input Real unit="huge"`,
			`y output Real unit="tiny"`)).also(connection("x", "y", "")),
		other.top(ports(`t output Real unit="bar"`)).element(
			`<ssd:Component name="z" type="application/x-ssp-definition" ` +
				`source="resources/inner.ssd">` + ports(`x output Real unit="bar"`) +
				`</ssd:Component>`).
			also(connection("z.x", "t", "")),
		s.with(main, `<ssd:ParameterMapping source="resources/b.ssm"/></ssd:ParameterBinding>`,
			`<ssd:ParameterMapping source="resources/b.ssm"/></ssd:ParameterBinding>`+
				strings.Replace(binding("gear", 1), `<ssv:Real value="1"/>`,
					`<ssv:Enumeration value="X"/>`, 1)),
	}
}

// arrayMutants returns packages with errors in arrays, a feature introduced by SSP 2.0.
func arrayMutants(t testing.TB) []entries {
	s2, model := twin(t), arrays(t)
	array := func(connectors ...string) entries { return s2.plus("x", model, ports(connectors...)) }
	const three, two3 = `Float64/><ssc:Dimension size="3"`,
		`Float64/><ssc:Dimension size="2"/><ssc:Dimension size="3"`
	all := array("v output "+three, "m output "+two3, "u input Float64", "w input "+three)
	set := strings.NewReplacer(`version="1.0"`, `version="2.0"`, `<ssv:Real value="1"/>`,
		`<ssv:Real value="1 2"/>`).Replace(binding("p", 1))
	value := strings.Replace(binding("t", 1), `version="1.0"`, `version="2.0"`, 1)
	return []entries{
		array("v output Float64"), array(`v output Float64/><ssc:Dimension size="4"`),
		all.also(connection("x.m", "x.w", "")), all.also(indexedConnection("x.m", "1", "x.u", "")),
		all.also(indexedConnection("x.v", "0", "x.u", "")), all.also(indexedConnection("x.v", "4",
			"x.u", "")),
		s2.plus("x", model, ports("p parameter "+three)+`<ssd:ParameterBindings>`+set+
			`</ssd:ParameterBindings>`),
		array("p parameter " + three).top(ports("t parameter Float64") + `<ssd:ParameterBindings>` +
			value + `</ssd:ParameterBindings>`).also(indexedConnection("t", "", "x.p", "2")),
		{{name: main, content: manyWays()}},
	}
}

// manyWays returns a system in which whole arrays and elements alternate from level to level.
func manyWays() string {
	const n, levels = 40, 10
	v := ports("v output Real/><ssc:Dimension")
	system := component("s", "v output Real/><ssc:Dimension")
	for level := range levels {
		connections := connection("s.v", "v", "")
		if level%2 == 0 {
			connections = ""
			for k := range n {
				connections += indexedConnection("s.v", fmt.Sprint(k+1), "v", fmt.Sprint(k+1))
			}
		}
		system = `<ssd:System name="s">` + v + `<ssd:Elements>` + system +
			`</ssd:Elements><ssd:Connections>` + connections + `</ssd:Connections></ssd:System>`
	}
	return describeAs("2.0", `<ssd:Elements>`+component("a", "u input Real")+system+
		`</ssd:Elements><ssd:Connections>`+
		indexedConnection("s.v", "1", "a.u", "")+`</ssd:Connections>`, "")
}

// messageMutants returns packages with errors in OSMP messages.
func messageMutants(t testing.TB) []entries {
	s := sound(t)
	out, in := messagePorts("OSMPSensorViewOut", "output"), messagePorts("OSMPSensorViewIn",
		"input")
	parts := []string{".base.lo", ".base.hi", ".size"}
	open := s
	for _, part := range parts {
		open = open.with(main, connection("source.OSMPSensorViewOut"+part,
			"sensor.OSMPSensorViewIn"+part, ""), "")
	}
	size := connection("source.OSMPSensorViewOut.size", "sensor.OSMPSensorViewIn.size", "")
	both := s.with(main, out, strings.Replace(out, "</ssd:Connectors>",
		`<ssd:Connector name="OSMPSensorViewOut" kind="output"><ssc:Binary/></ssd:Connector>`+
			`</ssd:Connectors>`, 1)).
		with(main, in, strings.Replace(in, "</ssd:Connectors>",
			`<ssd:Connector name="OSMPSensorViewIn" kind="input"><ssc:Binary/></ssd:Connector>`+
				`</ssd:Connectors>`, 1))
	sensor := func(fmu string) entries {
		return s.without("resources/sensor.fmu").with("resources/sensor.fmu", "", fmu)
	}
	view := fmu(t, triple("OSMPSensorViewIn", "input", "discrete")...)
	asking := append(append(triple("OSMPSensorViewIn", "input", "discrete"),
		triple("OSMPSensorViewInConfigRequest", "calculatedParameter", "fixed")...),
		triple("OSMPSensorViewInConfig", "parameter", "fixed")...)
	request := strings.Replace(in, "</ssd:Connectors>",
		`<ssd:Connector name="OSMPSensorViewInConfigRequest" kind="calculatedParameter">`+
			`<ssc:Binary/></ssd:Connector></ssd:Connectors>`, 1)
	return []entries{
		open.with(main, in, ports("OSMPSensorViewIn output Binary")),
		open.with(main, in, "").with(main, out, ports("OSMPSensorViewOut output Integer")),
		open.with(main, `version="1.0" name="test"`, `version="2.0" name="test"`).with(main, in,
			ports("OSMPSensorViewIn input Binary")).
			plus("x", arrays(t), ports("blob output Binary")).also(connection("x.blob",
			"sensor.OSMPSensorViewIn", "")),
		s.element(`<ssd:Component name="second" source="resources/source.fmu">`+out+
			`</ssd:Component>`).
			with(main, size, strings.Replace(size, `"source"`, `"second"`, 1)),
		both.also(connection("source.OSMPSensorViewOut", "sensor.OSMPSensorViewIn", "")),
		s.with(main, size, ""),
		s.plus("c", fmu(t, `k Integer input discrete start="0"`), ports("k input Integer")).also(
			connection("source.OSMPSensorViewOut.size", "c.k", "")),
		sensor(changedFMU(t, view, "version=3.8.0", "version=3.7.0", true)),
		sensor(changedFMU(t, view, "type=SensorView;", "type=SensorData;", true)),
		sensor(fmu(t, asking...)),
		sensor(fmu(t, asking...)).with(main, in, request).plus("producer",
			fmu(t, triple("OSMPSensorViewOutConfig", "parameter", "fixed")...),
			ports("OSMPSensorViewOutConfig parameter Binary")).
			also(connection("sensor.OSMPSensorViewInConfigRequest",
				"producer.OSMPSensorViewOutConfig", "")),
	}
}
