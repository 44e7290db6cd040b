package system

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/ssp"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// Read builds a system from a package (.ssp) or a description (.ssd). variant is the description in
// a package; empty means SystemStructure.ssd.
func Read(file, variant string) (*System, error) { return ReadBeside(file, variant, nil) }

// ReadBeside is like Read, but for a system that is part of a larger one. A component without a
// source is omitted if its name is in others: the caller adds a participant with this name, to
// which [System.Connections] refers.
func ReadBeside(file, variant string, others []string) (*System, error) {
	return ReadWith(file, ssp.Options{Variant: variant}, others)
}

// ReadWith is like ReadBeside, but accepts all options for structures.
func ReadWith(file string, o ssp.Options, others []string) (*System, error) {
	structure, err := load(file, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = structure.Close() }() // opened for reading only
	s := &System{File: file, Warnings: lines(changing(structure.Findings))}
	return s, s.read(structure, others)
}

// load reads a structure that can be run. The caller must close it.
func load(file string, o ssp.Options) (*ssp.System, error) {
	structure, _, err := ssp.Load(file, o)
	if err == nil {
		err = structure.Runnable()
	}
	if err != nil && structure != nil {
		err = errors.Join(err, structure.Close())
	}
	return structure, err
}

// Changing reads a structure that can be run, and returns the findings about content that does not
// do what it says: values that have no effect. A run warns of them.
func Changing(file string, o ssp.Options) (finding.List, error) {
	structure, err := load(file, o)
	if err != nil {
		return nil, err
	}
	return changing(structure.Findings), structure.Close()
}

func changing(list finding.List) (some finding.List) {
	for _, f := range list {
		if slices.Contains([]string{"SSP-S12", "SSP-P2", "SSP-P6"}, f.ID) {
			some = append(some, f)
		}
	}
	return some
}

// lines returns one line for each finding.
func lines(list finding.List) (lines []string) {
	for _, f := range list {
		lines = append(lines, f.Place.String()+": "+f.Message+" ["+f.ID+"]")
	}
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("%d more findings, which gosmp check reports",
			more))
	}
	return lines
}

// mostLines is the maximum number of findings of which a run warns.
const mostLines = 10

// read opens the FMUs, which also unpacks them into the cache, and applies the content of the
// structure.
func (s *System) read(structure *ssp.System, others []string) error {
	folder, err := os.MkdirTemp("", "gosmp-system-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // all required files are in the cache
	if err := structure.Unpack(folder); err != nil {
		return err
	}
	read := map[string]*importer.FMU{}
	for _, c := range structure.Components {
		if c.Placeholder() && slices.Contains(others, c.Name) {
			continue
		}
		if err := s.addComponent(c, read); err != nil {
			return err
		}
	}
	if len(s.Parts) == 0 && len(others) == 0 {
		return fault.New(importer.ErrInvalid, fault.Place{File: s.File}, "no component",
			"at least one, because nothing can be run")
	}
	for _, c := range structure.Connections {
		s.Connections = append(s.Connections, connectionOf(c))
	}
	for _, c := range structure.Boundary {
		x := connectionOf(c)
		x.From, x.To = strings.TrimPrefix(x.From, "."), strings.TrimPrefix(x.To, ".")
		s.Boundary = append(s.Boundary, x)
	}
	x := structure.Experiment
	if x.Start != nil {
		s.Start = Value{*x.Start, "the system's"}
	}
	if x.Stop != nil {
		s.Stop = Value{*x.Stop, x.StopOrigin}
	}
	if x.Step.Seconds > 0 {
		s.Step = Value{x.Step.Seconds, x.Step.Origin}
	}
	s.propose()
	return nil
}

// addComponent adds a component. Components with the same FMU share the data read from it.
func (s *System) addComponent(c *ssp.Component, read map[string]*importer.FMU) error {
	if c.IsTable() {
		return s.addTable(c)
	}
	if c.File == "" || c.FMU == nil {
		return fault.New(importer.ErrInvalid, c.Place,
			fmt.Sprintf("the component %q without an FMU", c.Name), "a source that is an FMU").
			WithHint("gosmp check reports details about the system")
	}
	source := c.File
	if c.Entry != "" {
		source = s.File + "/" + c.Entry
	}
	f := read[source]
	if f == nil {
		var err error
		if f, err = importer.Open(c.File); err != nil {
			var known *Error
			if errors.As(err, &known) {
				known.Place.File = source
			}
			return err
		}
		f.Path = source // the path given by the user, not the copy's path
		read[source] = f
	}
	p := &Part{Name: c.Name, FMU: f}
	if c.Step.Seconds > 0 {
		p.Step = Value{c.Step.Seconds, c.Step.Origin}
	}
	for _, v := range c.Starts {
		start := importer.StartValue{Name: v.Variable, Elements: v.Values}
		if len(v.Values) == 1 {
			start = importer.StartValue{Name: v.Variable, Value: v.Values[0]}
		}
		p.Start = append(p.Start, start)
	}
	s.Parts = append(s.Parts, p)
	return nil
}

// addTable adds a table of values over time.
func (s *System) addTable(c *ssp.Component) error {
	table, err := c.Table()
	if err != nil {
		return err
	}
	s.Parts = append(s.Parts, &Part{Name: c.Name, Values: table})
	return nil
}

func connectionOf(c *ssp.Connection) cosim.Connection {
	t := c.Transformation
	x := cosim.Connection{From: c.From.Component + "." + c.From.Connector, To: c.To.Component +
		"." + c.To.Connector,
		FromIndices: whole(c.From.Indices), ToIndices: whole(c.To.Indices), Initial: c.Initial}
	if len(t.Map) > 0 {
		pairs := make([]cosim.Pair, len(t.Map))
		for k, e := range t.Map {
			pairs[k] = cosim.Pair{From: e.Source, To: e.Target}
		}
		x.Conversions = append(x.Conversions, cosim.Mapped(pairs...))
	}
	if t.Factor != 1 || t.Offset != 0 {
		x.Conversions = append(x.Conversions, cosim.Linear(t.Factor, t.Offset))
	}
	return x
}

// whole converts indices, which are small, to values of type int.
func whole(indices []uint64) (list []int) {
	for _, n := range indices {
		list = append(list, int(min(n, math.MaxInt32)))
	}
	return list
}
