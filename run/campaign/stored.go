package campaign

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/regular"
	"gosmp/report/sweeppage"
	"gosmp/run/usage"
	"gosmp/sweep"
)

// Stored are the results of a sweep in a folder.
type Stored struct {
	Name    string // of the folder
	Dir     string
	About   sweep.About
	Results []sweep.Result
}

// ReadStored reads the results of a sweep. The name is that of their folder, of a file in this
// folder, or of the plan. If it is the plan, the results must have been computed with its
// parameters and experiment, and their folder is from, or [ResultsFolder] if from is "".
func ReadStored(name, from string) (*Stored, error) {
	dir, plan, err := locate(name, from)
	if err != nil {
		return nil, err
	}
	about, results, err := sweep.ReadResults(dir)
	if err != nil {
		return nil, err
	}
	if plan != nil {
		expected := plan.About(ExperimentOf(plan), 0, 0, false)
		if !slices.Equal(expected.Parameters, about.Parameters) ||
			filepath.Base(expected.Experiment) != filepath.Base(about.Experiment) {
			return nil, usage.Unexpected(filepath.Join(dir, sweep.AboutFile),
				fmt.Sprintf("%s with the parameters %s", about.Experiment,
					strings.Join(about.Parameters, ", ")),
				fmt.Sprintf(
					"results of %s: %s with %s; run the sweep again, or "+
						"give its results with --from",
					name, expected.Experiment, strings.Join(expected.Parameters, ", ")))
		}
		about.Experiment = expected.Experiment // relative to this folder, for the repeat commands
	}
	folder, err := nameOf(dir)
	return &Stored{Name: folder, Dir: dir, About: *about, Results: results}, err
}

// Page returns the content of a page on the results that is written to a file. A page on standard
// output counts as a page in the working directory.
func (s *Stored) Page(file string) sweeppage.Sweep {
	return sweeppage.Sweep{Name: s.Name, About: s.About, Results: s.Results,
		Command: func(r sweep.Result) string {
			return RepeatCommand(s.About.Experiment, s.About.Library, r)
		},
		Report: func(r sweep.Result) string { return linkTo(r, s.Dir, filepath.Dir(file)) }}
}

// Files returns the files that were read.
func (s *Stored) Files() []string {
	return []string{filepath.Join(s.Dir, sweep.AboutFile), filepath.Join(s.Dir, sweep.RowsFile),
		filepath.Join(s.Dir, sweep.TableFile)}
}

// PageName returns the path of the page for results if no option names one, or "" if they cannot
// be found.
func PageName(name, from string) string {
	dir, _, err := locate(name, from)
	if err != nil {
		return ""
	}
	folder, err := nameOf(dir)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(folder, ".results") + ".html"
}

// nameOf returns the name of the results folder.
func nameOf(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	return filepath.Base(absolute), err
}

// linkTo returns the link from a page in the folder from to the report of a run that gosmp sweep
// kept in dir, or "" if there is none.
func linkTo(r sweep.Result, dir, from string) string {
	report := KeptReport(dir, r)
	if report == "" {
		return ""
	}
	a, err := filepath.Abs(from)
	b, e := filepath.Abs(report)
	if err != nil || e != nil {
		return ""
	}
	path, err := filepath.Rel(a, b)
	if err != nil { // on another volume
		return ""
	}
	return (&url.URL{Path: filepath.ToSlash(path)}).String()
}

// locate returns the results folder, and the plan if it was given.
func locate(name, from string) (dir string, plan *sweep.Plan, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", nil, err
	}
	isPlan := !info.IsDir() && !slices.Contains([]string{sweep.AboutFile, sweep.RowsFile,
		sweep.TableFile}, filepath.Base(name))
	switch {
	case !isPlan && from != "":
		return "", nil, usage.Unexpected("--from", "results as well, "+name,
			"the plan with --from, or only the results")
	case info.IsDir():
		return name, nil, nil
	case !isPlan:
		return filepath.Dir(name), nil, nil
	}
	f, err := regular.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = f.Close() }() // opened read-only
	if plan, err = sweep.Read(name, f); err != nil {
		return "", nil, fmt.Errorf("%w; give a plan, or the folder with the results of a sweep",
			err)
	}
	if from != "" {
		return from, plan, nil
	}
	return ResultsFolder(name), plan, nil
}
