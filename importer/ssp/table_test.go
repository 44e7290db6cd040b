package ssp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
	"gosmp/internal/finding"
)

// faults returns the errors of a system, each preceded by its id.
func (f files) faults(t testing.TB) (list []string) {
	all, err := ssp.Check(f.write(t), ssp.Options{})
	require.NoError(t, err)
	for _, x := range all {
		if x.Severity == finding.Error {
			list = append(list, x.ID+" "+x.Message)
		}
	}
	return list
}

// A source is a URI relative to its description (rule 12).
func TestSource_Table(t *testing.T) {
	values := parameterSet(`<ssv:Parameter name="k"><ssv:Real value="3"/></ssv:Parameter>`)
	for source, file := range map[string]string{
		"k.ssv":                  "k.ssv",
		"./k.ssv":                "k.ssv",
		"resources/k.ssv":        "resources/k.ssv",
		"resources/../k.ssv":     "k.ssv",
		"with%20blank.ssv":       "with blank.ssv",
		"with blank.ssv":         "with blank.ssv",
		"100%25.ssv":             "100%.ssv",
		"gr%C3%B6%C3%9Fe.ssv":    "größe.ssv",
		"größe.ssv":              "größe.ssv",
		"a+b&amp;c.ssv":          "a+b&c.ssv",
		"a..b.ssv":               "a..b.ssv",
		"a;b=c,d.ssv":            "a;b=c,d.ssv",
		"resources%2Fk.ssv":      "resources/k.ssv",
		`resources\k.ssv`:        "resources/k.ssv",
		"UPPER/Lower/k.name.ssv": "UPPER/Lower/k.name.ssv",
	} {
		s := files{file: values,
			"SystemStructure.ssd": describe(`<ssd:Elements><ssd:Component name="c" source="">`+
				ports("k parameter Real")+
				`<ssd:ParameterBindings><ssd:ParameterBinding source="`+source+
				`"/></ssd:ParameterBindings></ssd:Component></ssd:Elements>`, "")}.load(t)
		require.Len(t, s.Components[0].Starts, 1, source)
	}
	for source, want := range map[string]string{
		"https://example.org/k.ssv": "SSP-S2",
		"urn:k":                     "SSP-S2",
		"//example.org/k.ssv":       "SSP-S2",
		"file://example.org/k.ssv":  "SSP-S2",
		"k.ssv?":                    "SSP-S1",
		"k.ssv?version=1":           "SSP-S1",
		"#k":                        "SSP-S1",
		"l.ssv":                     "SSP-P1",
		"k.SSV":                     "SSP-P1",
		"nowhere/k.ssv":             "SSP-P1",
	} {
		list := files{"k.ssv": values,
			"SystemStructure.ssd": describe(`<ssd:Elements><ssd:Component name="c" source="">`+
				ports("k parameter Real")+
				`<ssd:ParameterBindings><ssd:ParameterBinding source="`+source+
				`"/></ssd:ParameterBindings></ssd:Component></ssd:Elements>`, "")}.faults(t)
		require.Len(t, list, 1, "%s: %v", source, list)
		require.Contains(t, list[0], want, source)
	}
}

// allowed contains the pairs of rule 13 as listed in the standard. The sides of a connection are s
// for the system's own connectors and e for the connectors of its elements.
var allowed = map[string]string{
	"s input":     "e input, e inout, s output",
	"s parameter": "e parameter, e input, e inout, s calculatedParameter, s output",
	"s structuralParameter": "e parameter, e input, e inout, s calculatedParameter, s output, e " +
		"structuralParameter",
	"e output":              "e input, e inout, s output",
	"e local":               "e input, e inout, s output",
	"e calculatedParameter": "e parameter, e input, e inout, s calculatedParameter, s output",
	"e inout":               "e input, s output",
	"e constant": "e structuralParameter, e parameter, e input, e inout, s constant, s " +
		"calculatedParameter, s output",
}

