package finding

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/junit"
)

// Tool names the program that made the findings, for SARIF.
type Tool struct {
	Name    string // "gosmp"
	Version string // "1.2.0"
}

// WriteText writes one line per finding.
func (l List) WriteText(w io.Writer) error {
	for _, f := range l {
		if _, err := fmt.Fprintln(w, f); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes an indented array, "[]" when nothing was found.
func (l List) WriteJSON(w io.Writer) error {
	return writeJSON(w, append(List{}, l...))
}

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
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
// file inside an archive appears as the path archive/entry.
func (l List) WriteSARIF(w io.Writer, tool Tool) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: tool.Name, Version: tool.Version, Rules: []sarifRule{}}}, Results: []sarifResult{}}
	for _, f := range l {
		if rule := (sarifRule{f.ID}); !slices.Contains(run.Tool.Driver.Rules, rule) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		text := f.Message
		if f.Remedy != "" {
			text += "; " + f.Remedy
		}
		run.Results = append(run.Results, sarifResult{RuleID: f.ID, Level: f.Severity, Message: sarifText{text}, Locations: locations(f.Place)})
	}
	return writeJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func locations(p fault.Place) []sarifLocation {
	var l sarifLocation
	if p.File != "" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{URI: p.File}}
		if p.Entry != "" {
			l.Physical.Artifact.URI += "/" + p.Entry
		}
		if p.Line > 0 {
			l.Physical.Region = &sarifRegion{p.Line, p.Column}
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

// WriteJUnit writes a test suite named name with one test case per finding; errors are failures.
// Without findings it has one passing case, because test reports drop empty suites.
func (l List) WriteJUnit(w io.Writer, name string) error {
	suite := junit.Suite{Name: name}
	for _, f := range l {
		c := junit.Case{Class: f.ID, Name: f.Place.String()}
		if f.Severity == Error {
			c.Failure = &junit.Failure{Message: f.Message, Text: f.String()}
		}
		suite.Cases = append(suite.Cases, c)
	}
	if len(l) == 0 {
		suite.Cases = []junit.Case{{Class: name, Name: "no findings"}}
	}
	return suite.Write(w)
}
