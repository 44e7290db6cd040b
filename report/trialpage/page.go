package trialpage

import (
	"bytes"
	_ "embed" // the form of the page
	"fmt"
	"html/template"
	"io"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/draw"
	"gosmp/experiment/trial"
	roads "gosmp/mocksim/opendrive/draw"
	"gosmp/report/internal/page"
	"gosmp/timebase"
)

//go:embed page.html
var form string

// report holds the data of the page.
type report struct {
	Verdict     *trial.Verdict
	Text        string
	Timeline    template.HTML
	Curves      []curveRow
	Scenes      []sceneRow
	Ground      template.HTML
	GroundStyle template.CSS
}

type curveRow struct {
	Name, Unit string
	Plot       template.HTML
}

type sceneRow struct {
	Time    string
	Changes []string
	Picture template.HTML
}

// Write writes the report of a trial. The error is one of writing, or of a map that cannot be
// evaluated.
func Write(to io.Writer, c trial.Course) error {
	var timeline, ground bytes.Buffer
	if err := draw.Timeline(&timeline, c.Records); err != nil {
		return err
	}
	if c.Roads != nil {
		if err := roads.Ground(&ground, c.Roads); err != nil {
			return err
		}
	}
	r := &report{Verdict: c.Verdict, Text: c.Text, GroundStyle: roads.GroundStyle,
		Timeline: template.HTML(timeline.String()), //nolint:gosec // made by package draw, which escapes names
		Ground:   template.HTML(ground.String())}   //nolint:gosec // made by package roads, which escapes names
	r.scenes(c)
	r.curves(c)
	return page.Write(to, form, r)
}

func (r *report) scenes(c trial.Course) {
	f := newFrame(c.Scenes, c.Vehicles)
	for _, s := range c.Scenes {
		r.Scenes = append(r.Scenes, sceneRow{fmt.Sprintf("%.3f", s.Time.Seconds()),
			changes(c.Records, s.Time), picture(s, f, c.Vehicles)})
	}
}

func (r *report) curves(c trial.Course) {
	var marks []timebase.Time
	for _, s := range c.Scenes {
		marks = append(marks, s.Time)
	}
	for _, x := range c.Curves {
		unit := x.Unit
		if unit == "1" { // of FMUs: a plain number
			unit = ""
		}
		r.Curves = append(r.Curves, curveRow{x.Name, unit, plot(x, c.End, marks)})
	}
}

// changes lists the transitions that machines made at a time.
func changes(records []scxml.Record, at timebase.Time) (list []string) {
	event := ""
	for _, r := range records {
		switch {
		case r.Time != at:
		case r.Kind == scxml.Took:
			event = r.Event
		case r.Kind == scxml.Started:
			event = ""
		case r.Kind == scxml.Followed:
			list = append(list, fmt.Sprintf("%s: %s → %s%s", r.Machine, r.State, r.Text, by(event)))
		}
	}
	return list
}

func by(event string) string {
	if event == "" {
		return ""
	}
	return " by " + event
}
