package sweeps

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/quantity"
	"gosmp/run/campaign"
	"gosmp/sweep"
)

// print prints the summary, with the command that repeats the first run that did not pass, and the
// first warning.
func (c *runSweep) print(out io.Writer, s *campaign.Sweep, sum *campaign.Results) error {
	if c.JSON {
		return cli.WriteIndentedJSON(out, c.summary(sum))
	}
	fmt.Fprintf(out, "%s: %s of %s runs finished (%s reused)", c.Plan,
		quantity.Grouped(sum.Finished), quantity.Grouped(sum.Cases), quantity.Grouped(sum.Reused))
	for _, o := range sweep.Outcomes {
		if n := sum.Outcomes[o]; n > 0 {
			fmt.Fprintf(out, ", %s %s", quantity.Grouped(n), o)
		}
	}
	fmt.Fprintln(out)
	if sum.Excluded > 0 {
		fmt.Fprintf(out, "%s excluded by the constraints of the scenario\n",
			quantity.Of(sum.Excluded, "point"))
	}
	if first := sum.First; first != nil {
		cause := ""
		if first.Row.Cause != "" { // a timeout has no cause
			cause = ": " + first.Row.Cause
		}
		fmt.Fprintf(out, "first that has not passed: case %d: %s%s\n  %s\n", first.Case.Index+1,
			first.Row.Outcome, cause, campaign.RepeatCommand(s.Experiment(), c.Library, *first))
	}
	if w := sum.FirstWarned; w != nil {
		fmt.Fprintf(out, "warnings in %s, the first in case %d: %s\n",
			quantity.Of(sum.Warned, "run"), w.Case.Index+1, w.Row.Warnings[0])
	}
	for _, note := range sum.Notes {
		fmt.Fprintln(out, note)
	}
	printEdges(out, s.Plan(), sum.Edges)
	if n := len(sum.Kept); n > 0 {
		fmt.Fprintf(out, "kept: %s/case-* (%s)\n", sum.Out, quantity.Grouped(n))
	}
	names := make([]string, len(sum.Files))
	for k, f := range sum.Files {
		names[k] = filepath.Base(f)
	}
	_, err := fmt.Fprintf(out, "results in %s: %s\n", sum.Out, strings.Join(names, ", "))
	return err
}

// printEdges prints the first boundaries.
func printEdges(out io.Writer, plan *sweep.Plan, edges []sweep.Edge) {
	if plan.Boundary == nil {
		return
	}
	fmt.Fprintf(out, "boundaries along %s: %s\n", plan.Boundary.Along,
		quantity.Grouped(len(edges)))
	const most = 10
	for k, e := range edges {
		if k == most {
			fmt.Fprintln(out, "  ...")
			break
		}
		var passed, failed, others []string
		for k, x := range plan.Parameters {
			if a, b := sweep.Text(e.Passed.Case.Values[k]),
				sweep.Text(e.Failed.Case.Values[k]); x.Name == plan.Boundary.Along {
				passed, failed = append(passed, a), append(failed, b)
			} else {
				others = append(others, x.Name+" "+a)
			}
		}
		others = append(others, fmt.Sprint("seed ", e.Passed.Row.Seed))
		fmt.Fprintf(out, "  passed at %s, failed at %s (%s)\n", passed[0], failed[0],
			strings.Join(others, ", "))
	}
}

// summary returns the JSON output.
func (c *runSweep) summary(r *campaign.Results) sweepSummary {
	return sweepSummary{FormatVersion: 1, Plan: c.Plan, Cases: r.Cases, Finished: r.Finished,
		Reused: r.Reused, Outcomes: r.Outcomes, Stopped: r.Stopped, Excluded: r.Excluded,
		Warned: r.Warned, Notes: r.Notes, Files: r.Files, Kept: r.Kept}
}
