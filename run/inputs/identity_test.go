package inputs_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run/inputs"
	"gosmp/sweep"
)

// packed returns a zip archive.
func packed(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.String()
}

// anFMU returns an FMU with a parameter file and its default value.
func anFMU(t *testing.T, file string) string {
	t.Helper()
	return packed(t, map[string]string{"modelDescription.xml": fmt.Sprintf(
		`<fmiModelDescription fmiVersion="2.0" modelName="reader" guid="1">
<CoSimulation modelIdentifier="reader" canHandleVariableCommunicationStepSize="true"/>
<ModelVariables><ScalarVariable name="file" valueReference="0" causality="parameter"
 variability="fixed"><String start=%q/></ScalarVariable></ModelVariables><ModelStructure/>
</fmiModelDescription>`, file)})
}

const (
	exd = `<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig"
 xmlns:own="urn:gosmp:experiment:1"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><name>e</name><thumbnail>p.png</thumbnail>
<timeout time="simulation">10</timeout><environmentModel src="%s"%s>
<robotPose x="0" y="0" z="0" roll="0" pitch="0" yaw="0"/></environmentModel>
<bibiConf src="%s"/>%s</ExD>`
	judge = `<experimentEvaluation><stateMachine id="judge" xsi:type="SCXMLStateMachine" ` +
		`src="judge.scxml"/></experimentEvaluation>`
	bibi = `<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI">` +
		`<timestep>100</timestep>%s</bibi>`
	ssd = `<ssd:SystemStructureDescription version="1.0" name="s"
 xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
 xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
<ssd:System name="s">%s<ssd:Elements>%s</ssd:Elements></ssd:System>
</ssd:SystemStructureDescription>`
	component = `<ssd:Component name="reader" type="application/x-fmu-sharedlibrary" ` +
		`source="reader.fmu"/>`
	nested = `<ssd:Component name="inner" source="parts/inner.ssd" ` +
		`type="application/x-ssp-definition"/>`
	bound  = `<ssd:ParameterBindings><ssd:ParameterBinding %s</ssd:ParameterBindings>`
	inline = `><ssd:ParameterValues>` + values + `</ssd:ParameterValues></ssd:ParameterBinding>`
	values = `<ssv:ParameterSet version="1.0" name="v"
 xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"><ssv:Parameters>
<ssv:Parameter name="reader.file"><ssv:String value="data.csv"/></ssv:Parameter>
</ssv:Parameters></ssv:ParameterSet>`
	chart       = `<scxml xmlns="http://www.w3.org/2005/07/scxml"><state/></scxml>`
	participant = `<g:fmu xmlns:g="urn:gosmp:experiment:1" name="reader" src="reader.fmu">` +
		`<g:start name="file" value="%s"/></g:fmu>`
	xosc = `<OpenSCENARIO><FileHeader revMajor="1" revMinor="1" date="2024-01-01T00:00:00" ` +
		`description="d" author="a"/><ParameterDeclarations>
<ParameterDeclaration name="town" parameterType="string" value="first"/></ParameterDeclarations>
<CatalogLocations><VehicleCatalog><Directory path="%s"/></VehicleCatalog></CatalogLocations>
<RoadNetwork><LogicFile filepath="%s"/></RoadNetwork><Entities/></OpenSCENARIO>`
	catalog = `<OpenSCENARIO><FileHeader revMajor="1" revMinor="1" date="2024-01-01T00:00:00" ` +
		`description="d" author="a"/><Catalog name="c"/></OpenSCENARIO>`
)

// reading is a sweep whose runs read a file.
type reading struct {
	runs  string // the file of the experiment
	files map[string]string
	set   []sweep.Setting
	model string // of a scenario
	read  string // the file that is changed
}

// readings lists the ways in which runs come to read a file.
func readings(t *testing.T) map[string]reading {
	all := map[string]reading{}
	for _, list := range []map[string]reading{ofFiles(t), ofExperiments(t), ofScenarios(t),
		ofModels(t)} {
		maps.Copy(all, list)
	}
	return all
}

func option(name, value string) []sweep.Setting {
	return []sweep.Setting{{Name: name, Value: value}}
}

