//go:build linux && cgo

package system_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/ssp"
	"gosmp/importer/system"
	"gosmp/internal/testfmu"
)

// pack writes the files of a folder to a package next to it.
func pack(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.ssp")
	f, err := os.Create(path)
	require.NoError(t, err)
	z := zip.NewWriter(f)
	require.NoError(t, z.AddFS(os.DirFS(folder)))
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	return path
}

func TestRead_APackageRunsAsItsFolderDoes(t *testing.T) {
	path := structure(t, build(t, testfmu.Recipe{OSMP: true}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	other := strings.Replace(string(text), `<ssv:Real value="3"/>`, `<ssv:Real value="7"/>`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "Other.ssd"), []byte(other),
		0o600))
	packed := pack(t, filepath.Dir(path))

	folder, err := system.Read(path, "")
	require.NoError(t, err)
	archive, err := system.Read(packed, "")
	require.NoError(t, err)
	require.Equal(t, run(t, folder, false), run(t, archive, true))
	require.Equal(t, packed+"/unruly.fmu", archive.Parts[0].FMU.Path, "where a user finds it")
	require.Equal(t, folder.Parts[0].FMU.SHA256, archive.Parts[2].FMU.SHA256)

	variant, err := system.Read(packed, "Other.ssd")
	require.NoError(t, err)
	require.Equal(t, []importer.StartValue{{Name: "gain", Value: "7"}}, variant.Part("a").Start)
	_, err = system.Read(packed, "Third.ssd")
	require.ErrorContains(t, err, "Third.ssd")
}

func TestRead_RefusesWhatHasNoFMU(t *testing.T) {
	path := structure(t, build(t, testfmu.Recipe{OSMP: true}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for want, change := range map[string][2]string{
		"nowhere.fmu":                  {`source="unruly.fmu"`, `source="nowhere.fmu"`},
		`the component "a" without an`: {`source="unruly.fmu"`, `source=""`},
	} {
		changed := filepath.Join(filepath.Dir(path), "changed.ssd")
		require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(text), change[0],
			change[1], 1)), 0o600))
		_, err := system.Read(changed, "")
		require.ErrorContains(t, err, want)
	}
}

func TestOpen_NamesPartsByTheirFiles(t *testing.T) {
	path := build(t, testfmu.Recipe{})
	s, err := system.Open([]string{path, "unruly-2=" + path, path})
	require.NoError(t, err)
	var names []string
	for _, p := range s.Parts {
		names = append(names, p.Name)
	}
	require.Equal(t, []string{"unruly", "unruly-2", "unruly-3"}, names)
	_, err = system.Open([]string{"a=" + path, "a=" + path})
	require.ErrorIs(t, err, cosim.ErrName)
	p, v, err := s.Find("unruly-2.in")
	require.NoError(t, err)
	require.Equal(t, []string{"unruly-2", "in"}, []string{p.Name, v.Name})
	_, _, err = s.Find("unruly.inn")
	require.ErrorContains(t, err, `did you mean "unruly.in"`)
}

