//go:build !fmucore

package build

import (
	"fmt"
	"io"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/fmu/modeldescription"
)

// group is a part of the variable table.
type group struct {
	Title, Meaning string
	Variables      []*fmu.Variable
}

// groups sorts the variables by their use.
func groups(d *fmu.Definition) (list []group) {
	for _, g := range []struct {
		causality      fmi.Causality
		title, meaning string
	}{
		{fmi.Parameter, "Parameters",
			"Set them before or in initialization mode; tunable ones at any communication point."},
		{fmi.Input, "Inputs", "Set them before a step."},
		{fmi.Output, "Outputs", "Read them after a step, or in initialization mode."},
		{fmi.CalculatedParameter, "Calculated parameters",
			"Read them in initialization mode: they follow from the parameters."},
		{fmi.Local, "Local variables", "For inspection and debugging."},
	} {
		part := group{Title: g.title, Meaning: g.meaning}
		for _, v := range d.Variables.All() {
			if v.Causality == g.causality {
				part.Variables = append(part.Variables, v)
			}
		}
		if part.Variables != nil {
			list = append(list, part)
		}
	}
	return list
}

// startOf formats a start value for display.
func startOf(v *fmu.Variable) string {
	if v.Start == "" {
		return `""`
	}
	return modeldescription.StartText(v)
}

// rangeOf is the interval of allowed values for display, empty if everything is allowed.
func rangeOf(v *fmu.Variable) string {
	switch {
	case v.Min != nil && v.Max != nil:
		return modeldescription.Real(*v.Min) + " to " + modeldescription.Real(*v.Max)
	case v.Min != nil:
		return "from " + modeldescription.Real(*v.Min)
	case v.Max != nil:
		return "up to " + modeldescription.Real(*v.Max)
	}
	return ""
}

// WriteVariables writes the reference of a model's variables in Markdown.
func WriteVariables(w io.Writer, d *fmu.Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		"# Variables of %s\n\nGenerated from the variable table by the program's command `variables`. "+
			"References are numbered per type.\n", plain(d.ModelName))
	for _, g := range groups(d) {
		fmt.Fprintf(&b,
			"\n## %s\n\n%s\n\n| Name | Type | Reference | Unit | Start | Range | Variability | Description |\n"+
				"|---|---|---|---|---|---|---|---|\n", g.Title, g.Meaning)
		for _, v := range g.Variables {
			fmt.Fprintf(&b, "| `%s` | %s | %d | %s | %s | %s | %s | %s |\n", v.Name, v.Type,
				v.Reference(fmi.FMI2), plain(v.Unit),
				plain(startOf(v)), rangeOf(v), v.Variability, plain(v.Description))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// plain keeps a text from being taken for Markdown inside a table.
func plain(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`, "_", `\_`, "`",
		"\\`").Replace(text)
}
