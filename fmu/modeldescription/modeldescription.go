// Package modeldescription writes the modelDescription.xml of an FMU from its definition (FMI
// 2.0.5, 2.2 and 4.3.1; FMI 3.0.2, 2.4 and 4.3.1).
//
// It is a separate package so that an FMU's core, which reads no XML, links neither the template
// engine nor the templates. The layouts are in modelDescription.tmpl.xml and
// modelDescription3.tmpl.xml at the root of the module, all content in [fmu.Definition]. [Render]
// writes the XML; [Real] and [StartText] format values as it does. Its additions to the definition
// follow from how every gosmp slave works:
//
//   - Getters change nothing. At a communication point no output depends on an input, so Outputs
//     list no dependencies.
//   - During initialization a calculated value depends on exactly the variables that its DependsOn
//     lists, or on all without one.
//   - The same definition gives the same bytes; there is no generationDateAndTime.
package modeldescription

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"gosmp"
	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/release"
)

// Render writes the model description of d. A definition with mistakes is refused with the error of
// [fmu.Definition.Check]. The guid is written unchanged, even if it is empty, because the packer
// fills it in.
func Render(w io.Writer, d *fmu.Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	if binaries := d.Variables.OfType(fmi.Binary); d.Standard() < fmi.FMI3 && len(binaries) > 0 {
		return fmt.Errorf("%w: variable %q: FMI 2.0 has no type Binary", fmu.ErrDefinition,
			binaries[0].Name)
	}
	name, layout := "modelDescription.tmpl.xml", gosmp.ModelDescriptionTemplate
	if d.Standard() >= fmi.FMI3 {
		name, layout = "modelDescription3.tmpl.xml", gosmp.ModelDescriptionTemplate3
	}
	t, err := template.New("modelDescription").Funcs(functions(d)).Parse(layout)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := t.Execute(w, d); err != nil {
		return fmt.Errorf("model description of %s: %w", d.ModelName, err)
	}
	return nil
}

// functions returns the functions that the template calls.
func functions(d *fmu.Definition) template.FuncMap {
	return template.FuncMap{
		"xml":             escape,
		"tool":            func() string { return release.Tool },
		"real":            Real,
		"attributes":      attributes,
		"factor":          factor,
		"bound":           bound,
		"start":           start,
		"type3":           type3,
		"start3":          start3,
		"starts3":         starts3,
		"content3":        content3,
		"declaredType":    declaredType,
		"dimensions":      func(v *fmu.Variable) []string { return dimensions(&d.Variables, v) },
		"clocks":          func(v *fmu.Variable) string { return clocks(&d.Variables, v) },
		"interval":        interval,
		"intermediate":    func(v *fmu.Variable) string { return truth(d.Intermediate(v)) },
		"namespaces":      namespaces,
		"qualified":       qualified,
		"outputs":         func() []unknown { return outputs(&d.Variables) },
		"initialUnknowns": func() []unknown { return initialUnknowns(&d.Variables) },
	}
}

func escape(text string) (string, error) {
	var b strings.Builder
	err := xml.EscapeText(&b, []byte(text))
	return b.String(), err
}

// Real returns the shortest decimal text that reads back as x, in the format of the XML type
// double.
func Real(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// attributes writes pairs of a name and a value, each preceded by a blank. It omits empty texts and
// zero numbers: wherever the template uses it, absence means the same.
func attributes(pairs ...any) (string, error) {
	var b strings.Builder
	for k := 0; k+1 < len(pairs); k += 2 {
		text := fmt.Sprint(pairs[k+1])
		switch value := pairs[k+1].(type) {
		case int:
			if value == 0 {
				continue
			}
		case float64:
			if value == 0 {
				continue
			}
			text = Real(value)
		}
		if text == "" {
			continue
		}
		escaped, err := escape(text)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ` %s="%s"`, pairs[k], escaped)
	}
	return b.String(), nil
}

// namespaces lists one element for each namespace prefix that the given elements and the elements
// inside them use.
func namespaces(elements []fmi.Element) (list []fmi.Element) {
	for _, e := range elements {
		for _, found := range append([]fmi.Element{e}, namespaces(e.Elements)...) {
			known := func(other fmi.Element) bool { return other.Prefix == found.Prefix }
			if found.Prefix != "" && !slices.ContainsFunc(list, known) {
				list = append(list, found)
			}
		}
	}
	return list
}

// qualified returns the name of an element with the prefix of its namespace.
func qualified(e fmi.Element) string {
	if e.Prefix == "" {
		return e.Name
	}
	return e.Prefix + ":" + e.Name
}

// factor returns the text of a factor; empty for a unit that does not scale: 0 stands for 1.
func factor(x float64) string {
	if x == 0 || x == 1 {
		return ""
	}
	return Real(x)
}

// bound formats a minimum or maximum in the variable's type; empty if there is none.
func bound(v *fmu.Variable, limit *float64) string {
	switch {
	case limit == nil:
		return ""
	case v.Type.IsInteger(): // without an exponent
		return strconv.FormatFloat(*limit, 'f', -1, 64)
	}
	return Real(*limit)
}

// start writes the start attribute. Unlike other attributes, it may be an empty text.
func start(v *fmu.Variable) (string, error) {
	if v.Start == nil {
		return "", nil
	}
	text, err := escape(StartText(v))
	return ` start="` + text + `"`, err
}

// StartText returns a variable's start value in its XML spelling; empty if there is none.
func StartText(v *fmu.Variable) string {
	switch x := v.Start.(type) {
	case nil:
		return ""
	case float64:
		return Real(x)
	default:
		return fmi.FormatValue(x)
	}
}

// unknown is an entry of ModelStructure. It names a variable by its position, from 1, or in FMI 3.0
// by its value reference, and in the same way the variables on which it depends, if they are known.
// Otherwise it may depend on all.
type unknown struct {
	Index        int
	Reference    fmi.ValueReference
	Known        bool
	Dependencies string
}

func outputs(t *fmu.Variables) (list []unknown) {
	for _, v := range t.All() {
		if v.Causality == fmi.Output {
			list = append(list, unknown{Index: v.Position + 1, Reference: v.Reference(fmi.FMI3),
				Known: true})
		}
	}
	return list
}

// initialUnknowns returns the calculated outputs and parameters (FMI 2.0, 2.2.8), in the ascending
// order of the table.
func initialUnknowns(t *fmu.Variables) (list []unknown) {
	for _, v := range t.All() {
		// a clock has no initial, and is not known before the first event
		calculated := v.Initial == fmi.Calculated || v.Initial == fmi.Approx || v.Type == fmi.Clock
		if v.Causality == fmi.CalculatedParameter || v.Causality == fmi.Output && calculated {
			list = append(list, unknown{v.Position + 1, v.Reference(fmi.FMI3), v.DependsOn != nil,
				dependencies(t, v)})
		}
	}
	return list
}

func dependencies(t *fmu.Variables, v *fmu.Variable) string {
	var indices []int
	for _, name := range v.DependsOn {
		if known := t.Named(name); t.Version >= fmi.FMI3 {
			indices = append(indices, int(known.Reference(t.Version)))
		} else {
			indices = append(indices, known.Position+1)
		}
	}
	slices.Sort(indices)
	var words []string
	for _, index := range slices.Compact(indices) {
		words = append(words, strconv.Itoa(index))
	}
	return strings.Join(words, " ")
}
