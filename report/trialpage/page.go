package trialpage

import (
	"bytes"
	_ "embed" // for the page template
	"html/template"
	"io"
	"slices"
	"strings"

	"gosmp/experiment/trial"
	roads "gosmp/mocksim/opendrive/draw"
	"gosmp/report/internal/page"
	"gosmp/report/internal/states"
)

//go:embed page.html
var form string

// mostEvents limits the list of events, because a chart may receive one in each step.
const mostEvents = 500

// report holds the data of the page.
type report struct {
	Verdict  *trial.Verdict
	Text     string
	Changes  []states.Change
	Events   []states.Event
	Further  int // events that are not in the list
	Ground   template.HTML
	Playback page.Playback
	Moves    bool // whether there is a scene
}

// Write writes the report of a trial. It fails if writing fails or if the map cannot be evaluated.
func Write(to io.Writer, c trial.Course) error {
	r := &report{Verdict: c.Verdict, Text: c.Text, Changes: states.Changes(c.Records)}
	if c.Roads != nil {
		var ground bytes.Buffer
		if err := roads.Ground(&ground, c.Roads); err != nil {
			return err
		}
		r.Ground = template.HTML(ground.String()) //nolint:gosec // package roads escapes names
	}
	r.Events, r.Further = states.Events(c.Records, mostEvents)
	scene, lanes := sceneOf(c), states.Lanes(c.Records, c.End)
	r.Playback = page.Playback{Last: c.End.Seconds(), Lanes: lanes,
		Curves:  curvesOf(c.Curves, c.Vehicles),
		Changes: changes(r.Changes)}
	if r.Moves = len(scene.Frames) > 0; r.Moves {
		r.Playback.Scene = scene
	}
	return page.Write(to, form, r)
}

// changes returns the times of changes.
func changes(all []states.Change) (list []float64) {
	for _, c := range all {
		list = append(list, c.At)
	}
	return slices.Compact(list)
}

// curvesOf returns the curves of a page.
func curvesOf(all []*trial.Curve, vehicles []string) *page.Curves {
	list := &page.Curves{Times: []float64{}, List: []page.Curve{}}
	for _, x := range all {
		c := page.Curve{Group: group(x.Name, vehicles), Path: page.Named(x.Name, x.Unit),
			Steps: true, Times: []float64{}, Values: []any{}}
		for _, b := range x.Buckets {
			c.Append(b.Start.Seconds(), b.Low, b.High)
		}
		c.Round()
		if len(c.Times) > 0 {
			list.List = append(list.List, c)
		}
	}
	return list
}

// group returns the panel of a curve: the same variable of several vehicles shares one.
func group(name string, vehicles []string) string {
	for _, v := range vehicles {
		if variable, is := strings.CutPrefix(name, v+"."); is {
			return "vehicles: " + variable
		}
	}
	return ""
}