// ofFiles lists the readings of FMUs and packed systems.
func ofFiles(t *testing.T) map[string]reading {
	reader, empty := anFMU(t, "data.csv"), anFMU(t, "")
	system := func(bindings, fmu string, more map[string]string) map[string]string {
		all := map[string]string{"reader.fmu": fmu,
			"SystemStructure.ssd": fmt.Sprintf(ssd, bindings, component)}
		maps.Copy(all, more)
		return map[string]string{"data.csv": "1", "s.ssp": packed(t, all)}
	}
	alone := func(fmu string) map[string]string {
		return map[string]string{"reader.fmu": fmu, "data.csv": "1"}
	}
	return map[string]reading{
		"default of an FMU": {"reader.fmu", alone(reader), nil, "", "data.csv"},
		"setting":           {"reader.fmu", alone(empty), option("file", "data.csv"), "", "data.csv"},
		"setting with binary data": {"reader.fmu", alone(empty), option("file", "@data.csv"), "",
			"data.csv"},
		"packed parameters": {"s.ssp", system(fmt.Sprintf(bound, `source="v.ssv"/>`), empty,
			map[string]string{"v.ssv": values}), nil, "", "data.csv"},
		"packed default": {"s.ssp", system("", reader, nil), nil, "", "data.csv"},
		"packed variant": {"s.ssp", system("", empty, map[string]string{
			"Other.ssd": fmt.Sprintf(ssd, fmt.Sprintf(bound, inline), component)}),
			option("--variant", "Other"), "", "data.csv"},
	}
}

// experimentOf returns the files of an experiment with an FMU.
func experimentOf(environment, attributes, src string, more map[string]string) map[string]string {
	all := map[string]string{"data.csv": "1", "judge.scxml": chart,
		"e.exc": fmt.Sprintf(exd, environment, attributes, src, judge)}
	maps.Copy(all, more)
	return all
}

// ofExperiments lists the readings of experiments.
func ofExperiments(t *testing.T) map[string]reading {
	reader, empty := anFMU(t, "data.csv"), anFMU(t, "")
	system := func(fmu, bindings string, more map[string]string) map[string]string {
		all := experimentOf("r.sdf", "", "s.ssd", map[string]string{"reader.fmu": fmu,
			"v.ssv": values, "s.ssd": fmt.Sprintf(ssd, bindings, component)})
		maps.Copy(all, more)
		return all
	}
	external := fmt.Sprintf(bound, `source="v.ssv"/>`)
	outer := system(empty, "", map[string]string{"s.ssd": fmt.Sprintf(ssd, "", nested),
		"parts/reader.fmu": reader, "parts/inner.ssd": fmt.Sprintf(ssd, "", component)})
	started := func(value string) map[string]string {
		return experimentOf("r.sdf", "", "e.bibi", map[string]string{"reader.fmu": empty,
			"e.bibi": fmt.Sprintf(bibi, fmt.Sprintf(participant, value))})
	}
	return map[string]reading{
		"start value":             {"e.exc", started("data.csv"), nil, "", "data.csv"},
		"start value with binary": {"e.exc", started("@data.csv"), nil, "", "data.csv"},
		"default of a participant": {"e.exc", experimentOf("r.sdf", "", "e.bibi",
			map[string]string{"reader.fmu": reader, "e.bibi": fmt.Sprintf(bibi,
				fmt.Sprintf(participant, ""))}), nil, "", "data.csv"},
		"inline parameters": {"e.exc", system(empty, fmt.Sprintf(bound, inline), nil), nil, "",
			"data.csv"},
		"default in a system":       {"e.exc", system(reader, "", nil), nil, "", "data.csv"},
		"parameters":                {"e.exc", system(empty, external, nil), nil, "", "v.ssv"},
		"start value in parameters": {"e.exc", system(empty, external, nil), nil, "", "data.csv"},
		"packed system": {"e.exc", experimentOf("r.sdf", "", "s.ssp", map[string]string{
			"s.ssp": packed(t, map[string]string{"reader.fmu": reader,
				"SystemStructure.ssd": fmt.Sprintf(ssd, "", component)})}), nil, "", "data.csv"},
		"nested system":              {"e.exc", outer, nil, "", "parts/inner.ssd"},
		"FMU of a nested system":     {"e.exc", outer, nil, "", "parts/reader.fmu"},
		"default in a nested system": {"e.exc", outer, nil, "", "data.csv"},
		"simulator": {"e.exc", experimentOf("s.xosc",
			` own:simulator="exec:python3 sim.py --fast"`, "e.bibi", map[string]string{
				"s.xosc": fmt.Sprintf(xosc, "first", "first.xodr"), "sim.py": "1",
				"e.bibi": fmt.Sprintf(bibi, "")}), nil, "", "sim.py"},
		"catalog by its file": {"e.exc", experimentOf("s.xosc", "", "e.bibi",
			map[string]string{"s.xosc": fmt.Sprintf(xosc, "second/c.xosc", "first.xodr"),
				"second/c.xosc": catalog, "e.bibi": fmt.Sprintf(bibi, "")}), nil, "",
			"second/c.xosc"},
		"catalog of a varied parameter": {"e.exc", experimentOf("s.xosc", "", "e.bibi",
			map[string]string{"s.xosc": fmt.Sprintf(xosc, "$town", "$town"),
				"second/c.xosc": catalog, "e.bibi": fmt.Sprintf(bibi, "")}),
			option("town", "second"), "", "second/c.xosc"},
	}
}

