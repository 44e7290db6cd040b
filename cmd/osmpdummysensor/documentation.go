//go:build !fmucore

package main

import (
	_ "embed"
	"html/template"
	"strings"

	"gosmp/build"
	"gosmp/sensor/dummysensor"
	"gosmp/sensor/simsensor"
	"gosmp/sensor/simsensor/demodrive"
)

//go:embed documentation.tmpl.html
var documentationTemplate string

// scenario is the recording that the FMU plays unless packing or a parameter names another file.
var scenario = build.Bundled{
	Name:    dummysensor.ScenarioResource,
	Content: demodrive.Write,
	Flag:    "scenario",
	Help: "simsensor `file` that plays when none is named (default: the demo " +
		"drive; empty: none)",
	Sentence: "It contains a demo scenario, which plays while no SensorView is connected.",

	Parameter: "replay.scenarioFile",
}

// options returns the packer options that describe this model.
func options() []build.Option {
	return []build.Option{build.Documentation(documentation()), build.Examination(examine),
		build.Bundles(scenario)}
}

// documentation returns the FMU's documentation of this model, except for its variables. The
// columns come from the reader itself, so that they always match what it reads.
func documentation() string {
	var text strings.Builder
	t := template.Must(template.New("documentation").Funcs(template.FuncMap{
		"inc": func(n int) int { return n + 1 },
	}).Parse(documentationTemplate))
	if err := t.Execute(&text, simsensor.Kinds()); err != nil {
		panic(err) // the template and its data are part of the program
	}
	return text.String()
}
