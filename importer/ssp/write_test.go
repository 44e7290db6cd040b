package ssp_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

// essence is what has to be the same in a system that was written and read again.
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
	e := essence{s.Name, s.Title, s.Description, nil, flat(s), s.Experiment.Start, s.Experiment.Stop, s.Experiment.Step.Seconds}
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

// again writes a system and reads it.
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

// What is written is read as the same system, and is the same bytes again.
func TestWrite_ReadsBack(t *testing.T) {
	s := sound(t)
	scaled := connection("a.p", "b.p", `<ssc:LinearTransformation factor="2.5" offset="-1"/>`)
	for _, c := range []struct {
		what   string
		system entries
	}{
		{"as it is", s},
		{"scaled", s.with(main, connection("a.p", "b.p", ""), scaled)},
		{"converted", s.with(main, `name="p" kind="output"><ssc:Real unit="Pa"/>`, `name="p" kind="output"><ssc:Real unit="bar"/>`)},
		{"mapped", s.with(main, connection("a.gear", "b.gear", ""), connection("a.gear", "b.gear",
			`<ssc:EnumerationMappingTransformation><ssc:MapEntry source="R" target="D"/><ssc:MapEntry source="D" target="R"/></ssc:EnumerationMappingTransformation>`))},
		{"switched", s.with(main, connection("a.on", "b.on", ""), connection("a.on", "b.on",
			`<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/></ssc:BooleanMappingTransformation>`))},
		{"with a step", s.with(main, `stopTime="10"/>`, `stopTime="10"><ssd:Annotations><ssc:Annotation type="com.opensimulationplatform"><osp:FixedStepAlgorithm xmlns:osp="o" baseStepSize="0.1"/></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>`)},
		{"SSP 2.0", s.with(main, `version="1.0" name="test"`, `version="2.0" name="test"`).with(main, `<ssd:Component name="a" `, `<ssd:Component name="a&quot;ä b" `).
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
				require.NotContains(t, []string{"SSP-X1", "SSP-X2", "SSP-X3", "SSP-Z1", "SSP-Z3", "SSP-S6"}, f.ID, "%v", f)
			}
		})
	}
}

// The FMUs of a package lie in a folder after Unpack, each once, with their bytes.
func TestSystem_Unpack(t *testing.T) {
	s := sound(t)
	twice := s.with(main, `</ssd:Elements>`, `<ssd:Component name="c" source="resources/b.fmu"/></ssd:Elements>`)
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
