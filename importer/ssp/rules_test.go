package ssp_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
	"gosmp/internal/finding"
)

const main = "SystemStructure.ssd"

// sound returns a package that uses every feature and has no findings.
func sound(t testing.TB) entries {
	connectorsA := ports(`p output Real unit="Pa"`, "n output Integer",
		"gear output Enumeration name=\"Gear\"", "on output Boolean") +
		`<ssd:ParameterBindings><ssd:ParameterBinding source="resources/a.ssv"/>` +
		`</ssd:ParameterBindings>`
	system := `<ssd:Elements>
<ssd:Component name="a" source="resources/a.fmu">` + connectorsA + `</ssd:Component>
<ssd:Component name="b" source="resources/b.fmu">` +
		ports(`p input Real unit="Pa"`, "n input Integer", "gear input Enumeration name=\"Gear\"",
			"on input Boolean", "k parameter Real") + `
<ssd:ParameterBindings><ssd:ParameterBinding prefix="x."><ssd:ParameterValues>
<ssv:ParameterSet version="1.0" name="inner"><ssv:Parameters><ssv:Parameter name="gain"><ssv:Real value="2"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>
</ssd:ParameterValues><ssd:ParameterMapping source="resources/b.ssm"/></ssd:ParameterBinding></ssd:ParameterBindings></ssd:Component>
<ssd:Component name="source" source="resources/source.fmu">` + messagePorts("OSMPSensorViewOut",
		"output") + `</ssd:Component>
<ssd:Component name="sensor" source="resources/sensor.fmu">` + messagePorts("OSMPSensorViewIn",
		"input") + `</ssd:Component>
</ssd:Elements><ssd:Connections>
` + connection("a.p", "b.p", "") + "\n" + connection("a.n", "b.n", "") + "\n" + connection("a.gear",
		"b.gear", "") + "\n" + connection("a.on", "b.on", "") + "\n" +
		connection("source.OSMPSensorViewOut.base.lo", "sensor.OSMPSensorViewIn.base.lo", "") +
		"\n" +
		connection("source.OSMPSensorViewOut.base.hi", "sensor.OSMPSensorViewIn.base.hi", "") +
		"\n" +
		connection("source.OSMPSensorViewOut.size", "sensor.OSMPSensorViewIn.size", "") + "\n" +
		`</ssd:Connections>`
	behind := `<ssd:Enumerations><ssc:Enumeration name="Gear"><ssc:Item name="R" value="-1"/><ssc:Item name="N" value="0"/><ssc:Item name="D" value="1"/></ssc:Enumeration></ssd:Enumerations>
` + pressureUnits + `<ssd:DefaultExperiment startTime="0" stopTime="10"/>`
	return entries{
		{name: main, content: describe(system, behind)},
		{name: "resources/a.ssv",
			content: parameterSet(
				`<ssv:Parameter name="level"><ssv:Real value="3"/></ssv:Parameter>`)},
		{name: "resources/b.ssm", content: `<?xml version="1.0"?><ssm:ParameterMapping version="1.0" xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping">
<ssm:MappingEntry source="x.gain" target="k"/></ssm:ParameterMapping>`},
		{name: "resources/a.fmu", content: fmu(t, `p Real output continuous unit="Pa"`,
			"n Integer output discrete", "gear Enumeration output discrete declaredType=\"Gear\"",
			"on Boolean output discrete", `level Real parameter fixed start="1" min="0" max="9"`,
			`file String parameter fixed start=""`,
			`fix Real local constant start="1" initial="exact"`)},
		{name: "resources/b.fmu", content: fmu(t, `p Real input continuous unit="Pa" start="0"`,
			`n Integer input discrete start="0"`,
			`gear Enumeration input discrete declaredType="Gear" start="0"`,
			`on Boolean input discrete start="false"`, `k Real parameter fixed start="1"`)},
		{name: "resources/source.fmu", content: fmu(t, triple("OSMPSensorViewOut", "output",
			"discrete")...)},
		{name: "resources/sensor.fmu", content: fmu(t, triple("OSMPSensorViewIn", "input",
			"discrete")...)},
	}
}

func messagePorts(name, kind string) string {
	return ports(name+".base.lo "+kind+" Integer", name+".base.hi "+kind+" Integer", name+".size "+
		kind+" Integer")
}

