//go:build linux && cgo

package system_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// parameters returns a system whose component b has a binding gain=5, plus the given content.
func parameters(t *testing.T, fmu, version, bConnectors, rest string) string {
	t.Helper()
	content, err := os.ReadFile(fmu)
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "unruly.fmu"), content, 0o600))
	set := func(pairs ...string) string {
		var b strings.Builder
		for k := 0; k < len(pairs); k += 2 {
			b.WriteString(`<ssv:Parameter name="` + pairs[k] + `">` + pairs[k+1] +
				`</ssv:Parameter>`)
		}
		return `<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>` +
			`<ssv:ParameterSet version="` + version + `" name="p"><ssv:Parameters>` + b.String() +
			`</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>` +
			`</ssd:ParameterBindings>`
	}
	text := `<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription version="` + version +
		`" name="test" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">
<ssd:System name="top">` + strings.NewReplacer("TOP", set("top", `<ssv:Real value="4"/>`)).Replace(
		rest)
	text = strings.Replace(text, "COMPONENTS",
		`<ssd:Component name="a" type="application/x-fmu-sharedlibrary" source="unruly.fmu"><ssd:Connectors>
<ssd:Connector name="twice" kind="calculatedParameter"><ssc:Real/></ssd:Connector></ssd:Connectors>`+set("gain", `<ssv:Real value="3"/>`)+`</ssd:Component>
<ssd:Component name="b" type="application/x-fmu-sharedlibrary" source="unruly.fmu"><ssd:Connectors>`+bConnectors+`</ssd:Connectors>`+
			set("gain", `<ssv:Real value="5"/>`)+`</ssd:Component>`,
		1) + `</ssd:System></ssd:SystemStructureDescription>`
	path := filepath.Join(folder, "SystemStructure.ssd")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// gained runs a system for one step. It returns b.out, which is the gain of b, and the calls to b
// that set its values or change its mode: "SetReal(vr=2 4.0)".
func gained(t *testing.T, s *system.System, start ...importer.StartValue) (float64, string) {
	t.Helper()
	pool := &importer.Pool{}
	pool.Options.LogCalls = true
	var calls []string
	e, err := s.Engine(cosim.Spec{Stop: timebase.Second / 10, Step: cosim.Every(0.1)}, pool,
		func(p *system.Part) importer.Options {
			o := importer.Options{Log: func(m importer.Message) {
				if m.Instance != p.Name || p.Name != "b" {
					return
				}
				if f := setting.FindStringSubmatch(m.Text); f != nil {
					calls = append(calls, f[1]+"(vr="+f[2]+" "+f[3]+")")
				} else if f := changing.FindStringSubmatch(m.Text); f != nil {
					calls = append(calls, f[1]+"()")
				}
			}}
			if p.Name == "b" {
				o.Start = start
			}
			return o
		})
	require.NoError(t, err)
	r := &rows{signals: []*cosim.Signal{e.Watch("b.out")}}
	e.Observe(r)
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	v := math.Float64frombits(r.signals[0].Cells()[0])
	require.NoError(t, pool.Close())
	return v, strings.Join(calls, " ")
}

var (
	setting = regexp.MustCompile(
		`^fmi[23](Set[A-Z]\w+\d*)\(.*v(?:r|alueReferences)=\[(\d+)\].*values?=\[([^]]*)\]`)
	changing = regexp.MustCompile(`^fmi[23](Instantiate|\w+Mode)`)
)

