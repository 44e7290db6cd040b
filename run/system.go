package run

import (
	"fmt"
	"strings"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/ssp"
	"gosmp/importer/system"
	"gosmp/run/kind"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// openSystem reads the FMUs, or the system of FMUs, and connects them.
func (r *Simulation) openSystem() (err error) {
	c := &r.Options
	structures := 0
	for _, argument := range c.Files {
		_, file := system.Named(argument)
		if err := usage.Exists(file); err != nil {
			return err
		}
		if isStructure(argument) {
			structures++
		}
	}
	switch {
	case structures > 0 && len(c.Files) > 1:
		return usage.Unexpected("run", "a system among other files", "one system, or FMUs")
	case structures > 0:
		r.System, err = system.ReadWith(c.Files[0],
			ssp.Options{Variant: c.Variant, Library: c.Library}, nil)
	case c.Variant != "":
		return usage.Unexpected(
			"--variant",
			strings.Join(c.Files, " "),
			"a system in a package (.ssp)",
		)
	default:
		var files []string
		if files, err = r.place(); err == nil {
			r.System, err = system.Open(files, r.openMap, r.openFMU)
		}
	}
	if err != nil {
		return err
	}
	if r.System.File != "" {
		if _, err := r.readFile(r.System.File); err != nil {
			return err
		}
	}
	for _, x := range c.Connections {
		if err := r.System.Link(x.From, x.To); err != nil {
			return err
		}
	}
	if structures == 0 {
		if err := r.connectSeats(); err != nil {
			return err
		}
		if err := r.connectViews(); err != nil {
			return err
		}
	}
	r.System.Negotiate()
	if err := r.System.Extrapolate(c.Extrapolate); err != nil {
		return usage.Invalid("--extrapolate", err)
	}
	r.proposeForMaps()
	return nil
}

// isStructure reports whether a file is a system of FMUs.
func isStructure(file string) bool { return kind.Of(file) == kind.System }

// oneFMU reports whether the run has a single participant, which is an FMU.
func (r *Simulation) oneFMU() bool { return r.One() && r.System.Parts[0].FMU != nil }

// plainState reports whether a state file contains only the state of the FMU. With clocks, the
// engine's state is also needed.
func (r *Simulation) plainState() bool { return r.oneFMU() && !r.System.Parts[0].FMU.Clocked() }

// find looks up a variable named by an option.
func (r *Simulation) find(option, name string) (*system.Part, cosim.Variable, error) {
	p, v, err := r.System.Find(name)
	if err != nil {
		return nil, v, usage.Invalid(option, err)
	}
	return p, v, nil
}

// named finds the variable of an assignment, and its file. Because names may contain =, it tries
// each = as the separator.
func (r *Simulation) named(
	option string,
	a Assignment,
) (p *system.Part, v cosim.Variable, file string, err error) {
	text := a.text()
	for k := len(a.Variable); k < len(text); k++ {
		if text[k] != '=' || k+1 == len(text) {
			continue
		}
		found, variable, wrong := r.find(option, text[:k])
		if wrong == nil {
			return found, variable, text[k+1:], nil
		}
		if err == nil {
			err = wrong
		}
	}
	if err == nil {
		err = usage.Unexpected(option, fmt.Sprintf("%q", text), "NAME=FILE")
	}
	return nil, v, "", err
}

// text returns the assignment as written on the command line.
func (a Assignment) text() string { return a.Variable + "=" + a.Value }

// message logs a message of one of several FMUs, with the FMU's name.
func (r *Simulation) message(m importer.Message) {
	if !r.One() {
		m.Text = m.Instance + ": " + m.Text
	}
	r.log.message(m)
}

// printed logs what an FMU printed.
func (r *Simulation) printed(instance, line string) {
	if !r.One() && instance != "" {
		line = instance + ": " + line
	}
	r.log.printed(line)
}

// notes is an observer that logs the engine's reports to the user.
type notes struct{ r *Simulation }

// Begin logs the reports.
func (n notes) Begin(result *cosim.Result) error {
	for _, text := range result.Notes {
		n.r.log.warn(text)
	}
	return nil
}

// Row does nothing.
func (n notes) Row(timebase.Time, cosim.Row) error { return nil }

// End does nothing.
func (n notes) End(*cosim.Result) error { return nil }

// inputVariables returns the variables of all parts that a file may set, with the names shown to
// the user.
func (r *Simulation) inputVariables() (list []cosim.Variable) {
	for _, p := range r.System.Parts {
		for _, v := range p.Variables() {
			if v.Role == cosim.Input {
				v.Name = r.System.Label(p, v.Name)
				list = append(list, v)
			}
		}
	}
	return list
}
