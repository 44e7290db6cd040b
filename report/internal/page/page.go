// Package page holds what all HTML reports have in common: their style, and how a form becomes a
// file.
//
// Rule upheld: a page needs no network; style and scripts are in the file.
package page

import (
	"bufio"
	_ "embed" // style and script
	"html/template"
	"io"
)

//go:embed style.css
var style string

//go:embed kit.js
var kit string

// Write fills in a form, a template of package html/template. {{template "style"}} in it is the
// common style sheet, {{kit}} the common script: clock, controls and curves.
func Write(to io.Writer, form string, data any) error {
	t := template.Must(template.New("style").Funcs(template.FuncMap{
		"kit": func() template.JS { return template.JS(kit) }, // our own
	}).Parse(style))
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
