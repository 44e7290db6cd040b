package trial

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"math"

	"gosmp/experiment/scxml/draw"
	"gosmp/mocksim"
	"gosmp/timebase"
)

// Scene is where all actors were when a machine changed its state.
type Scene struct {
	Time   timebase.Time
	Actors []Box
}

// Box is an actor seen from above, in m and degrees.
type Box struct {
	Name                string
	X, Y, Length, Width float64
	Turn, Speed         float64 // degrees counter-clockwise, m/s
	Kind                mocksim.Kind
}

const maxScenes = 100 // in a report

// scene keeps a picture of now.
func (t *Trial) scene() {
	if t.world == nil || len(t.scenes) >= maxScenes {
		return
	}
	s := Scene{Time: t.Now()}
	for k := range t.world.Len() {
		v := t.world.At(k)
		state := v.State()
		s.Actors = append(s.Actors, Box{v.Name(), state.Position.X, state.Position.Y, v.Shape().Length, v.Shape().Width,
			state.Orientation.Yaw * 180 / math.Pi, state.Speed, v.Kind()})
	}
	t.scenes = append(t.scenes, s)
}

// picture is a scene as SVG: x to the right, y to the top, 8 pixels a metre at most.
func (s Scene) picture() template.HTML {
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, b := range s.Actors {
		left, right, low, high = min(left, b.X), max(right, b.X), min(low, b.Y), max(high, b.Y)
	}
	if len(s.Actors) == 0 {
		return ""
	}
	left, right, low, high = left-10, right+10, low-8, high+8
	scale := min(8, 900/(right-left), 400/(high-low))
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" class="scene">`, (right-left)*scale, (high-low)*scale)
	for _, a := range s.Actors {
		x, y := (a.X-left)*scale, (high-a.Y)*scale
		fmt.Fprintf(&b, `<g transform="translate(%.1f %.1f) rotate(%.1f)"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/><path d="M%.1f 0h6"/></g>`,
			x, y, -a.Turn, -a.Length/2*scale, -a.Width/2*scale, a.Length*scale, a.Width*scale, a.Length/2*scale)
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f">%s %.1f m/s</text>`, x, y-a.Width*scale-4, template.HTMLEscapeString(a.Name), a.Speed)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers and escaped names
}

var page = template.Must(template.New("report").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Verdict.Experiment}}: {{.Verdict.Outcome}}</title>
<style>
body{font:15px/1.5 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left;vertical-align:top}
h1 span{padding:0 .4em;color:#fff;background:#a33}h1 span.passed{background:#282}
svg{max-width:100%}.scene{background:#eee}.scene rect{fill:#fff;stroke:#222}.scene path{stroke:#222}.scene text{font:11px sans-serif}
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
{{if .Scenes}}<h2>Seen from above at each change of a state</h2>
{{range .Scenes}}<p>{{.Time}} s<br>{{.Picture}}</p>
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
	var timeline bytes.Buffer
	if err := draw.Timeline(&timeline, t.records); err != nil {
		return err
	}
	type picture struct {
		Time    string
		Picture template.HTML
	}
	var scenes []picture
	for _, s := range t.scenes {
		scenes = append(scenes, picture{fmt.Sprintf("%.3f", s.Time.Seconds()), s.picture()})
	}
	return page.Execute(w, map[string]any{"Verdict": t.Verdict(), "Text": t.description.Text, "Scenes": scenes,
		"Timeline": template.HTML(timeline.String())}) //nolint:gosec // made by package draw, which escapes names
}