func parameterSet(parameters string) string {
	return `<?xml version="1.0"?>` +
		`<ssv:ParameterSet version="1.0" name="s" ` +
		`xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" ` +
		`xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"><ssv:Parameters>` +
		parameters + `</ssv:Parameters></ssv:ParameterSet>`
}

func TestCheck_SoundPackage(t *testing.T) {
	_, list := sound(t).check(t, ssp.Options{})
	require.Empty(t, list)
}

// mutants returns changes to the sound package that each cause exactly one finding.
func mutants(t testing.TB) map[string][]entries {
	s := sound(t)
	in := func(old, replacement string) entries { return s.with(main, old, replacement) }
	set := func(old, replacement string) entries {
		return s.with("resources/a.ssv", old, replacement)
	}
	message := connection("source.OSMPSensorViewOut.size", "sensor.OSMPSensorViewIn.size", "")
	level := `<ssv:Real value="3"/>`
	return map[string][]entries{
		"SSP-Z1": {
			append(s[:len(s):len(s)], entry{name: "resources/a.ssv", content: s[1].content + "\n"}),
			append(s[:len(s):len(s)], entry{name: `extra/\x`}),
			append(s[:len(s):len(s)], entry{name: "extra/../x"}),
			append(s[:len(s):len(s)], entry{name: "/x"}),
			append(s[:len(s):len(s)], entry{name: "extra/\xfc"}),
			append(s[:len(s):len(s)], entry{name: "extra/ü",
				header: func(h *zip.FileHeader) { h.NonUTF8 = true }}),
			append(s[:len(s):len(s)], entry{name: "extra/link",
				header: func(h *zip.FileHeader) { h.SetMode(0o777 | 1<<27) }}),
		},
		"SSP-Z2": {s.renamed(main, "demo/SystemStructure.ssd"), s.renamed(main, "Other.ssd")},
		"SSP-Z3": {append(s[:len(s):len(s)], entry{name: "README"}), s.renamed("resources/a.ssv",
			"a.ssv").with(main, "resources/a.ssv", "a.ssv")},
		"SSP-X1": {in("</ssd:Elements>", ""), in("xmlns:ssb=", "xmlns:osp="+
			`"x"><osp:a/><ssx:b/></ssd:SystemStructureDescription><!--`), set("<ssv:Parameters>",
			"<ssv:Parameters>&x;")},
		"SSP-X2": {
			in(`<ssc:Boolean/>`, `<ssc:Boolean size="3"/>`), in("<ssd:DefaultExperiment ",
				"<ssd:DefaultExperiment step=\"1\" "),
			in(`stopTime="10"/>`,
				`stopTime="10"><ssc:Annotations><ssc:Annotation type="x.y"/></ssc:Annotations>`+
					`</ssd:DefaultExperiment>`),
		},
		"SSP-X3": {
			in(`version="1.0" name="test"`, `version="3.0" name="test"`), in(`startTime="0"`,
				`startTime="now"`), in(` name="test"`, ""),
			in(`name="D" value="1"`, `name="D" value="2147483648"`),
			in("</ssd:Elements>", "</ssd:Elements><ssd:GraphicalElements/>"), in(`<ssc:Boolean/>`,
				`<ssc:Boolean/><ssc:Dimension size="1"/>`),
			in(`<ssd:DefaultExperiment startTime="0" stopTime="10"/>`, "").with(main,
				"<ssd:System name",
				`<ssd:DefaultExperiment startTime="0" stopTime="10"/><ssd:System name`),
		},
		"SSP-X4": {renamePrefix(s, "ssd:", "s:", "xmlns:ssd", "xmlns:s"), renamePrefix(s, "ssd:",
			"", "xmlns:ssd", "xmlns")},
		"SSP-S1": {in("resources/a.fmu", "resources/c.fmu"),
			in(`<ssd:Component name="a" source="resources/a.fmu">`,
				`<ssd:Component name="a" type="application/x-ssp-package" `+
					`source="resources/a.ssp">`).without("resources/a.fmu"),
			in("resources/a.fmu", "resources/A.fmu"), in("resources/b.fmu", `resources\b.fmu`),
			in("resources/a.fmu", "resources/a b.fmu").renamed("resources/a.fmu",
				"resources/a b.fmu"),
			in("resources/a.fmu", "resources/a%zz.fmu").renamed("resources/a.fmu",
				"resources/a%zz.fmu")},
		"SSP-S2": {in("resources/a.fmu", "/tmp/a.fmu"), in("resources/a.fmu", "../a.fmu"),
			in("resources/a.ssv", "file:///tmp/a.ssv")},
		"SSP-S3": {
			in("<ssc:Boolean/>", ""), in("</ssd:Elements>",
				`<ssd:Component name="z" source="" type="application/avl-mcx-constant"/>`+
					`</ssd:Elements>`),
			in("<ssd:Component name=\"a\" source=\"resources/a.fmu\">",
				"<ssd:Component name=\"a\" source=\"resources/a\">").renamed("resources/a.fmu",
				"resources/a"),
		},
		"SSP-S4": {
			in(`<ssd:Component name="a"`,
				`<ssd:Component name="a" source="resources/a.fmu"/><ssd:Component name="a"`),
			in(connection("a.n", "b.n", ""), connection("a.m", "b.n", "")),
			in(connection("a.n", "b.n", ""), connection("c.n", "b.n", "")),
			set("</ssv:Parameters>",
				`<ssv:Parameter name="level"><ssv:Real value="3"/></ssv:Parameter>`+
					`</ssv:Parameters>`),
		},
		"SSP-S5": {
			in(connection("a.on", "b.on", ""), connection("a.on", "b.on", "")+connection("a.on",
				"b.on", "")),
			in(connection("a.p", "b.p", ""), connection("a.p", "b.p", "")+connection("a.p", "a.p",
				"")),
			in(connection("a.p", "b.p", ""), connection("a.p", "b.n", "")).with(main,
				connection("a.n", "b.n", ""), connection("a.n", "b.p", "")),
			in(connection("a.n", "b.n", ""), connection("a.n", "b.n",
				`<ssc:LinearTransformation factor="2"/>`)),
		},
		"SSP-S6": {
			in(`name="on" kind="output"`, `name="On" kind="output"`).with(main, connection("a.on",
				"b.on", ""), connection("a.On", "b.on", "")),
			in(`name="k" kind="parameter"`, `name="k" kind="input"`),
			in(`name="on" kind="output"><ssc:Boolean/>`,
				`name="on" kind="output"><ssc:String/>`).with(main,
				`name="on" kind="input"><ssc:Boolean/>`, `name="on" kind="input"><ssc:String/>`),
		},
		"SSP-F1": {faulty(s)},
		"SSP-S7": {
			in(`source="resources/a.fmu"`,
				`source="resources/a.fmu" implementation="ModelExchange"`),
			s.with("resources/a.fmu", "", "").without("resources/a.fmu").with("resources/a.fmu", "",
				"no zip at all"),
		},
		"SSP-S8": {in(connection("a.on", "b.on", ""), connection("b.on", "a.on", ""))},
		"SSP-S9": {
			in(`<ssd:Component name="a" `, `<ssd:Component name="a-1" `).replaceAll(main,
				`startElement="a"`, `startElement="a-1"`),
			in("</ssd:Elements>", strings.Repeat(`<ssd:System name="s"><ssd:Elements>`, 2)+
				`<ssd:System name="t"/>`+strings.Repeat(`</ssd:Elements></ssd:System>`, 2)+
				"</ssd:Elements>"),
		},
		"SSP-S10": {
			in(connection("a.on", "b.on", ""), ""), append(s[:len(s):len(s)],
				entry{name: "resources/other.ssv", content: s[1].content}),
		},
		"SSP-S11": {{{name: main, content: `<ssd:SystemStructureDescription version="1.0" ` +
			`name="test" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription">` +
			`<ssd:System name="top"><ssd:Elements><ssd:System name="inner"/></ssd:Elements>` +
			`</ssd:System><ssd:DefaultExperiment startTime="0" stopTime="10"/>` +
			`</ssd:SystemStructureDescription>`}}},
		"SSP-S12": constants(s),
		"SSP-P1": {
			in(`<ssd:ParameterBinding source="resources/a.ssv"/>`,
				`<ssd:ParameterBinding/>`).without("resources/a.ssv"),
			in("resources/a.ssv", "resources/c.ssv").without("resources/a.ssv"),
			in(`<ssd:ParameterMapping source="resources/b.ssm"/>`,
				`<ssd:ParameterMapping source="resources/c.ssm"/>`).without("resources/b.ssm"),
		},
		"SSP-P2": {set(`name="level"`, `name="lavel"`), set(`name="level"`, `name="fix"`),
			s.with("resources/b.ssm", "x.gain", "gain"), s.with("resources/b.ssm", `"k"`, `"kk"`),
			set(`<ssv:Parameter name="level">`+level+`</ssv:Parameter>`, "")},
		"SSP-P3": {set(level, `<ssv:Real value="high"/>`), set(level, `<ssv:Real value="10"/>`),
			set(level, `<ssv:String value="3"/>`), set(level, `<ssv:Boolean value="true"/>`),
			set(level, `<ssv:Real value="NaN"/>`), s.with("resources/b.ssm", `target="k"/>`,
				`target="k"><ssc:LinearTransformation xmlns:ssc="http://ssp-standard.org/SSP1/`+
					`SystemStructureCommon" factor="1e308"/></ssm:MappingEntry>`)},
		"SSP-P4": {in(`<ssd:ParameterBinding source="resources/a.ssv"/>`,
			`<ssd:ParameterBinding source="resources/a.ssv"/>`+binding("level", 4))},
		"SSP-P5": {
			set(`name="level"`+">"+level, `name="file"><ssv:String value="./rules_test.go"/>`),
			set(`name="level"`+">"+level, `name="file"><ssv:String value="/dev/null"/>`),
		},
		"SSP-P6": {
			set(`name="level"`+">"+level, `name="file"><ssv:String value="x.osi"/>`),
			set(`name="level"`+">"+level, `name="file"><ssv:String value="./test/x.osi"/>`),
			set(`name="level"`+">"+level, `name="file"><ssv:String value="/opt/x.osi"/>`),
		},
		"SSP-U1": {
			in(`<ssc:Real unit="Pa"/>`, `<ssc:Real unit="kPa"/>`),
			in(`name="p" kind="output"><ssc:Real unit="Pa"/>`,
				`name="p" kind="output"><ssc:Real unit="K"/>`), set(`value="3"`,
				`value="3" unit="m"`),
			in(`<ssd:Units>`,
				`<ssd:Units><ssc:Unit name="none"><ssc:BaseUnit factor="0"/></ssc:Unit>`),
			in("<ssd:Units>",
				`<ssd:Units><ssc:Unit name="none"><ssc:BaseUnit factor="NaN"/></ssc:Unit>`),
		},
		"SSP-U2": {in(`name="p" kind="output"><ssc:Real unit="Pa"/>`,
			`name="p" kind="output"><ssc:Real unit="bar"/>`)},
		"SSP-E1": {
			in(`<ssd:DefaultExperiment startTime="0" stopTime="10"/>`, ""), in(` stopTime="10"`,
				""), in(` stopTime="10"`, ` stopTime="-1"`), in(` stopTime="10"`, ` stopTime="0"`),
			in(` stopTime="10"`, ` stopTime="INF"`), in(` stopTime="10"`, ` stopTime="NaN"`),
			in(` stopTime="10"`, ` stopTime="1e300"`), in(`startTime="0"`, `startTime="-INF"`),
			in(`startTime="0" stopTime="10"`, `startTime="5" stopTime="5"`),
			in(`stopTime="10"/>`,
				`stopTime="10"><ssd:Annotations>`+
					`<ssc:Annotation type="com.opensimulationplatform">`+
					`<osp:FixedStepAlgorithm xmlns:osp="o" baseStepSize="0.1"/></ssc:Annotation>`+
					`</ssd:Annotations></ssd:DefaultExperiment>`),
			in(`stopTime="10"/>`,
				`stopTime="10"><ssd:Annotations>`+
					`<ssc:Annotation type="com.avl.model.connect.ssp.task">`+
					`<mc:Task xmlns:mc="o" deltaTime="0,1"/></ssc:Annotation>`+
					`</ssd:Annotations></ssd:DefaultExperiment>`),
		},
		"SSP-O1": {
			in(message, connection("source.OSMPSensorViewOut.base.hi",
				"sensor.OSMPSensorViewIn.size", "")),
			in(message, connection("a.n", "sensor.OSMPSensorViewIn.size", "")),
		},
		"SSP-O2": {in(`name="on" kind="output"><ssc:Boolean/>`,
			`name="data" kind="output"><ssc:Binary/>`).with(main, connection("a.on", "b.on",
			""), "").
			with(main, `<ssd:Connector name="on" kind="input"><ssc:Boolean/></ssd:Connector>`, "")},
		"SSP-O3": {s.without("resources/sensor.fmu").with("resources/sensor.fmu", "",
			fmu(t, append(triple("OSMPSensorViewIn", "input", "discrete"),
				triple("OSMPSensorViewInConfigRequest", "calculatedParameter", "fixed")...)...))},
	}
}