// TestRule20_ParameterConnectionsBeatBindings also verifies that --start-value overrides both.
func TestRule20_ParameterConnectionsBeatBindings(t *testing.T) {
	path := build(t, testfmu.Recipe{Describe: func(xml string) string {
		return strings.Replace(xml, "  </ModelVariables>",
			`<ScalarVariable name="twice" valueReference="6" causality="calculatedParameter" `+
				`variability="fixed"><Real/></ScalarVariable></ModelVariables>`, 1)
	}})
	const gain = `<ssd:Connector name="gain" kind="parameter"><ssc:Real/></ssd:Connector>`
	fromA := parameters(t, path, "1.0", gain,
		`<ssd:Elements>COMPONENTS</ssd:Elements><ssd:Connections>
<ssd:Connection startElement="a" startConnector="twice" endElement="b" endConnector="gain"/></ssd:Connections>`)
	fromTop := parameters(t, path, "1.0", gain,
		`<ssd:Connectors><ssd:Connector name="top" kind="parameter"><ssc:Real/></ssd:Connector></ssd:Connectors>TOP
<ssd:Elements>COMPONENTS</ssd:Elements><ssd:Connections><ssd:Connection startConnector="top" endElement="b" endConnector="gain"/></ssd:Connections>`)
	for file, want := range map[string]float64{fromA: 6, fromTop: 4} {
		s, err := system.Read(file, "")
		require.NoError(t, err)
		got, calls := gained(t, s)
		require.Equal(t, want, got)
		if file == fromTop { // a value known in advance is set like any start value
			require.Regexp(t, `Instantiate.* SetReal\(vr=2 4.0\) .*EnterInitializationMode`, calls)
			require.NotRegexp(t, `EnterInitializationMode.* SetReal\(vr=2`, calls)
		} else { // a value calculated by another FMU is passed during initialization
			require.Regexp(t,
				`EnterInitializationMode\(\) SetReal\(vr=2 6.0\) ExitInitializationMode`, calls)
			require.NotRegexp(t, `ExitInitializationMode.* SetReal\(vr=2`, calls)
		}

		s, err = system.Read(file, "")
		require.NoError(t, err)
		got, calls = gained(t, s, importer.StartValue{Name: "gain", Value: "9"})
		require.Equal(t, 9.0, got)
		require.Regexp(t, `Instantiate.* SetReal\(vr=2 9.0\) .*EnterInitializationMode`, calls)
		require.NotRegexp(t, `EnterInitializationMode.* SetReal\(vr=2`, calls)
	}
}

// TestRule20_StructuralParametersAreSetInConfigurationMode sets them from a binding and from a
// connection of the system and checks the array whose size depends on them.
func TestRule20_StructuralParametersAreSetInConfigurationMode(t *testing.T) {
	path := testfmu.Build(t, testfmu.Recipe{Version: 3, Describe: func(xml string) string {
		return strings.Replace(xml, `<Float64 name="clock"`,
			`<Float64 name="twice" valueReference="7" causality="calculatedParameter" `+
				`variability="fixed"/><Float64 name="clock"`, 1)
	}})
	const connectors = `<ssd:Connector name="columns" kind="structuralParameter"><ssc:UInt64/></ssd:Connector>`
	bound := parameters(t, path, "2.0", connectors, `<ssd:Elements>COMPONENTS</ssd:Elements>`)
	content, err := os.ReadFile(bound)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bound, []byte(strings.Replace(string(content),
		`<ssv:Real value="5"/></ssv:Parameter>`,
		`<ssv:Real value="5"/></ssv:Parameter><ssv:Parameter name="columns">`+
			`<ssv:UInt64 value="4"/></ssv:Parameter>`, 1)), 0o600))
	connected := parameters(t, path, "2.0", connectors, strings.NewReplacer("Real",
		"UInt64").Replace(
		`<ssd:Connectors><ssd:Connector name="top" kind="structuralParameter"><ssc:Real/></ssd:Connector></ssd:Connectors>`)+`TOP
<ssd:Elements>COMPONENTS</ssd:Elements><ssd:Connections><ssd:Connection startConnector="top" endElement="b" endConnector="columns"/></ssd:Connections>`)
	content, err = os.ReadFile(connected)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(connected, []byte(strings.Replace(string(content),
		`<ssv:Real value="4"/>`, `<ssv:UInt64 value="4"/>`, 1)), 0o600))
	for _, file := range []string{bound, connected} {
		s, err := system.Read(file, "")
		require.NoError(t, err)
		_, calls := gained(t, s)
		require.Regexp(t,
			`Instantiate.* EnterConfigurationMode\(\) SetUInt64\(vr=30 4\) `+
				`ExitConfigurationMode\(\) .*EnterInitializationMode`, calls)
	}
}
