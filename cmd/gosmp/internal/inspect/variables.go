package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/osmp"
	"gosmp/osmp/check"
)

// binaryVariables prints the notional binary variables.
func (t *inspection) binaryVariables() {
	if len(t.OSMP.Variables) == 0 {
		return
	}
	t.title("Binary variables")
	references := "lo/hi/size"
	if slices.ContainsFunc(t.OSMP.Variables, func(n check.Variable) bool {
		return n.ValueReferences.Full != nil
	}) {
		references = "reference"
	}
	rows := [][]string{{"name", references, "message", "version", "causality", "variability",
		"MIME type"}}
	for _, n := range t.OSMP.Variables {
		rows = append(rows, []string{n.Name, valueReferences(n.ValueReferences), dash(n.Message),
			dash(n.MessageVersion),
			string(n.Causality), string(n.Variability), dash(n.MIMEType)})
	}
	t.rows(rows)
}

// valueReferences lists the value references of the actual variables, with a dash for each missing
// one.
func valueReferences(r check.References) string {
	if r.Full != nil {
		return strconv.FormatUint(uint64(*r.Full), 10)
	}
	var list []string
	for _, reference := range []*uint32{r.BaseLo, r.BaseHi, r.Size} {
		if reference == nil {
			list = append(list, "-")
		} else {
			list = append(list, strconv.FormatUint(uint64(*reference), 10))
		}
	}
	return strings.Join(list, "/")
}

// variables prints the variables of a section that are not part of a binary variable.
func (t *inspection) variables(s section) {
	// References come first, where a narrow terminal does not cut them off.
	rows := [][]string{{"name", "reference", "type", "start", "unit", "causality", "variability",
		"initial", "min", "max",
		"description"}}
	for k := range t.Model.Variables {
		v := &t.Model.Variables[k]
		notionalPart := slices.ContainsFunc(v.Annotations,
			func(a fmi.Annotation) bool { return a.Tool == osmp.Tool })
		if notionalPart || !s.holds(v) {
			continue
		}
		rows = append(rows, []string{v.Name + dimensions(v),
			strconv.FormatUint(uint64(v.ValueReference), 10), v.Type.String(), start(v),
			dash(v.Unit), string(v.Causality), string(v.Variability), dash(string(v.Initial)),
			dash(v.Min), dash(v.Max),
			v.Description})
		for _, a := range v.Aliases {
			rows = append(rows, []string{a.Name, strconv.FormatUint(uint64(v.ValueReference), 10),
				v.Type.String(), "", "", "alias of", v.Name, "", "", "", a.Description})
		}
	}
	if len(rows) > 1 {
		t.title(s.title)
		t.rows(rows)
	}
}

// dimensions returns the size of an array in brackets, with #reference for a size that is given by
// a structural parameter.
func dimensions(v *archive.Variable) string {
	if len(v.Dimensions) == 0 {
		return ""
	}
	var list []string
	for _, d := range v.Dimensions {
		switch {
		case d.Start != nil:
			list = append(list, strconv.FormatUint(*d.Start, 10))
		case d.ValueReference != nil:
			list = append(list, "#"+strconv.FormatUint(uint64(*d.ValueReference), 10))
		}
	}
	return " [" + strings.Join(list, ",") + "]"
}

// start returns the start value. Texts are quoted, so that an empty one is visible.
func start(v *archive.Variable) string {
	if len(v.Start) == 0 {
		return "-"
	}
	list := v.Start
	if v.Type == fmi.String || v.Type == fmi.Binary {
		list = nil
		for _, text := range v.Start {
			list = append(list, strconv.Quote(text))
		}
	}
	return strings.Join(list, " ")
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// definitions prints units, enumerations and log categories.
func (t *inspection) definitions() {
	m := t.Model
	if len(m.Units) > 0 {
		t.title("Units")
		var rows [][]string
		for _, u := range m.Units {
			rows = append(rows, []string{u.Name, unit(u)})
		}
		t.rows(rows)
	}
	var rows [][]string
	for _, d := range m.Types {
		for _, item := range d.Items {
			rows = append(rows, []string{d.Name, item.Value, item.Name, item.Description})
		}
	}
	if len(rows) > 0 {
		t.title("Enumerations")
		t.rows(rows)
	}
	if len(m.LogCategories) > 0 {
		t.title("Log categories")
		rows = nil
		for _, c := range m.LogCategories {
			rows = append(rows, []string{c.Name, c.Description})
		}
		t.rows(rows)
	}
}

// unit formats a unit in SI base units, such as "0.01745 rad" or "m s-2".
func unit(u fmi.Unit) string {
	var words []string
	if u.Scale() != 1 {
		words = append(words, strconv.FormatFloat(u.Scale(), 'g', 6, 64))
	}
	for _, b := range u.Powers() {
		if b.Exponent == 1 {
			words = append(words, b.Name)
		} else {
			words = append(words, b.Name+strconv.Itoa(b.Exponent))
		}
	}
	text := strings.Join(words, " ")
	if u.Offset != 0 {
		text += fmt.Sprintf(" %+g", u.Offset)
	}
	if len(u.DisplayUnits) > 0 {
		var shown []string
		for _, d := range u.DisplayUnits {
			shown = append(shown, d.Name)
		}
		text = strings.TrimSpace(text + " shown as " + strings.Join(shown, ", "))
	}
	return dash(strings.TrimSpace(text))
}