// without removes an entry.
func (e entries) without(name string) (list entries) {
	for _, x := range e {
		if x.name != name {
			list = append(list, x)
		}
	}
	return list
}

func (e entries) replaceAll(name, old, replacement string) entries {
	list := e.with(name, "", "")
	for k := range list {
		if list[k].name == name {
			list[k].content = strings.ReplaceAll(list[k].content, old, replacement)
		}
	}
	return list
}

func renamePrefix(e entries, prefix, other, declaration, otherDeclaration string) entries {
	list := e.replaceAll(main, "<"+prefix, "<"+other).replaceAll(main, "</"+prefix, "</"+other)
	return list.replaceAll(main, declaration+"=", otherDeclaration+"=")
}

// faultMark is appended to an FMU that violates an FMI rule.
const faultMark = "faulty"

// faulty marks the first FMU.
func faulty(e entries) entries {
	list := slices.Clone(e)
	k := slices.IndexFunc(list, func(x entry) bool { return strings.HasSuffix(x.name, ".fmu") })
	list[k].content += faultMark
	return list
}

// examine reports the fault of a marked FMU.
func examine(r io.ReaderAt, size int64) finding.List {
	end := make([]byte, len(faultMark))
	if _, err := r.ReadAt(end, size-int64(len(end))); err != nil || string(end) != faultMark {
		return nil
	}
	return finding.List{{ID: "FMI2-V3", Severity: finding.Error},
		{ID: "FMI2-V6", Severity: finding.Warning}, {ID: "FMI2-Z6"},
		{ID: "FMI2-V3", Severity: finding.Error}}
}

