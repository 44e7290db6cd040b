package campaign

import (
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strconv"
	"strings"

	"gosmp/internal/junit"
	"gosmp/internal/quantity"
	"gosmp/internal/release"
	"gosmp/sweep"
)

// mostWarnings bounds the warnings in a report.
const mostWarnings = 1000

// writeJUnit writes a case for each run. A failed run is a failure, and a run that could not be
// judged is an error. All runs without a row, for instance after an interruption, count as one
// error, so that the report is never better than the sweep.
func (s *Sweep) writeJUnit(w io.Writer, sum *Results,
	results iter.Seq[sweep.Result]) error {
	name := filepath.Base(s.File)
	suite := junit.Suite{Name: name, File: s.experiment, Properties: s.properties(sum)}
	var warnings []string
	for _, f := range s.Findings() {
		warnings = append(warnings, fmt.Sprintf("%v: %s [%s]", f.Place, f.Message, f.ID))
	}
	for r := range results {
		suite.Cases = append(suite.Cases, s.caseOf(name, r))
		for _, text := range r.Row.Warnings {
			if len(warnings) == mostWarnings {
				warnings = append(warnings, "more warnings are in "+sweep.RowsFile)
			}
			if len(warnings) <= mostWarnings {
				warnings = append(warnings, fmt.Sprintf("case %d: %s", r.Case.Index+1, text))
			}
		}
	}
	suite.Out = strings.Join(warnings, "\n")
	if open := sum.Cases - sum.Finished; open > 0 && !sum.Stopped || len(suite.Cases) == 0 {
		suite.Cases = append(suite.Cases, junit.Case{Name: "sweep", Class: name,
			Error: &junit.Failure{Message: fmt.Sprintf("%s of %s were not computed",
				quantity.Grouped(open), quantity.Of(sum.Cases, "run"))}})
	}
	return suite.Write(w)
}

// caseOf returns the JUnit test case of a run.
func (s *Sweep) caseOf(class string, r sweep.Result) junit.Case {
	words := []string{fmt.Sprintf("case %d", r.Case.Index+1)}
	for k, x := range s.plan.Parameters {
		words = append(words, x.Name+"="+sweep.Text(r.Case.Values[k]))
	}
	if r.Row.Seed != 0 {
		words = append(words, "seed="+strconv.FormatUint(r.Row.Seed, 10))
	}
	c := junit.Case{Name: strings.Join(words, " "), Class: class, Time: junit.Seconds(r.Row.Time)}
	if sweep.Good(r.Row.Outcome) {
		return c
	}
	why := &junit.Failure{Message: strings.TrimSuffix(r.Row.Outcome+": "+r.Row.Cause, ": "),
		Text: RepeatCommand(s.experiment, s.Library, r)}
	if r.Row.Outcome == sweep.Failed {
		c.Failure = why
	} else {
		c.Error = why
	}
	return c
}

func (s *Sweep) properties(sum *Results) []junit.Property {
	list := []junit.Property{{Name: "plan", Value: s.File},
		{Name: "experiment", Value: s.experiment},
		{Name: "digest", Value: s.base}, {Name: "gosmp", Value: release.Version},
		{Name: "runs", Value: strconv.Itoa(sum.Cases)},
		{Name: "finished", Value: strconv.Itoa(sum.Finished)}}
	for _, o := range sweep.Outcomes {
		if n := sum.Outcomes[o]; n > 0 {
			list = append(list, junit.Property{Name: "outcome " + o, Value: strconv.Itoa(n)})
		}
	}
	return append(list, junit.Property{Name: "command", Value: s.command()})
}