// TestConnection_AllPairsOfKinds tries each kind on each side against the list of rule 13. A local
// connector of the system accepts the same values as an output.
func TestConnection_AllPairsOfKinds(t *testing.T) {
	legal := func(a, b string) bool {
		list := strings.Split(allowed[a], ", ")
		return slices.Contains(list, b) || b == "s local" && slices.Contains(list, "s output")
	}
	dictionary := `<ssd:SignalDictionaries><ssd:SignalDictionary name="bus">` +
		`<ssb:SignalDictionary version="2.0"><ssb:DictionaryEntry name="%s"><ssc:Real/>` +
		`</ssb:DictionaryEntry></ssb:SignalDictionary></ssd:SignalDictionary>` +
		`</ssd:SignalDictionaries>`
	pairs, fine := 0, 0
	for _, from := range ssp.Kinds() {
		for _, to := range ssp.Kinds() {
			for _, sides := range []string{"ss", "se", "es", "ee"} {
				a, b := sides[:1]+" "+string(from), sides[1:]+" "+string(to)
				if from == ssp.Unspecified || to == ssp.Unspecified ||
					from == ssp.InOut && to == ssp.InOut || a == "s inout" || b == "s inout" {
					// unspecified is compatible with everything; inout is for references to
					// dictionaries
					continue
				}
				top, elements, dictionaries := []string{}, "", ""
				end := func(side byte, name string, kind ssp.Kind) string {
					switch {
					case side == 's':
						top = append(top, name+" "+string(kind)+" Real")
						return name
					case kind == ssp.InOut:
						elements += `<ssd:SignalDictionaryReference name="d" dictionary="bus">` +
							ports(name+" inout Real") + `</ssd:SignalDictionaryReference>`
						dictionaries = fmt.Sprintf(dictionary, name)
						return "d." + name
					}
					elements += component("el"+name, name+" "+string(kind)+" Real")
					return "el" + name + "." + name
				}
				x, y := end(sides[0], "x", from), end(sides[1], "y", to)
				if elements != "" {
					elements = "<ssd:Elements>" + elements + "</ssd:Elements>"
				}
				list := files{"SystemStructure.ssd": describeAs("2.0", ports(top...)+elements+
					"<ssd:Connections>"+connection(x, y, "")+"</ssd:Connections>"+dictionaries,
					"")}.faults(t)
				list = slices.DeleteFunc(list, func(text string) bool {
					return !strings.HasPrefix(text, "SSP-S5") && !strings.HasPrefix(text, "SSP-X")
				})
				want := legal(a, b) || legal(b, a)
				require.Equal(t, want, len(list) == 0, "%s to %s: %v", a, b, list)
				pairs++
				if want {
					fine++
				}
			}
		}
	}
	require.Greater(t, pairs, 150)
	require.Greater(t, fine, 50)
}

// Values of one type can be passed to another type if it can represent all of them (rule 17).
func TestConnection_AllPairsOfTypes(t *testing.T) {
	const order = "Boolean String Binary Enumeration Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 " +
		"UInt64 Integer Float32 Float64 Real"
	size := map[string]int{"Int8": 7, "UInt8": 8, "Int16": 15, "UInt16": 16, "Int32": 31,
		"UInt32": 32, "Int64": 63, "UInt64": 64, "Integer": 31}
	for _, from := range strings.Fields(order) {
		for _, to := range strings.Fields(order) {
			float := func(name string) bool {
				return name == "Real" || strings.HasPrefix(name, "Float")
			}
			a, b := size[from], size[to]
			unsigned := strings.HasPrefix(from, "U")
			want := from == to || float(to) && (float(from) || a > 0) ||
				a > 0 && b >= a && (unsigned || !strings.HasPrefix(to, "U")) ||
				from == "Enumeration" && b > 0 || to == "Enumeration" && a > 0
			of := func(name string) string {
				if name == "Enumeration" {
					return `Enumeration name="Gear"`
				}
				return name
			}
			list := files{"SystemStructure.ssd": describeAs("2.0", "<ssd:Elements>"+component("a",
				"x output "+of(from))+component("b", "y input "+of(to))+
				"</ssd:Elements><ssd:Connections>"+connection("a.x", "b.y", "")+
				"</ssd:Connections>",
				`<ssd:Enumerations><ssc:Enumeration name="Gear"><ssc:Item name="R" value="0"/>`+
					`</ssc:Enumeration></ssd:Enumerations>`)}.faults(t)
			require.Equal(t, want, len(list) == 0, "%s to %s: %v", from, to, list)
		}
	}
}