// A component may be an FMU of FMI 1.0, for which the kind of a connector does not follow from the
// causality of a variable.
func TestCheck_FMI1(t *testing.T) {
	old := entries{{name: "modelDescription.xml", content: `<fmiModelDescription ` +
		`fmiVersion="1.0" modelName="m" modelIdentifier="m" guid="g" ` +
		`numberOfContinuousStates="0" numberOfEventIndicators="0"><ModelVariables>` +
		`<ScalarVariable name="k" valueReference="0" causality="input" ` +
		`variability="parameter"><Real start="1"/></ScalarVariable></ModelVariables>` +
		`<Implementation><CoSimulation_StandAlone><Capabilities/></CoSimulation_StandAlone>` +
		`</Implementation></fmiModelDescription>`}}
	for _, library := range []string{"linux64/m.so", "aarch64-linux/m.so", "win64/m.dll",
		"darwin64/m.dylib", "aarch64-darwin/m.dylib"} {
		old = append(old, entry{name: "binaries/" + library})
	}
	_, list := sound(t).plus("z", string(old.bytes(t)),
		ports("k parameter Real")).check(t, ssp.Options{})
	for _, f := range list {
		require.NotEqual(t, finding.Error, f.Severity, f.Message)
	}
}

func TestCheck_CountsWhatIsWrongWithFMUs(t *testing.T) {
	_, list := faulty(sound(t)).check(t, ssp.Options{Examine: examine})
	require.Len(t, list, 1)
	require.Contains(t, list[0].Message, " itself has 2 errors and 1 warning: FMI2-V3, FMI2-V6")
	require.Equal(t, finding.Warning, list[0].Severity)
}

