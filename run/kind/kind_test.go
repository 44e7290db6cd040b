package kind

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOfContent: documents are recognized in every encoding, even in unsupported ones, which their
// readers report.
func TestOfContent(t *testing.T) {
	wide := func(ascii string) []byte {
		return []byte("\x00" + strings.Join(strings.Split(ascii, ""), "\x00"))
	}
	for kind, content := range map[string][]byte{
		Map: append([]byte("\xfe\xff"),
			wide("<?xml version='1.0' encoding='UTF-16'?><OpenDRIVE>")...),
		System:   []byte("<?xml version='1.0' encoding='EBCDIC'?><SystemStructureDescription>"),
		Scenario: wide("<OpenSCENARIO/>"),
		Sweep: wide(`<OpenSCENARIO><ParameterValueDistribution>` +
			`<ScenarioFile filepath="a.exc"/></ParameterValueDistribution></OpenSCENARIO>`),
		Statechart: []byte("<?xml version='1.0' encoding='ISO-8859-1'?><!-- S\xfcd --><scxml>"),
		Experiment: []byte("\ufeff<?xml version='1.0' encoding='UTF-8'?><ExD>"),
		Recording:  wide("1,0,0,0"),
	} {
		require.Equal(t, kind, OfContent("standard input", content))
	}
}

// TestOfContent_Damaged: a file that does not match its name is left to the reader for the named
// kind.
func TestOfContent_Damaged(t *testing.T) {
	for name, kind := range map[string]string{"a.fmu": FMU, "a.ssp": System, "a.csv": Recording} {
		require.Equal(t, kind, OfContent(name, []byte("#!/bin/sh\n")))
	}
}

// TestOf_Plans: a YAML document with an experiment is a plan, whatever else it varies.
func TestOf_Plans(t *testing.T) {
	for text, plan := range map[string]bool{
		"experiment: a.exc\nseeds: 3\n":                    true,
		"\ufeffexperiment: a.exc\r\nseeds: 3\r\n":          true,
		"# twice\n---\n\"experiment\" : a.exc\nseeds: 2\n": true,
		"--- {experiment: a.exc, seeds: 2}\n":              true,
		"seeds: 2\nexperiment:\n  a.exc\n":                 true,
		"seeds: 2\n":                                       false,
		"about:\n  experiment: a.exc\n":                    false,
		"experiments: a.exc\n":                             false,
		"experiment:a.exc\n":                               false,
	} {
		name := filepath.Join(t.TempDir(), "runs.yml")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		require.Equal(t, plan, Of(name) == Sweep, "%q", text)
	}
}