// The names of parameters are matched as a whole: dots in element and variable names do not
// separate levels (rule 18).
func TestBinding_DotsInNames(t *testing.T) {
	values := func(name string) string {
		return `<ssd:ParameterBindings>` + binding(name, 7) + `</ssd:ParameterBindings>`
	}
	s := files{"SystemStructure.ssd": describe(values("a.b.k")+`<ssd:Elements>`+
		component("a.b", "k parameter Real")+component("a", "b.k parameter Real")+
		`<ssd:System name="s"><ssd:Elements>`+component("a.b", "k parameter Real")+
		`</ssd:Elements></ssd:System></ssd:Elements>`, "")}.load(t)
	require.Equal(t, []ssp.Start{{Variable: "k", Values: []string{"7"}}},
		withoutPlaces(s.Components[0].Starts), "all that match are set")
	require.Equal(t, []ssp.Start{{Variable: "b.k", Values: []string{"7"}}},
		withoutPlaces(s.Components[1].Starts))
	require.Empty(t, s.Components[2].Starts)
}

// Prefixes and the default namespace make no difference (rule 6).
func TestLoad_PrefixesMakeNoDifference(t *testing.T) {
	s := sound(t)
	load := func(e entries) *ssp.System {
		x, _, err := ssp.Load(e.pack(t), ssp.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close()) })
		return x
	}
	want := load(s)
	for _, other := range []entries{renamePrefix(s, "ssd:", "s:", "xmlns:ssd", "xmlns:s"),
		renamePrefix(s, "ssd:", "", "xmlns:ssd", "xmlns"),
		renamePrefix(s, "ssc:", "common:", "xmlns:ssc", "xmlns:common"), renamePrefix(s, "ssv:",
			"v:", "xmlns:ssv", "xmlns:v")} {
		got := load(other)
		require.Equal(t, flat(want), flat(got))
		require.Equal(t, names(want), names(got))
		for k := range want.Components {
			require.Equal(t, withoutPlaces(want.Components[k].Starts),
				withoutPlaces(got.Components[k].Starts))
		}
	}
}

// The origin of the step size is reported (rule 22), and the gosmp annotation takes precedence.
func TestStep_Origins(t *testing.T) {
	note := func(kind, content string) string {
		return `<ssd:Annotations><ssc:Annotation type="` + kind + `">` + content +
			`</ssc:Annotation></ssd:Annotations>`
	}
	osp := note("com.opensimulationplatform",
		`<osp:Algorithm xmlns:osp="o"><osp:FixedStepAlgorithm baseStepSize="0.1"/></osp:Algorithm>`)
	avl := note("com.avl.model.connect.ssp.task", `<mc:Task xmlns:mc="m" deltaTime="0.2"/>`)
	modelica := note("org.openmodelica",
		`<oms:SimulationInformation xmlns:oms="m"><oms:FixedStepMaster stepSize="0.3"/>`+
			`</oms:SimulationInformation>`)
	variable := note("org.openmodelica",
		`<oms:SimulationInformation xmlns:oms="m"><oms:VariableStepMaster `+
			`initialStepSize="0.04" minimumStepSize="0.01" maximumStepSize="0.5"/>`+
			`</oms:SimulationInformation>`)
	join := func(list ...string) string {
		return `<ssd:Annotations>` + strings.NewReplacer(`<ssd:Annotations>`, "",
			`</ssd:Annotations>`, "").Replace(strings.Join(list, "")) + `</ssd:Annotations>`
	}
	for _, c := range []struct {
		annotations, origin string
		step                float64
	}{
		{osp, "opensimulationplatform", 0.1}, {avl, "avl", 0.2}, {modelica, "openmodelica", 0.3},
		{variable, "openmodelica (oms:VariableStepMaster initialStepSize)", 0.04},
		{join(modelica, avl, osp), "opensimulationplatform", 0.1}, {join(modelica, avl), "avl",
			0.2}, {note("org.unknown", `<x:y xmlns:x="x" stepSize="1"/>`), "", 0},
	} {
		for _, description := range []string{
			describe("", `<ssd:DefaultExperiment startTime="0" stopTime="10">`+c.annotations+
				`</ssd:DefaultExperiment>`),
			describe("", c.annotations),
			strings.Replace(describe("", ""), "</ssd:System>", c.annotations+"</ssd:System>", 1),
		} {
			s := files{"SystemStructure.ssd": description}.load(t)
			require.InDelta(t, c.step, s.Experiment.Step.Seconds, 0, "%s", description)
			require.Contains(t, s.Experiment.Step.Origin, c.origin)
		}
	}
}

