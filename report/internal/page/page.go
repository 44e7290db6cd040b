// Package page holds what all HTML reports have in common: their style, their script, and how a
// form becomes a file.
//
// Rule upheld: a page needs no network; style and scripts are in the file.
//
// Types: [Playback] has the data that a page plays back, with [Scene], [Curves] and [Lane];
// [Series] gathers numbers over time.
package page

import (
	"bufio"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
)

//go:embed style.css
var style string

//go:embed parts.html
var parts string

//go:embed kit/*.js
var kitFiles embed.FS

// kitOrder is the order of the scripts: each uses only those before it.
var kitOrder = []string{"base", "clock", "axis", "plot", "curves", "lanes", "view", "scene", "seen",
	"playback"}

// kit is the common script.
func kit() (template.JS, error) {
	var all []byte
	for _, name := range kitOrder {
		text, err := kitFiles.ReadFile("kit/" + name + ".js")
		if err != nil {
			return "", fmt.Errorf("report: %w", err)
		}
		all = append(all, text...)
	}
	return template.JS(all), nil //nolint:gosec // our own
}

// Write fills in a form, a template of package html/template. {{template "style"}} in it is the
// common style sheet. Of a page that plays something back, "scene" is the view from above,
// "controls" the bar of controls, "curves" the curves, "lanes" the states over time, and "playback"
// the data, a [Playback], with the common script; "live" is the script for a page whose data come
// later.
func Write(to io.Writer, form string, data any) error {
	t := template.Must(template.New("style").Parse(style))
	template.Must(t.New("parts").Funcs(template.FuncMap{"kit": kit, "json": jsonOf}).Parse(parts))
	t, err := t.New("report").Parse(form)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(to)
	if err := t.Execute(b, data); err != nil {
		return err
	}
	return b.Flush()
}

// jsonOf is data for a script. JSON escapes <, so that no text can end the script.
func jsonOf(data any) (template.JS, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	return template.JS(text), nil //nolint:gosec // as said above
}
