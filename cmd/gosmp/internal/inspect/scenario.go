package inspect

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/run/inspect"
)

// scenarioText prints an OpenSCENARIO document.
type scenarioText struct{ *inspect.Scenario }

func (s scenarioText) print(out io.Writer, asJSON, all bool) error {
	if asJSON {
		return cli.WriteJSON(out, s.Scenario)
	}
	plaintext.Printf(out, "%s\n  %s of OpenSCENARIO %s", s.File, s.Kind, s.Version)
	if s.Description != "" {
		plaintext.Printf(out, ": %s", s.Description)
	}
	fmt.Fprintln(out)
	for _, x := range [...][2]string{{"author", s.Author}, {"map", s.Map}, {"scenario",
		s.Scenario.Scenario}} {
		if x[1] != "" {
			plaintext.Printf(out, "  %s: %s\n", x[0], x[1])
		}
	}
	if s.Points > 0 {
		plaintext.Printf(out, "  %s", quantity.Of(s.Points, "point"))
		if s.Allowed != nil {
			plaintext.Printf(out, ", of which the constraints allow %s",
				quantity.Grouped(*s.Allowed))
		}
		fmt.Fprintln(out)
	}
	s.printTables(out, all)
	if s.Errors+s.Warnings > 0 {
		plaintext.Printf(out, "%s, %s: gosmp check shows them\n", quantity.Of(s.Errors, "error"),
			quantity.Of(s.Warnings, "warning"))
	}
	return nil
}

func (s scenarioText) printTables(out io.Writer, all bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(s.Parameters) > 0 {
		fmt.Fprintln(w, "parameters")
	}
	for _, p := range shown(s.Parameters, all) {
		plaintext.Printf(w, "  %s\t%s\t%s\n", p.Name, p.Type, p.Value)
	}
	more(w, s.Parameters, all)
	if len(s.Entities) > 0 {
		fmt.Fprintln(w, "entities")
	}
	for _, e := range shown(s.Entities, all) {
		plaintext.Printf(w, "  %s\t%s %s\t%s\t%s\n", e.Name, e.Type, e.Category, e.Catalog,
			strings.Join(e.Controllers, ", "))
	}
	more(w, s.Entities, all)
	if len(s.Entries) > 0 {
		fmt.Fprintln(w, "entries")
	}
	for _, e := range shown(s.Entries, all) {
		plaintext.Printf(w, "  %s\n", e)
	}
	more(w, s.Entries, all)
	if len(s.Storyboard) > 0 {
		fmt.Fprintln(w, "storyboard")
	}
	for _, x := range shown(s.Storyboard, all) {
		text := strings.Repeat("  ", x.Depth+1) + x.Type + " " + x.Name
		if len(x.Does) > 0 {
			text += ": " + strings.Join(x.Does, ", ")
		}
		if len(x.Conditions) > 0 {
			text += " (starts with " + strings.Join(x.Conditions, ", ") + ")"
		}
		plaintext.Printf(w, "%s\n", text)
	}
	more(w, s.Storyboard, all)
	_ = w.Flush() // the caller flushes the underlying writer
}
