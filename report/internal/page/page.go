// Package page holds what all HTML reports share: their style, their scripts, and the code that
// fills in their templates.
//
// Guarantee: a page works offline; style and scripts are in the file.
//
// Types: [Playback] holds the data that a page plays back, with [Scene], [Curves] and [Lane];
// [Series] collects numbers over time.
package page

import (
	"bufio"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"gosmp/internal/plaintext"
)

//go:embed style.css
var style string

//go:embed parts.html
var parts string

//go:embed kit/*.js
var kitFiles embed.FS

// kitOrder is the order of the scripts. Each script only uses earlier ones.
var kitOrder = []string{"base", "touch", "clock", "axis", "plot", "curves", "lanes", "view",
	"scene", "seen", "scatter", "playback"}

// kit returns the common script.
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

// Write executes form, a template of package html/template. {{template "style"}} in it is the
// common style sheet. In pages that play something back, "scene" is the view from above, "controls"
// the control bar, "curves" the curves, "lanes" the states over time, and "playback" the data, a
// [Playback] or the columns of a sweep, with the common script. "live" is the script for a page
// whose data arrives later. The function number is printf for numbers that may be pointers.
func Write(to io.Writer, form string, data any) error {
	t := template.Must(template.New("style").Parse(style))
	template.Must(t.New("parts").Funcs(template.FuncMap{"kit": kit, "json": jsonOf,
		"number": number}).Parse(parts))
	t, err := t.New("report").Parse(form)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(plaintext.Writer(to))
	if err := t.Execute(b, data); err != nil {
		return err
	}
	return b.Flush()
}

// jsonOf encodes data for a script. It escapes <, so that no text can end the script.
func jsonOf(data any) (template.JS, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	return template.JS(text), nil //nolint:gosec // see above
}

// number formats a number or what a pointer to one refers to, where printf would show an address.
func number(format string, x any) string {
	if p, is := x.(*float64); is && p != nil {
		x = *p
	}
	return fmt.Sprintf(format, x)
}
