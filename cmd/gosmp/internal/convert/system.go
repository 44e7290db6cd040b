package convert

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer"
	"gosmp/importer/ssp"
	"gosmp/importer/system"
	"gosmp/run"
	"gosmp/run/kind"
	"gosmp/run/usage"
)

// systemFlags holds the flags for conversions that write a system.
type systemFlags struct {
	Variant    string       `placeholder:"NAME" help:"Description to use in a package, if not SystemStructure.ssd."`
	Connect    []string     `sep:"none" placeholder:"A.Y=B.U" help:"Connect output Y of FMU A to input U of FMU B; may be repeated. A binary variable of OSMP is one variable."`
	StartValue []string     `sep:"none" placeholder:"FMU.NAME=VALUE" help:"Start value, in the unit of the variable; may be repeated."`
	StartTime  *cli.Seconds `placeholder:"S" help:"Start time of a run, in seconds."`
	StopTime   *cli.Seconds `placeholder:"S" help:"Stop time of a run, in seconds."`
	StepSize   []string     `sep:"none" placeholder:"[FMU=]S" help:"Step between communication points, for all FMUs or for one; may be repeated."`
}

// writesSystem reports whether the output is a system package.
func (c *Command) writesSystem() bool {
	return strings.EqualFold(filepath.Ext(c.Out), ".ssp") || slices.ContainsFunc(c.Files,
		kind.IsSystem)
}

// convertSystem writes the system described by the files and flags.
func (c *Command) convertSystem() (err error) {
	s, err := c.system()
	if s != nil {
		defer func() { err = errors.Join(err, s.Close()) }()
	}
	if err != nil {
		return err
	}
	if err := c.System.apply(s); err != nil {
		return err
	}
	write := func(w io.Writer) error { return ssp.Write(w, s) }
	if err := cli.WriteFile(c.Out, write); err != nil || c.JSON {
		return err
	}
	return cli.Announce(c.Out)
}

// system returns the system described by the files.
func (c *Command) system() (*ssp.System, error) {
	structures := slices.ContainsFunc(c.Files, kind.IsSystem)
	switch {
	case structures && len(c.Files) > 1:
		return nil, cli.Unexpected("convert", "a system among other files", "one system, or FMUs")
	case structures:
		s, _, err := ssp.Load(c.Files[0], ssp.Options{Variant: c.System.Variant})
		return s, err
	case c.System.Variant != "":
		return nil, cli.Unexpected("--variant", strings.Join(c.Files, " "),
			"a system in a package (.ssp)")
	}
	name := strings.TrimSuffix(filepath.Base(c.Out), filepath.Ext(c.Out))
	s := &ssp.System{Version: "1.0", Name: name, Title: name}
	names, files, err := system.Names(c.Files)
	if err != nil {
		return nil, cli.Invalid("convert", err)
	}
	for k, file := range files {
		f, err := archive.Open(file)
		if err != nil {
			return nil, err
		}
		s.Components = append(s.Components, &ssp.Component{
			Name: names[k], Path: []string{names[k]}, Type: ssp.FMUType,
			Source: filepath.ToSlash(file), File: file, Mode: "CoSimulation", FMU: f,
		})
	}
	return s, nil
}

// apply applies the flags to the system.
func (c *systemFlags) apply(s *ssp.System) error {
	for _, text := range c.Connect {
		if err := connectFMUs(s, text); err != nil {
			return err
		}
	}
	if err := setStarts(s, c.StartValue); err != nil {
		return err
	}
	if c.StartTime != nil {
		s.Experiment.Start = c.StartTime.Value()
	}
	if c.StopTime != nil {
		s.Experiment.Stop = c.StopTime.Value()
	}
	for _, text := range c.StepSize {
		if err := setStep(s, text); err != nil {
			return err
		}
	}
	return nil
}

