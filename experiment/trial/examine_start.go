package trial

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/internal/finding"
	"gosmp/internal/startfile"
)

// startFiles reports start values that name files which an FMU cannot read. Only the FMU knows what
// its texts mean, so these are warnings.
func (x *examiner) startFiles(p experiment.Participant) {
	for _, s := range p.Start {
		v, known := x.parts[p.Name][s.Name]
		if !known || v.Kind != cosim.String {
			continue
		}
		err := startfile.Missing(s.Name, s.Value, func(name string) bool {
			return x.reads(p, name)
		})
		if err == nil {
			continue
		}
		x.add("BI05", finding.Warning, x.inBIBI(s.Position, p.Name+"."+s.Name),
			fmt.Sprintf("the start value %s names the file %q: %v", s.Name, s.Value, err),
			"correct the name, or put the file there")
	}
}

// startNumbers reports start values that an FMU accepts although they mean nothing: NaN, and
// numbers of an enumeration that are not the number of an item.
func (x *examiner) startNumbers(p experiment.Participant) {
	for _, s := range p.Start {
		v := x.parts[p.Name][s.Name]
		for _, text := range strings.Fields(s.Value) {
			number, err := strconv.ParseFloat(text, 64)
			is := func(i cosim.Item) bool { return float64(i.Value) == number }
			message, remedy := "", ""
			switch {
			case err != nil:
			case v.Kind.IsFloat() && math.IsNaN(number):
				message, remedy = "is not a number", "write a number"
			case len(v.Items) > 0 && !slices.ContainsFunc(v.Items, is):
				message = "is not the number of an item of its enumeration"
				remedy = "take " + itemList(v.Items)
			}
			if message != "" {
				x.add("BI05", finding.Warning, x.inBIBI(s.Position, p.Name+"."+s.Name),
					fmt.Sprintf("the start value %s=%s %s", s.Name, text, message), remedy)
			}
		}
	}
}

// itemList names the first items of an enumeration: one of -1 (R), 1 (D).
func itemList(items []cosim.Item) string {
	const most = 8
	var names []string
	for _, i := range items[:min(len(items), most)] {
		names = append(names, fmt.Sprintf("%d (%s)", i.Value, i.Name))
	}
	if len(items) > most {
		names = append(names, "...")
	}
	return "one of " + strings.Join(names, ", ")
}

// reads reports whether a file is in the experiment or in an FMU.
func (x *examiner) reads(p experiment.Participant, name string) bool {
	for _, folder := range []string{"", path.Dir(x.t.description.BIBI.Src)} {
		if _, err := fs.Stat(x.t.options.Files, path.Join(folder, name)); err == nil {
			return true
		}
	}
	m, err := x.t.options.FMU(p)
	return err == nil && startfile.In(m.Files, name)
}
