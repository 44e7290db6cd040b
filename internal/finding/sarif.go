package finding

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"gosmp/internal/fault"
)

// Source returns the content of a file by the name that findings use for it, or nil if it is not
// available, as for a member of an archive, standard input, or a file that is too long.
type Source func(name string) []byte

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Columns string        `json:"columnKind"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     Severity        `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
)

// WriteSARIF writes a SARIF 2.1.0 log with one run, in the form that code hosts and editors read. A
// file inside an archive appears as the path archive/entry. Columns count UTF-16 code units, as
// readers assume, which requires the source of a file: findings without one have no column.
func (l List) WriteSARIF(w io.Writer, tool Tool, source Source) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: tool.Name, Version: tool.Version,
		Rules: []sarifRule{}}},
		Columns: "utf16CodeUnits", Results: []sarifResult{}}
	columns := columnReader{source: source}
	for _, f := range l {
		if rule := (sarifRule{f.ID}); !slices.Contains(run.Tool.Driver.Rules, rule) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		text := f.Explained() + f.further()
		if f.Remedy != "" {
			text += "; " + f.Remedy
		}
		run.Results = append(run.Results,
			sarifResult{RuleID: f.ID, Level: f.Severity, Message: sarifText{text},
				Locations: columns.locations(f.Place)})
	}
	return writeJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0",
		[]sarifRun{run}})
}

// columnReader converts columns in bytes to SARIF columns. It keeps the lines of the last file,
// because findings are grouped by file.
type columnReader struct {
	source Source
	name   string
	lines  [][]byte
}

// column returns the column of a place, or 0 if it is unknown.
func (c *columnReader) column(p fault.Place) int {
	if p.Entry != "" || p.Column < 1 || c.source == nil {
		return 0
	}
	if p.File != c.name {
		text := c.source(p.File)
		if !utf8.Valid(text) {
			text = nil // the reader has converted it from another encoding
		}
		c.name, c.lines = p.File, bytes.SplitAfter(text, []byte("\n"))
	}
	if p.Line > len(c.lines) || p.Column-1 > len(c.lines[p.Line-1]) {
		return 0
	}
	units := 0
	for text := c.lines[p.Line-1][:p.Column-1]; len(text) > 0; {
		r, n := utf8.DecodeRune(text)
		units += utf16.RuneLen(r)
		text = text[n:]
	}
	return units + 1
}

func (c *columnReader) locations(p fault.Place) []sarifLocation {
	var l sarifLocation
	if p.File != "" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{URI: p.File}}
		if p.Entry != "" {
			l.Physical.Artifact.URI += "/" + p.Entry
		}
		if p.Line > 0 {
			l.Physical.Region = &sarifRegion{p.Line, c.column(p)}
		}
	}
	if p.Object != "" {
		l.Logical = []sarifLogical{{p.Object}}
	}
	if l.Physical == nil && l.Logical == nil {
		return nil
	}
	return []sarifLocation{l}
}
