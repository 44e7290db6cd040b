// Package statechart checks, draws and runs SCXML files with everything they may use: the
// ECMAScript data model and requests to an experiment.
//
// A machine receives its events either from a list with times, in which case it runs as fast as
// possible on its own clock, or line by line from a terminal, in which case it runs in real time.
// It writes each record to the log as one line.
//
// Functions: [Check], [Draw], [ReadEvents], [ParseEvent]; types: [Player], [Summary], [Timed].
package statechart

import (
	"io"
	"path/filepath"

	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/draw"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/internal/finding"
)

// Check checks a chart, which may be part of an experiment. events lists the external events; nil
// if unknown. Files are looked up in the same folder.
func Check(name string, text []byte, events []string) finding.List {
	return check.Chart(
		name,
		text,
		check.Options{Config: config(name), Events: events, Objects: experiment.ObjectEvents,
			Processors: []string{experiment.Processor}, Seeded: true},
	)
}

// Draw writes a picture of a chart with some states marked.
func Draw(w io.Writer, name string, text []byte, active []string) error {
	c, err := scxml.Parse(name, text, config(name))
	if err != nil {
		return err
	}
	return draw.Chart(w, c, active)
}

func config(name string) scxml.Config { return ecmascript.Config(filepath.Dir(name)) }
