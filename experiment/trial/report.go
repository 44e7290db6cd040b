package trial

import (
	"bytes"
	"fmt"
	"html/template"
	"io"

	"gosmp/experiment/scxml/draw"
	roads "gosmp/mocksim/opendrive/draw"
	"gosmp/timebase"
)

var page = template.Must(template.New("report").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Verdict.Experiment}}: {{.Verdict.Outcome}}</title>
<style>
body{font:15px/1.5 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left;vertical-align:top}
h1 span{padding:0 .4em;color:#fff;background:#a33}h1 span.passed{background:#282}
svg{max-width:100%}.scene{background:#e4ead9}.scene rect{fill:#fff;stroke:#222;stroke-width:.15}.scene text,.curve text{font-family:sans-serif}
.nose{fill:none;stroke:#222;stroke-width:.15}.curve text{font-size:11px}.curve .axis{stroke:#ddd}.curve .mark{stroke:#c33;stroke-width:1}
.curve .line{fill:none;stroke:#1f5fa8;stroke-width:1.4}h3{font-size:1em;margin:.6em 0 0}.ground{position:absolute}
{{.GroundStyle}}
code{background:#f4f4f4}
</style></head><body>
<h1>{{.Verdict.Experiment}} <span class="{{.Verdict.Outcome}}">{{.Verdict.Outcome}}</span></h1>
<p>{{.Text}}</p>
{{with .Verdict.Cause}}<p><b>Cause:</b> {{.}}</p>{{end}}
<table><tr><th>machine</th><th>role</th><th>outcome</th><th>at, s</th><th>why</th></tr>
{{range .Verdict.Judgments}}<tr><td>{{.Machine}}</td><td>{{.Role}}</td><td>{{.Outcome}}</td><td>{{printf "%.3f" .Time}}</td><td>{{.Cause}}{{with .Data}} <code>{{printf "%s" .}}</code>{{end}}</td></tr>
{{end}}</table>
<h2>States over time</h2>
{{.Timeline}}
{{if .Curves}}<h2>Signals</h2>
<p>Red lines are changes of states.</p>
{{range .Curves}}<h3>{{.Name}}{{with .Unit}}, {{.}}{{end}}</h3>
{{.Plot}}
{{end}}{{end}}
{{if .Scenes}}<h2>Seen from above at each change of a state</h2>
{{with .Ground}}<svg class="ground" width="0" height="0"><defs><g id="ground">{{.}}</g></defs></svg>{{end}}
{{range .Scenes}}<h3>{{.Time}} s</h3>{{range .Changes}}{{.}}<br>{{end}}
{{.Picture}}
{{end}}{{end}}
<h2>The run</h2>
<table>
<tr><th>repeat it</th><td><code>{{.Verdict.Command}}</code></td></tr>
<tr><th>ended by</th><td>{{.Verdict.EndedBy}} at {{printf "%.3f" .Verdict.Time}} s, after {{.Verdict.Steps}} steps</td></tr>
<tr><th>seed</th><td>{{.Verdict.Seed}}{{if .Verdict.SeedDrawn}} (drawn){{end}}</td></tr>
<tr><th>trace hash</th><td><code>{{.Verdict.TraceHash}}</code></td></tr>
<tr><th>gosmp</th><td>{{.Verdict.Version}}</td></tr>
{{range .Verdict.Inputs}}<tr><th>{{.File}}</th><td><code>{{.SHA256}}</code></td></tr>
{{end}}</table>
</body></html>
`))

// WriteHTML writes a report that needs no other file.
func (t *Trial) WriteHTML(w io.Writer) error {
	var timeline, ground bytes.Buffer
	if err := draw.Timeline(&timeline, t.records); err != nil {
		return err
	}
	var vehicles []string
	if t.world != nil {
		vehicles = t.world.vehicles
		if err := roads.Ground(&ground, t.roads); err != nil {
			return err
		}
	}
	type picture struct {
		Time    string
		Changes []string
		Picture template.HTML
	}
	var scenes []picture
	var marks []timebase.Time
	frame := newFrame(t.scenes, vehicles)
	for _, s := range t.scenes {
		marks = append(marks, s.Time)
		scenes = append(scenes, picture{fmt.Sprintf("%.3f", s.Time.Seconds()), t.changes(s.Time), s.picture(frame, vehicles)})
	}
	type plot struct {
		Name, Unit string
		Plot       template.HTML
	}
	var curves []plot
	for _, c := range t.curves {
		unit := c.Unit
		if unit == "1" { // of FMUs: a plain number
			unit = ""
		}
		curves = append(curves, plot{c.Name, unit, c.plot(t.Now(), marks)})
	}
	return page.Execute(w, map[string]any{"Verdict": t.Verdict(), "Text": t.description.Text, "Scenes": scenes, "Curves": curves,
		"GroundStyle": template.CSS(roads.GroundStyle),
		"Ground":      template.HTML(ground.String()),    //nolint:gosec // made by package roads, which escapes names
		"Timeline":    template.HTML(timeline.String())}) //nolint:gosec // made by package draw, which escapes names
}
