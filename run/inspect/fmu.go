package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"gosmp/fmi/archive"
	fmicheck "gosmp/fmi/check"
	"gosmp/internal/finding"
	"gosmp/osmp/check"
)

// FMU is the content of an FMU.
type FMU struct {
	FormatVersion int                       `json:"formatVersion"`
	File          string                    `json:"file"`
	Size          int64                     `json:"size"` // in bytes
	Model         *archive.ModelDescription `json:"model"`
	OSMP          *check.Report             `json:"osmp"`
	Platforms     []archive.Platform        `json:"platforms"`
	Sources       []archive.File            `json:"sources"`
	Resources     []archive.File            `json:"resources"`
	Documentation archive.Documentation     `json:"documentation"`
	Files         []archive.File            `json:"files"`
	Problems      []Problem                 `json:"problems"`
}

// Problem is a finding with its place as a name.
type Problem struct {
	Severity finding.Severity `json:"severity"`
	// its id, such as "FMI2-V3" or "OSMP-A8"
	Rule string `json:"rule"`
	// the file inside the archive, the element or the variable
	Place string `json:"place"`
	// in modelDescription.xml, from 1; 0 if the problem is elsewhere
	Line    int    `json:"line"`
	Column  int    `json:"column"`  // as Line
	Message string `json:"message"` // what was found and what was expected
}

// problems joins lists of findings.
func problems(lists ...finding.List) []Problem {
	all := []Problem{}
	for _, f := range slices.Concat(lists...) {
		all = append(all, Problem{f.Severity, f.ID, cmp.Or(f.Place.Object, f.Place.Entry),
			f.Place.Line, f.Place.Column, f.Message})
	}
	return all
}

func (p Problem) String() string {
	place := archive.Plain(p.Place)
	if p.Line > 0 {
		place = fmt.Sprintf("%s (line %d)", place, p.Line)
	}
	return fmt.Sprintf("%s: %s: %s [%s]", p.Severity, place, archive.Plain(p.Message), p.Rule)
}

// ReadFMU reads an FMU, or the folder of an unpacked one, without running it.
func ReadFMU(name string) (*FMU, error) {
	f, err := archive.Open(name)
	if err != nil {
		return nil, err
	}
	found, err := fmicheck.File(name, fmicheck.Options{})
	if err != nil {
		return nil, err
	}
	report := check.Examine(f.Model)
	return &FMU{
		FormatVersion: 1, File: name, Size: f.Size, Model: f.Model, OSMP: report,
		Platforms: f.Platforms, Sources: f.Sources, Resources: f.Resources,
		Documentation: f.Documentation, Files: f.Files,
		Problems: problems(found.Findings, report.Problems),
	}, nil
}

// Count returns the number of problems of a severity.
func (d *FMU) Count(s finding.Severity) (n int) {
	for _, p := range d.Problems {
		if p.Severity == s {
			n++
		}
	}
	return n
}