func TestCheck_EachRuleAlone(t *testing.T) {
	all := mutants(t)
	for _, rule := range ssp.Rules() {
		require.NotEmpty(t, all[rule.ID], "no mutant shows %s", rule.ID)
		for k, m := range all[rule.ID] {
			t.Run(fmt.Sprintf("%s/%d", rule.ID, k), func(t *testing.T) {
				found, list := m.check(t, ssp.Options{Examine: examine})
				require.Equal(t, []string{rule.ID}, found, "%v", list)
				requireOneJudgement(t, m, list)
				for _, f := range list {
					require.NotEmpty(t, f.Message)
					require.NotEmpty(t, f.Remedy)
					require.NotEmpty(t, f.Place.File)
					if f.Severity == finding.Error && !strings.HasPrefix(f.ID, "SSP-Z") {
						require.Positive(t, f.Place.Line, "%v", f)
					}
				}
			})
		}
	}
}

// requireOneJudgement requires that a package with an error in the list, and only such a package,
// is not run.
func requireOneJudgement(t *testing.T, m entries, list finding.List) {
	s, _, err := ssp.Load(m.pack(t), ssp.Options{Examine: examine})
	require.NotNil(t, s)
	reasons := errors.Join(err, s.Runnable())
	require.NoError(t, s.Close())
	if list.Count(finding.Error) == 0 {
		require.NoError(t, reasons)
		return
	}
	require.ErrorIs(t, s.Runnable(), ssp.ErrSystem)
	for _, f := range list {
		if f.Severity == finding.Error {
			require.ErrorContains(t, s.Runnable(), f.ID)
			require.ErrorContains(t, s.Runnable(), f.Remedy)
		}
	}
}