// nested writes the system of structure as a package in which an inner package contains b and c
// with their start values. It returns its path.
func nested(t *testing.T, fmu string) string {
	t.Helper()
	content, err := os.ReadFile(fmu)
	require.NoError(t, err)
	const head = `<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription version="2.0" name="test" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"><ssd:System name="top">`
	const tail = `</ssd:System></ssd:SystemStructureDescription>`
	set := func(values string) string {
		return `<ssv:ParameterSet version="2.0" name="p" ` +
			`xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">` +
			`<ssv:Parameters>` + values + `</ssv:Parameters></ssv:ParameterSet>`
	}
	const boundary = `<ssd:Connectors><ssd:Connector name="in" kind="input"><ssc:Real/></ssd:Connector><ssd:Connector name="view" kind="input"><ssc:Binary/></ssd:Connector>
<ssd:Connector name="out" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors>`
	inner := head + boundary +
		`<ssd:Elements><ssd:Component name="b" source="resources/unruly.fmu"><ssd:Connectors>
<ssd:Connector name="in" kind="input"><ssc:Real/></ssd:Connector><ssd:Connector name="clock" kind="output"/><ssd:Connector name="OSMPSensorViewIn" kind="input"><ssc:Binary/></ssd:Connector>
</ssd:Connectors></ssd:Component><ssd:Component name="c" source="resources/unruly.fmu"><ssd:Connectors><ssd:Connector name="in" kind="input"/><ssd:Connector name="out" kind="output"/></ssd:Connectors>
<ssd:Annotations><ssc:Annotation type="com.opensimulationplatform"><osp:StepSizeHint value="0.3" xmlns:osp="osp"/></ssc:Annotation></ssd:Annotations></ssd:Component></ssd:Elements><ssd:Connections>
<ssd:Connection startConnector="in" endElement="b" endConnector="in"/><ssd:Connection startConnector="view" endElement="b" endConnector="OSMPSensorViewIn"/>
<ssd:Connection startElement="b" startConnector="clock" endElement="c" endConnector="in"/><ssd:Connection startElement="c" startConnector="out" endConnector="out"/></ssd:Connections>` + tail
	outer := head +
		`<ssd:Elements><ssd:Component name="a" source="resources/unruly.fmu"><ssd:Connectors><ssd:Connector name="in" kind="input"/><ssd:Connector name="out" kind="output"/>
<ssd:Connector name="OSMPSensorDataOut" kind="output"><ssc:Binary/></ssd:Connector></ssd:Connectors><ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>` +
		set(`<ssv:Parameter name="gain"><ssv:Real value="3"/></ssv:Parameter>`) +
		`</ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings></ssd:Component>
<ssd:Component name="inner" type="application/x-ssp-package" source="resources/inner.ssp">` +
		boundary + `<ssd:ParameterBindings>
<ssd:ParameterBinding source="resources/gains.ssv" sourceBase="component"/></ssd:ParameterBindings></ssd:Component></ssd:Elements><ssd:Connections>
<ssd:Connection startElement="a" startConnector="out" endElement="inner" endConnector="in"/><ssd:Connection startElement="a" startConnector="OSMPSensorDataOut" endElement="inner" endConnector="view"/>
<ssd:Connection startElement="inner" startConnector="out" endElement="a" endConnector="in"/></ssd:Connections>` + tail
	write := func(files map[string]string) string {
		folder := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(folder, "resources"), 0o700))
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		}
		return pack(t, folder)
	}
	packed, err := os.ReadFile(write(map[string]string{"SystemStructure.ssd": inner,
		"resources/unruly.fmu": string(content),
		"resources/gains.ssv": set(`<ssv:Parameter name="b.gain"><ssv:Real value="0.5"/>` +
			`</ssv:Parameter><ssv:Parameter name="c.gain"><ssv:Real value="0.1"/></ssv:Parameter>`)}))
	require.NoError(t, err)
	return write(map[string]string{"SystemStructure.ssd": outer,
		"resources/unruly.fmu": string(content), "resources/inner.ssp": string(packed)})
}

// A package in a package, with values in the inner one, yields the same bytes as the flat system
// (SSP: rules 15, 24 and 26 of the reference). The same is true after the system has been written
// and read again.
func TestRead_APackageInAPackageRunsAsTheFlatSystem(t *testing.T) {
	path := build(t, testfmu.Recipe{OSMP: true})
	flat, err := system.Read(structure(t, path), "")
	require.NoError(t, err)
	want := run(t, flat, false)
	inside := []string{"a.out", "inner.b.out", "inner.b.clock", "inner.c.out",
		"inner.b.OSMPSensorDataOut"}
	whole := nested(t, path)
	written := filepath.Join(t.TempDir(), "flat.ssp")
	s, _, err := ssp.Load(whole, ssp.Options{})
	require.NoError(t, err)
	f, err := os.Create(written)
	require.NoError(t, err)
	require.NoError(t, ssp.Write(f, s))
	require.NoError(t, f.Close())
	require.NoError(t, s.Close())
	for _, file := range []string{whole, written} {
		s, err := system.Read(file, "")
		require.NoError(t, err)
		require.Equal(t, want, runWatching(t, s, false, inside), file)
		s, err = system.Read(file, "")
		require.NoError(t, err)
		require.Equal(t, want, runWatching(t, s, true, inside), file)
	}
}