// scene returns the files of a scenario.
func scene(folder, roads string, more map[string]string) map[string]string {
	all := map[string]string{"s.xosc": fmt.Sprintf(xosc, folder, roads), "data.csv": "1",
		"first/c.xosc": catalog, "second/c.xosc": catalog, "first.xodr": "<OpenDRIVE/>",
		"second.xodr": "<OpenDRIVE/>", "driver.py": "1"}
	maps.Copy(all, more)
	return all
}

// ofScenarios lists the readings of scenarios.
func ofScenarios(*testing.T) map[string]reading {
	plain := scene("first", "first.xodr", map[string]string{"first/D.XOSC": catalog,
		"maps/first.xodr": "<OpenDRIVE/>", "needed.txt": "no collision"})
	declared, second := scene("$town", "$town", nil), option("town", "second")
	return map[string]reading{
		"catalog":               {"s.xosc", plain, nil, "", "first/c.xosc"},
		"catalog in upper case": {"s.xosc", plain, nil, "", "first/D.XOSC"},
		"catalog by its file": {"s.xosc", scene("first/c.xosc", "first.xodr", nil), nil, "",
			"first/c.xosc"},
		"catalog of a declaration": {"s.xosc", declared, nil, "", "first/c.xosc"},
		"catalog of a parameter":   {"s.xosc", declared, second, "", "second/c.xosc"},
		"map of a declaration":     {"s.xosc", declared, nil, "", "first.xodr"},
		"map of a parameter":       {"s.xosc", declared, second, "", "second.xodr"},
		"map of an option": {"s.xosc", plain, option("--map", "second.xodr"), "",
			"second.xodr"},
		"folder of maps": {"s.xosc", plain, option("--map", "maps"), "", "maps/first.xodr"},
		"requirements":   {"s.xosc", plain, option("--require", "@needed.txt"), "", "needed.txt"},
	}
}

// ofModels lists the readings of models that take part in a scenario.
func ofModels(t *testing.T) map[string]reading {
	reader := scene("first", "first.xodr", map[string]string{"reader.fmu": anFMU(t, "data.csv")})
	empty := scene("first", "first.xodr", map[string]string{"reader.fmu": anFMU(t, "")})
	return map[string]reading{
		"program": {"s.xosc", reader, option("--drive",
			"ego=exec:python3 driver.py --verbose"), "", "driver.py"},
		"program by path": {"s.xosc", reader, option("--sut", "exec:./driver.py"), "",
			"driver.py"},
		"file of a program": {"s.xosc", reader, option("--on",
			"ego=exec:./driver.py --table=data.csv"), "", "data.csv"},
		"program of a simulator": {"s.xosc", reader, option("--simulator",
			"exec:python3 driver.py"), "", "driver.py"},
		"default of a model": {"s.xosc", reader, nil, "reader.fmu", "data.csv"},
		"default of a model in a setting": {"s.xosc", reader, option("--sut", "ego=reader.fmu"),
			"", "data.csv"},
		"start value of a model": {"s.xosc", empty, option("--start-value",
			"reader.file=data.csv"), "reader.fmu", "data.csv"},
	}
}

// TestIdentity: the row of a run is reused only if no file that the run reads has changed.
func TestIdentity(t *testing.T) {
	for name, r := range readings(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, text string) {
				file := filepath.Join(dir, filepath.FromSlash(name))
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			}
			for name, text := range r.files {
				write(name, text)
			}
			write("unrelated.csv", "1")
			id := func() string {
				var models []inputs.Placed
				if r.model != "" {
					models = inputs.Models([]string{filepath.Join(dir, r.model)}, nil)
				}
				w := inputs.New(filepath.Join(dir, r.runs), nil, models...)
				base, _, err := w.Identify()
				require.NoError(t, err)
				cases := []sweep.Case{{Set: r.set}}
				require.NoError(t, w.Attach(cases))
				return cases[0].ID(base)
			}
			before := id()
			write("unrelated.csv", "2")
			require.Equal(t, before, id())
			text, is := r.files[r.read]
			require.True(t, is, r.read)
			write(r.read, strings.TrimSpace(text)+"\n\n")
			require.NotEqual(t, before, id())
			write(r.read, text)
			require.Equal(t, before, id())
		})
	}
}
