package sweeps

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment/trial"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/run"
	"gosmp/sweep"
)

// finish writes the results of the completed runs.
func (s *sweeping) finish(ctx context.Context) (*sweepSummary, error) {
	if !s.shown.IsZero() && s.onTerminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	cases := s.cases
	if s.plan.Stop.Early() {
		if prefix := s.prefix(); len(prefix) > 0 {
			if _, stopped := s.plan.Decided(prefix, s.row); stopped {
				cases = prefix
			}
		}
	}
	n, stopped := s.plan.Decided(cases, s.row)
	results := sweep.Results(cases[:n], s.row)
	sum := &sweepSummary{FormatVersion: 1, Plan: s.Plan, Cases: len(s.cases), Reused: s.reused,
		Outcomes: map[string]int{}, Stopped: stopped, Excluded: s.excluded}
	found, err := s.write(sum, results)
	if err != nil {
		return sum, err
	}
	sum.Kept, err = s.keep(ctx, found.kept)
	if e := cli.Flushed(s.print(plaintext.Lines(os.Stdout), sum, found)); err == nil {
		err = e
	}
	return sum, err
}

// noted collects counts and other information while results are written.
type noted struct {
	metrics   map[string]bool
	first     *sweep.Result  // the first that did not pass
	warned    *sweep.Result  // the first with a warning
	kept      []sweep.Result // results whose files are kept
	durations []sweep.Duration
	notes     map[int32]string // by the index of the case that contributes them
	apart     map[string]bool  // FMUs that have a note
}

// write writes the result files. It reads the rows from the store each time, so that memory does
// not grow with their number.
func (s *sweeping) write(sum *sweepSummary, results iter.Seq[sweep.Result]) (*noted, error) {
	found := &noted{metrics: map[string]bool{}, notes: map[int32]string{}, apart: map[string]bool{}}
	if err := os.MkdirAll(s.Out, 0o777); err != nil {
		return nil, err
	}
	files := []resultFile{
		{sweep.RowsFile, func(w io.Writer) error {
			return s.plan.WriteJSON(w, s.noting(results, sum, found))
		}},
		{sweep.TableFile, func(w io.Writer) error {
			return s.plan.WriteCSV(w, slices.Sorted(maps.Keys(found.metrics)), sum.Warned > 0,
				results)
		}},
		{sweep.DurationsFile, func(w io.Writer) error {
			return sweep.WriteDurations(w, found.durations, found.notes)
		}},
		{sweep.AboutFile, func(w io.Writer) error {
			about := s.plan.About(s.experiment, len(s.cases), sum.Finished, sum.Stopped)
			about.Library = s.Library
			return about.Write(w)
		}},
	}
	if s.plan.Boundary != nil {
		files = append(files, resultFile{"boundary.csv", func(w io.Writer) error {
			return s.plan.WriteEdges(w, s.plan.Edges(s.cases, s.row))
		}})
	}
	for _, f := range files {
		path := filepath.Join(s.Out, f.name)
		if err := cli.WriteFile(path, f.write); err != nil {
			return nil, err
		}
		sum.Files = append(sum.Files, path)
	}
	if s.JUnit != "" {
		err := cli.WriteFile(s.JUnit, func(w io.Writer) error {
			return s.writeJUnit(w, sum, results)
		})
		if err != nil {
			return nil, err
		}
	}
	sum.Files[0], sum.Files[1] = sum.Files[1], sum.Files[0] // the table first: people look for it
	return found, nil
}

// resultFile is one of the result files.
type resultFile struct {
	name  string
	write func(io.Writer) error
}

// noting passes results on and collects what the summary and other files need.
func (s *sweeping) noting(results iter.Seq[sweep.Result], sum *sweepSummary,
	found *noted) iter.Seq[sweep.Result] {
	return func(yield func(sweep.Result) bool) {
		for r := range results {
			sum.Finished++
			sum.Outcomes[r.Row.Outcome]++
			for name := range r.Row.Metrics {
				found.metrics[name] = true
			}
			found.durations = append(found.durations, sweep.Duration{
				Case:    int32(r.Case.Index), //nolint:gosec // at most a million
				Seconds: float32(r.Row.Elapsed),
			})
			found.note(&r, sum)
			if len(r.Row.Warnings) > 0 {
				if sum.Warned++; found.warned == nil {
					found.warned = &r
				}
			}
			failed := !sweep.Good(r.Row.Outcome)
			if failed && found.first == nil {
				found.first = &r
			}
			if s.KeepAll || failed && len(found.kept) < s.Keep {
				found.kept = append(found.kept, r)
			}
			if !yield(r) {
				return
			}
		}
	}
}

