package ssp

import (
	"fmt"
	"os"
	"slices"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/startfile"
)

// judgeFiles reports start values that name files which the FMU of a component cannot read. A file
// may be in the working directory, next to the description, or in the FMU.
func (l *loader) judgeFiles(e *element) {
	for _, s := range e.component.Starts {
		v := e.fmu.variable(s.Variable)
		if v == nil || v.Type != fmi.String {
			continue
		}
		for _, value := range s.Values {
			err := startfile.Missing(s.Variable, value, func(name string) bool {
				return !e.doc.home.packed() && exists(e.doc.home.path(name)) ||
					startfile.In(l.inFMU(e).names(), name)
			})
			if err == nil {
				continue
			}
			l.findings = slices.DeleteFunc(l.findings, func(f finding.Finding) bool {
				return f.ID == "SSP-P5" && sameLine(f.Place, s.Place)
			})
			l.find("SSP-P6", s.Place, fmt.Sprintf("the start value of %s.%s names the file %q: %v",
				e.component.Name, s.Variable, value, err),
				"correct the name, or put the file there")
		}
	}
}

// exists reports whether there is a file or folder.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func sameLine(a, b fault.Place) bool {
	return a.File == b.File && a.Entry == b.Entry && a.Line == b.Line && a.Column == b.Column
}
