// Package statechart checks, draws and plays SCXML files with all that they may use: the ECMAScript
// data model, and requests to an experiment.
//
// A played machine gets its events from a list with times, and then runs as fast as it can on its
// own clock, or line by line from a terminal, and then runs by the wall clock. What happens is
// written as one line for each record.
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

// Check checks a chart, which may be part of an experiment. events lists the events that come from
// outside; nil if they are not known. Files are looked up in the same folder.
func Check(name string, text []byte, events []string) finding.List {
	return check.Chart(
		name,
		text,
		check.Options{Config: config(name), Events: events, Objects: experiment.ObjectEvents,
			Processors: []string{experiment.Processor}, Seeded: true},
	)
}

// Draw writes the picture of a chart with some states marked.
func Draw(w io.Writer, name string, text []byte, active []string) error {
	c, err := scxml.Parse(name, text, config(name))
	if err != nil {
		return err
	}
	return draw.Chart(w, c, active)
}

func config(name string) scxml.Config { return ecmascript.Config(filepath.Dir(name)) }