// TestRunnable_LimitsItsLines: a system with many errors is refused with some of them.
func TestRunnable_LimitsItsLines(t *testing.T) {
	var connectors []string
	for k := range 12 {
		connectors = append(connectors, fmt.Sprintf(`c%d output Real unit="furlong"`, k))
	}
	s, list, err := ssp.Load(files{"SystemStructure.ssd": describe(ports(connectors...), "")}.
		write(t), ssp.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Equal(t, 13, list.Count(finding.Error), "%v", list)
	lines := strings.Split(s.Runnable().Error(), "\n")
	require.Len(t, lines, 11)
	require.Contains(t, lines[10], "3 more errors, which gosmp check reports")
}

// TestRunnable_IgnoresOtherVariants: an error in a description that is not used does not matter.
func TestRunnable_IgnoresOtherVariants(t *testing.T) {
	m := sound(t)
	m = append(m, entry{name: "Other.ssd", content: m[0].content + "<more/>"})
	s, list, err := ssp.Load(m.pack(t), ssp.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Equal(t, 1, list.Count(finding.Error), "%v", list)
	require.NoError(t, s.Runnable())
}

// The reference lists every rule with its severity and title.
func TestDocs_ListEveryRule(t *testing.T) {
	text, err := os.ReadFile("../../docs/SSP.md")
	require.NoError(t, err)
	for _, r := range ssp.Rules() {
		require.Contains(t, string(text), fmt.Sprintf("| %s | %s | %s |", r.ID, r.Severity,
			r.Title))
	}
	require.Equal(t, len(ssp.Rules()), strings.Count(string(text), "\n| SSP-"))
}

// The only findings for the examples concern FMUs that are elsewhere and the origin of a step size.
func TestExamples(t *testing.T) {
	for _, name := range []string{"drive/SystemStructure.ssd", "drive/ClearSky.ssd",
		"assistance/SystemStructure.ssd", "assistance/Assistance.ssd",
		"seasons/SystemStructure.ssd", "seasons/Perception.ssd", "link/SystemStructure.ssd",
		"handshake/SystemStructure.ssd"} {
		list, err := ssp.Check("../../examples/systems/"+name, ssp.Options{})
		require.NoError(t, err)
		require.NotEmpty(t, list)
		for _, f := range list {
			require.Contains(t, []string{"SSP-S1", "SSP-S2", "SSP-E1", "SSP-O3", "SSP-S10"}, f.ID,
				"%v", f)
		}
	}
}

// The folders that SSP defines and the folders of users may contain any file, but parts of a system
// belong in resources/.
func TestCheck_PlacesOfFiles(t *testing.T) {
	for name, want := range map[string][]string{
		"documentation/x.txt": {}, "extra/x.txt": {}, "other/x.txt": {},
		"resources/x.ssv": {"SSP-S10"}, "documentation/x.ssv": {"SSP-S10"},
		"extra/x.SSV": {"SSP-S10"}, "other/x.ssv": {"SSP-S10", "SSP-Z3"}, "x.txt": {"SSP-Z3"},
	} {
		s := sound(t)
		found, list := append(s, entry{name: name, content: s[1].content}).check(t, ssp.Options{})
		require.Equal(t, want, found, "%s: %v", name, list)
	}
}