// note adds the notes of a run about FMUs that have none yet: each process of the sweep finds out
// by itself which FMUs need a new process for each run.
func (f *noted) note(r *sweep.Result, sum *sweepSummary) {
	var added []string
	for _, fmu := range slices.Sorted(maps.Keys(r.Row.Notes)) {
		if !f.apart[fmu] {
			f.apart[fmu] = true
			added = append(added, r.Row.Notes[fmu])
		}
	}
	if len(added) > 0 {
		f.notes[int32(r.Case.Index)] = strings.Join(added, "; ") //nolint:gosec // at most a million
		sum.Notes = append(sum.Notes, added...)
	}
}

// print prints the summary, with the command that repeats the first run that did not pass, and the
// first warning.
func (s *sweeping) print(out io.Writer, sum *sweepSummary, found *noted) error {
	if s.JSON {
		return cli.WriteIndentedJSON(out, sum)
	}
	fmt.Fprintf(out, "%s: %s of %s runs finished (%s reused)", s.Plan,
		quantity.Grouped(sum.Finished), quantity.Grouped(sum.Cases), quantity.Grouped(sum.Reused))
	for _, o := range sweep.Outcomes {
		if n := sum.Outcomes[o]; n > 0 {
			fmt.Fprintf(out, ", %s %s", quantity.Grouped(n), o)
		}
	}
	fmt.Fprintln(out)
	if s.excluded > 0 {
		fmt.Fprintf(out, "%s excluded by the constraints of the scenario\n",
			quantity.Of(s.excluded, "point"))
	}
	if first := found.first; first != nil {
		cause := ""
		if first.Row.Cause != "" { // a timeout has no cause
			cause = ": " + first.Row.Cause
		}
		fmt.Fprintf(out, "first that has not passed: case %d: %s%s\n  %s\n", first.Case.Index+1,
			first.Row.Outcome, cause, repeating(s.experiment, s.Library, *first))
	}
	if w := found.warned; w != nil {
		fmt.Fprintf(out, "warnings in %s, the first in case %d: %s\n",
			quantity.Of(sum.Warned, "run"), w.Case.Index+1, w.Row.Warnings[0])
	}
	for _, note := range sum.Notes {
		fmt.Fprintln(out, note)
	}
	s.printEdges(out)
	if n := len(sum.Kept); n > 0 {
		fmt.Fprintf(out, "kept: %s/case-* (%s)\n", s.Out, quantity.Grouped(n))
	}
	names := make([]string, len(sum.Files))
	for k, f := range sum.Files {
		names[k] = filepath.Base(f)
	}
	_, err := fmt.Fprintf(out, "results in %s: %s\n", s.Out, strings.Join(names, ", "))
	return err
}

// printEdges prints the first boundaries.
func (s *sweeping) printEdges(out io.Writer) {
	if s.plan.Boundary == nil {
		return
	}
	edges := s.plan.Edges(s.cases, s.row)
	fmt.Fprintf(out, "boundaries along %s: %s\n", s.plan.Boundary.Along,
		quantity.Grouped(len(edges)))
	const most = 10
	for k, e := range edges {
		if k == most {
			fmt.Fprintln(out, "  ...")
			break
		}
		var passed, failed, others []string
		for k, x := range s.plan.Parameters {
			if a, b := sweep.Text(e.Passed.Case.Values[k]),
				sweep.Text(e.Failed.Case.Values[k]); x.Name == s.plan.Boundary.Along {
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

// experimentOf returns the path of a plan's experiment.
func experimentOf(p *sweep.Plan) string {
	name := filepath.FromSlash(p.Experiment)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(filepath.Dir(p.File), name)
}

// resultsOf returns the default results folder of a plan.
func resultsOf(plan string) string {
	base := filepath.Base(plan)
	return strings.TrimSuffix(strings.TrimSuffix(base, filepath.Ext(base)), ".sweep") + ".results"
}

// repeating returns the command that repeats a run.
func repeating(experiment string, library []string, r sweep.Result) string {
	if run.IsPlain(experiment) {
		return plainCommand(experiment, library, r.Case.Set)
	}
	if run.IsScenario(experiment) {
		return scenarioCommand(experiment, library, r.Row.Seed, r.Case.Set)
	}
	words := []string{"gosmp run", trial.Quoted(experiment), "--rng-seed",
		strconv.FormatUint(r.Row.Seed, 10)}
	for _, x := range r.Case.Set {
		words = append(words, "--set", trial.Quoted(x.Name+"="+x.Value))
	}
	for _, w := range libraryWords(library) {
		words = append(words, trial.Quoted(w))
	}
	return strings.Join(words, " ")
}
