// Package page holds what all HTML reports have in common: their style, and how a form becomes a
// file.
//
// Rule upheld: a page needs no network; style and scripts are in the file.
package page

import (
	"bufio"
	_ "embed" // the style
	"html/template"
	"io"
)

//go:embed style.css
var style string

// Write fills in a form, a template of package html/template. {{template "style"}} in it is the
// common style sheet.
func Write(to io.Writer, form string, data any) error {
	t := template.Must(template.New("style").Parse(style))
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
