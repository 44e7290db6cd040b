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

// Form defines what the page of a run contains apart from its data.
type Form struct {
	Title  string
	Events []string              // with a button each
	Sends  bool                  // a reader can type events
	Ground func(io.Writer) error // draws the map as SVG; may be nil
}

// Write writes the page.
func Write(to io.Writer, f Form) error {
	var drawn bytes.Buffer
	if f.Ground != nil {
		if err := f.Ground(&drawn); err != nil {
			return err
		}
	}
	return page.Write(to, form, struct {
		Title  string
		Events []string
		Sends  bool
		Ground template.HTML
		Script template.JS
	}{f.Title, f.Events, f.Sends,
		template.HTML(drawn.String()), template.JS(script)}) //nolint:gosec // our own
}
