package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// formatCommand checks that standard output is a complete document: "format junit", "format sarif"
// or "format json" of a check. Members that the format does not have are errors.
func formatCommand(ts *testscript.TestScript, _ bool, arguments []string) {
	check := map[string]func(text string) error{"junit": isJUnit, "sarif": isSARIF,
		"json": isCheck}[arguments[0]]
	ts.Check(check(ts.ReadFile("stdout")))
}

// strictly decodes one JSON document.
func strictly(text string, to any) error {
	d := json.NewDecoder(bytes.NewBufferString(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("found more after the document: %w", err)
	}
	return nil
}

type junitSuite struct {
	XMLName  xml.Name `xml:"testsuite"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Cases    []struct {
		Name    string    `xml:"name,attr"`
		Class   string    `xml:"classname,attr"`
		Failure *struct{} `xml:"failure"`
		Error   *struct{} `xml:"error"`
		Skipped *struct{} `xml:"skipped"`
	} `xml:"testcase"`
}

func isJUnit(text string) error {
	var s junitSuite
	if err := xml.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	failures, errs := 0, 0
	seen := map[[2]string]bool{}
	for _, c := range s.Cases {
		key := [2]string{c.Class, c.Name}
		if c.Name == "" || c.Class == "" || seen[key] {
			return fmt.Errorf("found the test case %q, expected names that differ", key)
		}
		seen[key] = true
		if c.Failure != nil {
			failures++
		}
		if c.Error != nil {
			errs++
		}
	}
	if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errs {
		return fmt.Errorf("found tests=%d failures=%d errors=%d, expected %d, %d, %d", s.Tests,
			s.Failures, s.Errors, len(s.Cases), failures, errs)
	}
	return nil
}

// sarif has the members of SARIF 2.1.0 that gosmp writes.
type sarif struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name    string                `json:"name"`
				Version string                `json:"version"`
				Rules   []struct{ ID string } `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		ColumnKind string `json:"columnKind"`
		Results    []struct {
			RuleID    string                `json:"ruleId"`
			Level     string                `json:"level"`
			Message   struct{ Text string } `json:"message"`
			Locations []struct {
				Physical *struct {
					Artifact struct{ URI string } `json:"artifactLocation"`
					Region   *struct {
						StartLine   int `json:"startLine"`
						StartColumn int `json:"startColumn"`
					} `json:"region"`
				} `json:"physicalLocation"`
				Logical []struct {
					Name string `json:"fullyQualifiedName"`
				} `json:"logicalLocations"`
			} `json:"locations"`
		} `json:"results"`
	} `json:"runs"`
}

func isSARIF(text string) error {
	var log sarif
	if err := strictly(text, &log); err != nil {
		return err
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name == "" {
		return fmt.Errorf("found version %q, %d runs, expected 2.1.0 and one run of a tool",
			log.Version, len(log.Runs))
	}
	run := log.Runs[0]
	for _, r := range run.Results {
		known := slices.ContainsFunc(run.Tool.Driver.Rules, func(x struct{ ID string }) bool {
			return x.ID == r.RuleID
		})
		if !known || r.Message.Text == "" ||
			!slices.Contains([]string{"none", "note", "warning", "error"}, r.Level) {
			return fmt.Errorf("found the result %q %q %q", r.RuleID, r.Level, r.Message.Text)
		}
		for _, l := range r.Locations {
			if l.Physical != nil && (l.Physical.Artifact.URI == "" || l.Physical.Region != nil &&
				l.Physical.Region.StartLine < 1) {
				return fmt.Errorf("found a location without a file or line for %q", r.RuleID)
			}
		}
	}
	return nil
}

// isCheck checks documents of gosmp check --json: each is valid against docs/check.schema.json, and
// its members agree.
func isCheck(text string) error {
	content, err := os.ReadFile(filepath.Join("..", "..", "docs", "check.schema.json"))
	if err != nil {
		return err
	}
	var schema jsonSchema
	if err := strictly(string(content), &schema); err != nil {
		return err // such as for a keyword that jsonSchema does not check
	}
	if text == "" {
		return errors.New("found no document, expected one for each file")
	}
	for line := range strings.Lines(text) {
		var document any
		if err := strictly(line, &document); err != nil {
			return err
		}
		if problem := schema.problem(&schema, document); problem != "" {
			return fmt.Errorf("found a document that docs/check.schema.json does not describe: %s",
				problem)
		}
		if err := agrees(line); err != nil {
			return err
		}
	}
	return nil
}

// agrees checks what the schema cannot express.
func agrees(text string) error {
	type finding struct {
		ID, Severity, Message string
	}
	var result struct {
		Passed   bool
		Findings []finding
		Parts    []struct {
			Components  []string
			Connection  string
			Examination struct {
				Proved, Refuted, NotTested int
				Verdicts                   []struct{ ID, Outcome, Severity string }
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		return err
	}
	for _, f := range result.Findings {
		if result.Passed && f.Severity == "error" {
			return fmt.Errorf("found passed with the error %+v", f)
		}
	}
	for _, p := range result.Parts {
		counts := map[string]int{}
		for _, v := range p.Examination.Verdicts {
			counts[v.Outcome]++
		}
		x := p.Examination
		if len(p.Components) == 0 && p.Connection == "" || counts["proved"] != x.Proved ||
			counts["refuted"] != x.Refuted || len(x.Verdicts) != x.Proved+x.Refuted+x.NotTested {
			return fmt.Errorf("found the part %v%s with %v, expected %+v", p.Components,
				p.Connection, counts, x)
		}
	}
	return nil
}
