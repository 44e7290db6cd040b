//go:build !fmucore

package build

import (
	"fmt"
	"io"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/fmu/modeldescription"
	"gosmp/osmp"
)

// group is a part of the variable table.
type group struct {
	Title, Meaning string
	Variables      []*fmu.Variable
}

// groups divides the variables into groups by their use.
func groups(d *fmu.Definition) (list []group) {
	for _, g := range []struct {
		causality      fmi.Causality
		title, meaning string
	}{
		{fmi.Parameter, "Parameters",
			"Set them before or in initialization mode. " +
				"Tunable parameters can be set at any communication point."},
		{fmi.Input, "Inputs", "Set them before a step."},
		{fmi.Output, "Outputs", "Read them after a step, or in initialization mode."},
		{fmi.CalculatedParameter, "Calculated parameters",
			"Read them in initialization mode. They are calculated from the parameters."},
		{fmi.Local, "Local variables", "For inspection and debugging."},
		{fmi.Independent, "Independent variable", "FMI 3.0 requires one."},
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

// rangeOf returns the range of allowed values for display; empty if all values are allowed.
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

// WriteVariables writes reference documentation of a model's variables in Markdown. It lists the
// references of FMI 2.0 and, if there is a twin, also its references.
func WriteVariables(w io.Writer, d *fmu.Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	var twin *fmu.Definition
	if d.Twin != nil {
		twin = d.Twin()
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		"# Variables of %s\n\nGenerated from the variable table by the program's "+
			"command `variables`. "+
			"%s\n", plain(d.ModelName), numbering(d))
	for _, g := range groups(d) {
		head, rule := "", ""
		if twin != nil {
			head, rule = " In FMI 3.0 |", "---|"
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| Name | Type | Reference |%s Unit | Start | Range | "+
			"Variability | Description |\n|---|---|---|%s---|---|---|---|---|\n", g.Title,
			g.Meaning, head, rule)
		for _, v := range g.Variables {
			fmt.Fprintf(&b, "| `%s` | %s | %d |%s %s | %s | %s | %s | %s |\n", v.Name,
				typeName(d, v), v.Reference(d.Standard()), counterpart(twin, v), plain(v.Unit),
				plain(startOf(v)), rangeOf(v), v.Variability, plain(v.Description))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// counterpart returns the table cell, including its closing bar, for a variable in the twin: type
// and reference, and the name of the Binary that replaces the three integers of OSMP.
func counterpart(twin *fmu.Definition, v *fmu.Variable) string {
	if twin == nil {
		return ""
	}
	if same := twin.Variables.Named(v.Name); same != nil {
		return fmt.Sprintf(" %s %d |", typeName(twin, same), same.Reference(fmi.FMI3))
	}
	part, _ := osmp.PartOf(v.Annotations)
	if whole := twin.Variables.Named(part.Name); whole != nil {
		return fmt.Sprintf(" in `%s`, %v %d |", whole.Name, whole.Type, whole.Reference(fmi.FMI3))
	}
	return " - |"
}

// numbering describes how the references are numbered.
func numbering(d *fmu.Definition) string {
	if d.Standard() >= fmi.FMI3 {
		return "References are those of FMI 3.0, in which all types share one numbering."
	}
	if d.Twin != nil {
		return "References are numbered per type. In FMI 3.0, they are numbered over all types, " +
			"and `time` has number 0."
	}
	return "References are numbered per type."
}

// typeName returns the type of a variable, including the lengths of an array.
func typeName(d *fmu.Definition, v *fmu.Variable) string {
	t, _ := v.Type.In(d.Standard())
	text := t.String()
	for _, n := range v.Dimensions {
		text += fmt.Sprintf("[%d]", n)
	}
	return text
}

// plain escapes a text so that it is not interpreted as Markdown inside a table.
func plain(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "*", `\*`, "_", `\_`, "`",
		"\\`").Replace(text)
}
