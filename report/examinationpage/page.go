package examinationpage

import (
	_ "embed" // for the page templates
	"fmt"
	"io"

	"gosmp/importer/examine"
	"gosmp/internal/finding"
	"gosmp/internal/release"
	"gosmp/report/internal/page"
)

//go:embed page.html
var form string

//go:embed system.html
var systemForm string

//go:embed examination.html
var parts string

// content holds the data of the page of an FMU, or of a part of the page of a system.
type content struct {
	*examine.Report
	Name                             string // of a part
	Anchor                           string // of a part
	Connection                       bool   // the part is a connection
	Refuted, Notes, Proved, Untested []rule
	Gosmp                            string
	Seconds                          float64
}

// rule is a verdict with a unique name on its page.
type rule struct {
	examine.Verdict
	Anchor string
}

// Write writes the page of an examination.
func Write(to io.Writer, r *examine.Report) error {
	return page.Write(to, parts+form, newContent(r, ""))
}

// newContent sorts the verdicts of an examination by outcome. The names of its rules on the page
// begin with anchor.
func newContent(r *examine.Report, anchor string) *content {
	c := &content{Report: r, Anchor: anchor, Gosmp: release.Version, Seconds: r.Time.Seconds()}
	for _, v := range r.Verdicts {
		one := rule{v, anchor + v.ID}
		switch {
		case v.Outcome == examine.Proved:
			c.Proved = append(c.Proved, one)
		case v.Outcome == examine.NotTested:
			c.Untested = append(c.Untested, one)
		case v.Severity == finding.Note:
			c.Notes = append(c.Notes, one)
		default:
			c.Refuted = append(c.Refuted, one)
		}
	}
	return c
}

// Part is the examination of an FMU or a connection of a system.
type Part struct {
	Name       string // such as "components front, rear"
	Connection bool   // it is a connection, not an FMU
	Report     *examine.Report
}

// System holds the examinations of the parts of a system.
type System struct {
	File     string
	Findings finding.List // about the system itself, without running it
	Parts    []Part
}

// systemContent holds the data of the page of a system.
type systemContent struct {
	File    string
	Read    finding.List
	Parts   []*content
	Refuted int
	Errors  int // found by reading
	Trials  int
	Gosmp   string
	Seconds float64
}

// WriteSystem writes the page of the examination of a system.
func WriteSystem(to io.Writer, s *System) error {
	c := &systemContent{File: s.File, Read: s.Findings, Gosmp: release.Version,
		Errors: s.Findings.Count(finding.Error)}
	for k, p := range s.Parts {
		one := newContent(p.Report, fmt.Sprintf("part%d-", k+1))
		one.Name, one.Connection = p.Name, p.Connection
		c.Parts = append(c.Parts, one)
		c.Refuted += len(one.Refuted)
		c.Trials += p.Report.Trials
		c.Seconds += one.Seconds
	}
	return page.Write(to, parts+systemForm, c)
}
