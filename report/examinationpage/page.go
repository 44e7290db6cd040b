package examinationpage

import (
	_ "embed" // for the page template
	"io"

	"gosmp/importer/examine"
	"gosmp/internal/finding"
	"gosmp/internal/release"
	"gosmp/report/internal/page"
)

//go:embed page.html
var form string

// content holds the data of the page.
type content struct {
	*examine.Report
	Refuted, Notes, Proved, Untested []examine.Verdict
	Gosmp                            string
	Seconds                          float64
}

// Write writes the page of an examination.
func Write(to io.Writer, r *examine.Report) error {
	c := &content{Report: r, Gosmp: release.Version, Seconds: r.Time.Seconds()}
	for _, v := range r.Verdicts {
		switch {
		case v.Outcome == examine.Proved:
			c.Proved = append(c.Proved, v)
		case v.Outcome == examine.NotTested:
			c.Untested = append(c.Untested, v)
		case v.Severity == finding.Note:
			c.Notes = append(c.Notes, v)
		default:
			c.Refuted = append(c.Refuted, v)
		}
	}
	return page.Write(to, form, c)
}
