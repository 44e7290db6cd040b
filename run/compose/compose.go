// Package compose builds systems of FMUs from files and connections, as gosmp convert does.
//
//	s, err := compose.System(compose.Options{Name: "drive",
//		Files:   []string{"OSMPSource.fmu", "OSMPDummySensor.fmu"},
//		Connect: []string{"OSMPSource.OSMPSensorViewOut=OSMPDummySensor.OSMPSensorViewIn"}})
//	err = ssp.Write(w, s)
//	err = s.Close()
//
// Errors name the option, such as --connect, and what was found and expected.
package compose

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer"
	"gosmp/importer/ssp"
	"gosmp/importer/system"
	"gosmp/run"
	"gosmp/run/kind"
	"gosmp/run/usage"
)

// Options describe a system.
type Options struct {
	Files       []string // FMUs, each as FILE or NAME=FILE, or a single system (.ssp, .ssd)
	Name        string   // of a system of FMUs
	Variant     string   // the description in a package, if not SystemStructure.ssd
	Connect     []string // FMU.OUTPUT=FMU.INPUT, added to the connections that exist
	StartValues []string // FMU.NAME=VALUE, in the unit of the variable
	StartTime   *float64 // s; nil leaves it as it is
	StopTime    *float64 // s; nil leaves it as it is
	StepSizes   []string // S for all FMUs, or FMU=S for one of them, in s
}

// System returns a system, which the caller must close. It may return a system together with an
// error.
func System(o Options) (*ssp.System, error) {
	s, err := o.open()
	if err != nil {
		return s, err
	}
	return s, o.apply(s)
}

// open returns the system described by the files.
func (o *Options) open() (*ssp.System, error) {
	structures := slices.ContainsFunc(o.Files, kind.IsSystem)
	switch {
	case structures && len(o.Files) > 1:
		return nil, usage.Unexpected("convert", "a system among other files", "one system, or FMUs")
	case structures:
		s, _, err := ssp.Load(o.Files[0], ssp.Options{Variant: o.Variant})
		return s, err
	case o.Variant != "":
		return nil, usage.Unexpected("--variant", strings.Join(o.Files, " "),
			"a system in a package (.ssp)")
	}
	s := &ssp.System{Version: "1.0", Name: o.Name, Title: o.Name}
	names, files, err := system.Names(o.Files)
	if err != nil {
		return nil, usage.Invalid("convert", err)
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

// apply changes the system.
func (o *Options) apply(s *ssp.System) error {
	for _, text := range o.Connect {
		if err := connectFMUs(s, text); err != nil {
			return err
		}
	}
	if err := setStarts(s, o.StartValues); err != nil {
		return err
	}
	if o.StartTime != nil {
		s.Experiment.Start = o.StartTime
	}
	if o.StopTime != nil {
		s.Experiment.Stop = o.StopTime
	}
	for _, text := range o.StepSizes {
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
		return p, usage.Unexpected(flag, fmt.Sprintf("%q", text), usage.NearOr(text, names,
			"a variable of "+c.Name))
	}
	for _, c := range s.Components {
		names = append(names, c.Name)
	}
	return p, usage.Unexpected(flag, fmt.Sprintf("%q", text), "FMU.NAME with one of the FMUs "+
		strings.Join(names, ", "))
}

// connectFMUs adds a connection given as A.Y=B.U. Because names may contain =, it tries each = as
// the separator.
func connectFMUs(s *ssp.System, text string) error {
	const flag = "--connect"
	err := usage.Unexpected(flag, fmt.Sprintf("%q", text), "FMU.OUTPUT=FMU.INPUT")
	first := true
	for k := range text {
		if text[k] != '=' {
			continue
		}
		from, wrong := endOf(s, flag, text[:k])
		to, wrongToo := endOf(s, flag, text[k+1:])
		if wrong = cmp.Or(wrong, wrongToo); wrong == nil {
			if err := s.Connect(from, to); err != nil {
				return usage.Invalid(flag, err)
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
			return usage.Unexpected(flag, fmt.Sprintf("%q", text), "FMU.NAME=VALUE")
		}
		p, err := endOf(s, flag, name)
		if err != nil {
			return err
		}
		c := s.Component(p.Component)
		if c.FMU == nil || len(p.Indices) > 0 || !isVariable(c, p.Connector) {
			return usage.Unexpected(flag, fmt.Sprintf("%q", name), "a plain variable of an FMU")
		}
		given[c] = append(given[c], importer.StartValue{Name: p.Connector, Value: value})
	}
	for _, c := range s.Components {
		if err := setStartsOf(c, given[c]); err != nil {
			return usage.Invalid(flag, err)
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
		return usage.Invalid(flag, err)
	}
	if name == "" {
		s.Experiment.Step = ssp.Step{Seconds: step, Origin: flag}
		return nil
	}
	c := s.Component(name)
	if c == nil {
		return usage.Unexpected(flag, fmt.Sprintf("%q", name), "the name of an FMU")
	}
	c.Step = ssp.Step{Seconds: step, Origin: flag}
	return nil
}
