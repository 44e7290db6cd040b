package trial

import (
	"fmt"
	"io/fs"
	"path"

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