// endOf returns the port named by a text such as FMU.NAME or FMU.NAME[1].
func endOf(s *ssp.System, flag, text string) (p ssp.Port, err error) {
	p, c, ok := s.EndOf(text)
	if ok {
		return p, nil
	}
	var names []string
	if c != nil {
		for _, v := range c.FMU.Model.Variables {
			names = append(names, c.Name+"."+v.Name)
		}
		return p, cli.Unexpected(flag, fmt.Sprintf("%q", text), usage.NearOr(text, names,
			"a variable of "+c.Name))
	}
	for _, c := range s.Components {
		names = append(names, c.Name)
	}
	return p, cli.Unexpected(flag, fmt.Sprintf("%q", text), "FMU.NAME with one of the FMUs "+
		strings.Join(names, ", "))
}

// connectFMUs adds a connection given as A.Y=B.U. Because names may contain =, it tries each = as
// the separator.
func connectFMUs(s *ssp.System, text string) error {
	const flag = "--connect"
	err := cli.Unexpected(flag, fmt.Sprintf("%q", text), "FMU.OUTPUT=FMU.INPUT")
	first := true
	for k := range text {
		if text[k] != '=' {
			continue
		}
		from, wrong := endOf(s, flag, text[:k])
		to, wrongToo := endOf(s, flag, text[k+1:])
		if wrong = cmp.Or(wrong, wrongToo); wrong == nil {
			if err := s.Connect(from, to); err != nil {
				return cli.Invalid(flag, err)
			}
			return nil
		}
		if first {
			err, first = wrong, false
		}
	}
	return err
}

// setStarts adds start values given as FMU.NAME=VALUE. It checks them together, because structural
// parameters determine the sizes of arrays.
func setStarts(s *ssp.System, texts []string) error {
	const flag = "--start-value"
	given := map[*ssp.Component][]importer.StartValue{}
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		if !found {
			return cli.Unexpected(flag, fmt.Sprintf("%q", text), "FMU.NAME=VALUE")
		}
		p, err := endOf(s, flag, name)
		if err != nil {
			return err
		}
		c := s.Component(p.Component)
		if c.FMU == nil || len(p.Indices) > 0 || !isVariable(c, p.Connector) {
			return cli.Unexpected(flag, fmt.Sprintf("%q", name), "a plain variable of an FMU")
		}
		given[c] = append(given[c], importer.StartValue{Name: p.Connector, Value: value})
	}
	for _, c := range s.Components {
		if err := setStartsOf(c, given[c]); err != nil {
			return cli.Invalid(flag, err)
		}
	}
	return nil
}

// isVariable reports whether a name is a variable of an FMU rather than a message.
func isVariable(c *ssp.Component, name string) bool {
	return slices.ContainsFunc(c.FMU.Model.Variables, func(v archive.Variable) bool {
		return v.Name == name || slices.ContainsFunc(v.Aliases,
			func(a archive.Alias) bool { return a.Name == name })
	})
}

// setStartsOf adds start values to the existing ones of a component.
func setStartsOf(c *ssp.Component, values []importer.StartValue) error {
	if len(values) == 0 {
		return nil
	}
	all := slices.Clone(values)
	for _, own := range c.Starts {
		same := func(v importer.StartValue) bool { return v.Name == own.Variable }
		structural := func(v archive.Variable) bool {
			return v.Name == own.Variable && v.Causality == fmi.StructuralParameter
		}
		if !slices.ContainsFunc(values, same) && slices.ContainsFunc(c.FMU.Model.Variables,
			structural) {
			all = append(all, importer.StartValue{Name: own.Variable, Elements: own.Values})
		}
	}
	plain, err := importer.PlainStarts(c.FMU.Model, all)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	for k, v := range values {
		if err := c.SetStart(v.Name, plain[k]); err != nil {
			return err
		}
	}
	return nil
}

// setStep stores a step size given as S or FMU=S.
func setStep(s *ssp.System, text string) error {
	const flag = "--step-size"
	name, number := "", text
	if k := strings.LastIndexByte(text, '='); k >= 0 {
		name, number = text[:k], text[k+1:]
	}
	step, err := run.ParseStep(number)
	if err != nil {
		return cli.Invalid(flag, err)
	}
	if name == "" {
		s.Experiment.Step = ssp.Step{Seconds: step, Origin: flag}
		return nil
	}
	c := s.Component(name)
	if c == nil {
		return cli.Unexpected(flag, fmt.Sprintf("%q", name), "the name of an FMU")
	}
	c.Step = ssp.Step{Seconds: step, Origin: flag}
	return nil
}
