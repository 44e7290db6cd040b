package livepage

import (
	"bytes"
	_ "embed" // for the page template and its script
	"html/template"
	"io"

	"gosmp/report/internal/page"
)

//go:embed page.html
var form string

//go:embed live.js
var script string

// Write writes the page. events are the names of the events that a reader can send. ground draws
// the map as SVG; it may be nil.
func Write(to io.Writer, title string, events []string,
	ground func(io.Writer) error) error {
	var drawn bytes.Buffer
	if ground != nil {
		if err := ground(&drawn); err != nil {
			return err
		}
	}
	return page.Write(to, form, struct {
		Title  string
		Events []string
		Ground template.HTML
		Script template.JS
	}{title, events, template.HTML(drawn.String()), template.JS(script)}) //nolint:gosec // our own
}
