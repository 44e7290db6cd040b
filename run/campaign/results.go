package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/sweep"
)

// Results is the outcome of a sweep, whose rows are in its files.
type Results struct {
	Cases    int // runs of the plan
	Finished int // runs with a row
	Reused   int // rows that were in the store
	Outcomes map[string]int
	Stopped  bool // because of the plan's limit of failures
	Excluded int  // points that the constraints of a scenario exclude
	Warned   int  // runs with warnings
	// Notes name FMUs that need a new process for each run, and the reasons.
	Notes []string
	Out   string // the folder of the results
	Files []string
	Kept  []string // folders with the files of single runs

	First       *sweep.Result // the first run that did not pass; nil for none
	FirstWarned *sweep.Result // the first run with a warning; nil for none
	Edges       []sweep.Edge  // where the verdict changes, for a plan with a boundary
}

// Passed reports whether all finished runs passed.
func (r *Results) Passed() bool { return r.NotPassed() == 0 }

// NotPassed returns the number of finished runs that did not pass.
func (r *Results) NotPassed() int {
	return r.Finished - r.Outcomes[sweep.Passed] - r.Outcomes[sweep.Finished]
}

// Run computes the runs that are not in the store yet, and writes the results. Canceling the
// context ends the current runs, and the results contain the finished ones; the error is then
// [ErrInterrupted] or the error of the context. The results are nil if no run has a row; earlier
// results in the folder are then unchanged, but the JUnit file is written.
func (s *Sweep) Run(ctx context.Context) (*Results, error) {
	if s.store == nil {
		if err := s.Prepare(); err != nil {
			return nil, err
		}
	}
	compute, end, err := s.engine(ctx)
	if err != nil {
		return nil, errors.Join(err, s.unjudged(), s.store.Close())
	}
	err = s.run(ctx, compute)
	end()
	if err != nil && s.ended+s.reused == 0 { // the results of an earlier sweep say more
		return nil, errors.Join(err, s.unjudged(), s.store.Close())
	}
	s.Progress(s.state(true))
	results, e := s.finish(ctx)
	if e != nil && !errors.Is(err, e) { // report the error that ended the runs only once
		err = errors.Join(err, e)
	}
	return results, errors.Join(err, s.store.Close())
}

// unjudged writes the JUnit file of a sweep without a row, in which all runs are missing. A build
// server would otherwise read the file of an earlier sweep.
func (s *Sweep) unjudged() error {
	if s.JUnit == "" {
		return nil
	}
	return s.WriteFile(s.JUnit, func(w io.Writer) error {
		return s.writeJUnit(w, &Results{Cases: len(s.cases)}, func(func(sweep.Result) bool) {})
	})
}

// finish writes the results of the completed runs.
func (s *Sweep) finish(ctx context.Context) (*Results, error) {
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
	sum := &Results{Cases: len(s.cases), Reused: s.reused, Outcomes: map[string]int{},
		Stopped: stopped, Excluded: s.excluded, Out: s.Out}
	if s.plan.Boundary != nil {
		sum.Edges = s.plan.Edges(s.cases, s.row)
	}
	found, err := s.write(sum, results)
	if err != nil {
		return nil, err
	}
	sum.Kept, err = s.keep(ctx, found.kept)
	return sum, err
}

// noted collects counts and other information while results are written.
type noted struct {
	metrics   map[string]bool
	kept      []sweep.Result // results whose files are kept
	durations []sweep.Duration
	notes     map[int32]string // by the index of the case that contributes them
	apart     map[string]bool  // FMUs that have a note
}

// write writes the result files. It reads the rows from the store each time, so that memory does
// not grow with their number.
func (s *Sweep) write(sum *Results, results iter.Seq[sweep.Result]) (*noted, error) {
	found := &noted{metrics: map[string]bool{}, notes: map[int32]string{}, apart: map[string]bool{}}
	if err := os.MkdirAll(s.Out, 0o777); err != nil {
		return nil, err
	}
	rows := sha256.New()
	files := []resultFile{
		{sweep.RowsFile, func(w io.Writer) error {
			return s.plan.WriteJSON(io.MultiWriter(w, rows), s.noting(results, sum, found))
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
			about.Library, about.Checksum = s.Library, hex.EncodeToString(rows.Sum(nil))
			return about.Write(w)
		}},
	}
	if s.plan.Boundary != nil {
		files = append(files, resultFile{"boundary.csv", func(w io.Writer) error {
			return s.plan.WriteEdges(w, sum.Edges)
		}})
	}
	for _, f := range files {
		path := filepath.Join(s.Out, f.name)
		if err := s.WriteFile(path, f.write); err != nil {
			return nil, err
		}
		sum.Files = append(sum.Files, path)
	}
	if s.JUnit != "" {
		err := s.WriteFile(s.JUnit, func(w io.Writer) error {
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
func (s *Sweep) noting(results iter.Seq[sweep.Result], sum *Results,
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
				if sum.Warned++; sum.FirstWarned == nil {
					sum.FirstWarned = &r
				}
			}
			failed := !sweep.Good(r.Row.Outcome)
			if failed && sum.First == nil {
				sum.First = &r
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
func (f *noted) note(r *sweep.Result, sum *Results) {
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
