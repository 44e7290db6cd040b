package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/fmi/archive"
	"gosmp/importer/ssp"
)

// systemFlags are the flags of a conversion that writes a system.
type systemFlags struct {
	Variant    string   `placeholder:"NAME" help:"Description to use in a package, if not SystemStructure.ssd."`
	Connect    []string `sep:"none" placeholder:"A.Y=B.U" help:"Connect output Y of FMU A to input U of FMU B; may be repeated. A binary variable of OSMP is one variable."`
	StartValue []string `sep:"none" placeholder:"FMU.NAME=VALUE" help:"Start value, in the unit of the variable; may be repeated."`
	StartTime  *float64 `placeholder:"S" help:"Where a run starts, in seconds."`
	StopTime   *float64 `placeholder:"S" help:"Where a run stops, in seconds."`
	StepSize   []string `sep:"none" placeholder:"[FMU=]S" help:"Step between communication points, for all FMUs or for one; may be repeated."`
}

// writesSystem says that the output is a package of a system.
func (c *convertCommand) writesSystem() bool {
	return strings.EqualFold(filepath.Ext(c.Out), ".ssp") || slices.ContainsFunc(c.Files, isSystem)
}

// convertSystem writes the system that the files and flags describe.
func (c *convertCommand) convertSystem() (err error) {
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
	return writeFile(c.Out, func(w io.Writer) error { return ssp.Write(w, s) })
}

// system returns the system that the files describe.
func (c *convertCommand) system() (*ssp.System, error) {
	structures := slices.ContainsFunc(c.Files, isSystem)
	switch {
	case structures && len(c.Files) > 1:
		return nil, unexpected("convert", "a system among other files", "one system, or FMUs")
	case structures:
		s, _, err := ssp.Load(c.Files[0], ssp.Options{Variant: c.System.Variant})
		return s, err
	case c.System.Variant != "":
		return nil, unexpected("--variant", strings.Join(c.Files, " "), "a system in a package (.ssp)")
	}
	name := strings.TrimSuffix(filepath.Base(c.Out), filepath.Ext(c.Out))
	s := &ssp.System{Version: "1.0", Name: name, Title: name}
	for _, text := range c.Files {
		if err := addFMU(s, text); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// addFMU adds an FMU that is written as FILE or NAME=FILE. Without a name it gets that of the file,
// with a number if that is taken.
func addFMU(s *ssp.System, text string) error {
	name, file, named := strings.Cut(text, "=")
	if _, err := os.Stat(text); err == nil || !named {
		name, file = "", text
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		for base, k := name, 2; s.Component(name) != nil; k++ {
			name = base + strconv.Itoa(k)
		}
	}
	if s.Component(name) != nil {
		return unexpected("convert", fmt.Sprintf("two FMUs named %q", name), "one name for each")
	}
	f, err := archive.Open(file)
	if err != nil {
		return err
	}
	s.Components = append(s.Components, &ssp.Component{
		Name: name, Path: []string{name}, Type: ssp.FMUType, Source: filepath.ToSlash(file), File: file, Mode: "CoSimulation", FMU: f,
	})
	return nil
}

// apply adds the settings of the flags.
func (c *systemFlags) apply(s *ssp.System) error {
	for _, text := range c.Connect {
		if err := connectFMUs(s, text); err != nil {
			return err
		}
	}
	for _, text := range c.StartValue {
		if err := setStart(s, text); err != nil {
			return err
		}
	}
	if c.StartTime != nil {
		s.Experiment.Start = c.StartTime
	}
	if c.StopTime != nil {
		s.Experiment.Stop = c.StopTime
	}
	for _, text := range c.StepSize {
		if err := setStep(s, text); err != nil {
			return err
		}
	}
	return nil
}

// endOf finds the port that a text like FMU.NAME or FMU.NAME[1] names.
func endOf(s *ssp.System, flag, text string) (p ssp.Port, message bool, err error) {
	p, c, message, ok := s.EndOf(text)
	if ok {
		return p, message, nil
	}
	var names []string
	if c != nil {
		for _, v := range c.FMU.Model.Variables {
			names = append(names, c.Name+"."+v.Name)
		}
		return p, false, unexpected(flag, fmt.Sprintf("%q", text), nearOr(text, names, "a variable of "+c.Name))
	}
	for _, c := range s.Components {
		names = append(names, c.Name)
	}
	return p, false, unexpected(flag, fmt.Sprintf("%q", text), "FMU.NAME with one of the FMUs "+strings.Join(names, ", "))
}

func nearOr(name string, names []string, otherwise string) string {
	if near := cosim.Near(name, names); len(near) > 0 {
		return strings.Join(near, " or ")
	}
	return otherwise
}

// connectFMUs adds a connection that is written as A.Y=B.U.
func connectFMUs(s *ssp.System, text string) error {
	const flag = "--connect"
	left, right, found := strings.Cut(text, "=")
	if !found {
		return unexpected(flag, fmt.Sprintf("%q", text), "FMU.OUTPUT=FMU.INPUT")
	}
	from, message, err := endOf(s, flag, left)
	if err != nil {
		return err
	}
	to, messageToo, err := endOf(s, flag, right)
	if err != nil {
		return err
	}
	if message != messageToo {
		return unexpected(flag, text, "two messages or two plain variables")
	}
	if err := s.Connect(from, to, message); err != nil {
		return &usageError{flag, err}
	}
	return nil
}

// setStart adds a start value that is written as FMU.NAME=VALUE.
func setStart(s *ssp.System, text string) error {
	const flag = "--start-value"
	name, value, found := strings.Cut(text, "=")
	if !found {
		return unexpected(flag, fmt.Sprintf("%q", text), "FMU.NAME=VALUE")
	}
	p, message, err := endOf(s, flag, name)
	if err != nil {
		return err
	}
	c := s.Component(p.Component)
	if message || c.FMU == nil || len(p.Indices) > 0 {
		return unexpected(flag, fmt.Sprintf("%q", name), "a plain variable of an FMU")
	}
	if err := c.SetStart(p.Connector, value); err != nil {
		return &usageError{flag, err}
	}
	return nil
}

// setStep notes a step size that is written as S or FMU=S.
func setStep(s *ssp.System, text string) error {
	const flag = "--step-size"
	name, number := "", text
	if k := strings.LastIndexByte(text, '='); k >= 0 {
		name, number = text[:k], text[k+1:]
	}
	step, err := strconv.ParseFloat(number, 64)
	if err != nil || cosim.Every(step).IsZero() {
		return unexpected(flag, number, "from 1e-9 to 1e9 s")
	}
	if name == "" {
		s.Experiment.Step = ssp.Step{Seconds: step, Origin: flag}
		return nil
	}
	c := s.Component(name)
	if c == nil {
		return unexpected(flag, fmt.Sprintf("%q", name), "the name of an FMU")
	}
	c.Step = ssp.Step{Seconds: step, Origin: flag}
	return nil
}