// A component takes its step from its own annotation, as OpenMCx writes it. The system takes its
// step from the annotation of the description rather than the annotation of its System element.
func TestStep_Places(t *testing.T) {
	task := func(step string) string {
		return `<ssd:Annotations><ssc:Annotation type="com.avl.model.connect.ssp.task">` +
			`<mc:Task xmlns:mc="m" deltaTime="` + step + `"/></ssc:Annotation></ssd:Annotations>`
	}
	own := strings.NewReplacer(".task", ".component", "mc:Task", "mc:Component").Replace(
		task("0.05"))
	component := `<ssd:Elements><ssd:Component name="c" type="application/x-other">` + own +
		`</ssd:Component></ssd:Elements>`
	description := describe(component, task("0.1"))
	inSystem := strings.Replace(description, "</ssd:System>", task("0.2")+"</ssd:System>", 1)
	for _, text := range []string{description, inSystem} {
		s := files{"SystemStructure.ssd": text}.load(t)
		require.InDelta(t, 0.1, s.Experiment.Step.Seconds, 0)
		require.InDelta(t, 0.05, s.Component("c").Step.Seconds, 0)
		require.Contains(t, s.Component("c").Step.Origin, "com.avl.model.connect.ssp.component")
	}
}

// Without a stop time in the file, the longest of the FMUs' stop times is used, and the FMU is
// named; a stop time in the file takes precedence (rule 23).
func TestStop_Origins(t *testing.T) {
	model := func(stop string) string {
		return changedFMU(t, fmu(t), "<ModelVariables>", `<DefaultExperiment stopTime="`+stop+
			`"/><ModelVariables>`, true)
	}
	s := sound(t).plus("x", model("3"), "").plus("y", model("7"), "").plus("z", model("5"), "")
	for _, c := range []struct {
		system entries
		stop   *float64
		origin string
	}{
		{s, pointer(10), "DefaultExperiment"},
		{s.with(main, ` stopTime="10"`, ""), pointer(7), "the FMU of y, the longest of all"},
		{s.with(main, `<ssd:DefaultExperiment startTime="0" stopTime="10"/>`, ""), pointer(7),
			"the FMU of y, the longest of all"},
		{sound(t).with(main, ` stopTime="10"`, ""), nil, ""},
	} {
		x, _, err := ssp.Load(c.system.pack(t), ssp.Options{})
		require.NoError(t, err)
		require.Equal(t, c.stop, x.Experiment.Stop)
		require.Equal(t, c.origin, x.Experiment.StopOrigin)
		require.NoError(t, x.Close())
	}
}

func pointer(v float64) *float64 { return &v }

// withoutPlaces removes the locations of start values.
func withoutPlaces(list []ssp.Start) (plain []ssp.Start) {
	for _, s := range list {
		plain = append(plain, ssp.Start{Variable: s.Variable, Values: s.Values})
	}
	return plain
}

// A folder and a package with the same content are the same system (rule 4).
func TestLoad_FolderAndPackage(t *testing.T) {
	folder := t.TempDir()
	for _, e := range sound(t) {
		full := filepath.Join(folder, filepath.FromSlash(e.name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o750))
		require.NoError(t, os.WriteFile(full, []byte(e.content), 0o600))
	}
	plain, _, err := ssp.Load(filepath.Join(folder, main), ssp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, plain.Close()) })
	packed, _, err := ssp.Load(sound(t).pack(t), ssp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, packed.Close()) })
	require.Equal(t, flat(plain), flat(packed))
}
