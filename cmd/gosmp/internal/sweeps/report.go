package sweeps

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/report/sweeppage"
	"gosmp/run/campaign"
	"gosmp/sweep"
)

type sweepReportCommand struct {
	Results string `arg:"" predictor:"file" placeholder:"RESULTS|PLAN" help:"Folder with the results of a sweep, a file in this folder, or the plan, if its results are in the working directory."`
	From    string `predictor:"file" placeholder:"DIR" help:"Folder with the results of the plan, if gosmp sweep was given --out."`
	Out     string `short:"o" predictor:"file" placeholder:"FILE.html" help:"Report to write; - is standard output. By default NAME.html in the working directory for NAME.results."`
}

// Help returns the text that follows the list of flags.
func (sweepReportCommand) Help() string {
	return `The report contains the pass rate, the outcomes along each parameter, all ` +
		`parameters side by side, two of them against each other, the boundary between pass ` +
		`and fail along each numeric parameter, and the runs that did not pass, with their ` +
		`causes and the commands that repeat them. The same results produce the same bytes.`
}

// Run writes the report.
func (c *sweepReportCommand) Run() error {
	dir, plan, err := c.find()
	if err != nil {
		return err
	}
	about, results, err := sweep.ReadResults(dir)
	if err != nil {
		return err
	}
	if plan != nil {
		expected := plan.About(campaign.ExperimentOf(plan), 0, 0, false)
		if !slices.Equal(expected.Parameters, about.Parameters) ||
			filepath.Base(expected.Experiment) != filepath.Base(about.Experiment) {
			return cli.Unexpected(filepath.Join(dir, sweep.AboutFile),
				fmt.Sprintf("%s with the parameters %s", about.Experiment,
					strings.Join(about.Parameters, ", ")),
				fmt.Sprintf(
					"results of %s: %s with %s; run the sweep again, or "+
						"give its results with --from",
					c.Results, expected.Experiment, strings.Join(expected.Parameters, ", ")))
		}
		about.Experiment = expected.Experiment // relative to this folder, for the repeat commands
	}
	name, err := nameOf(dir)
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		out = pageOf(name)
	}
	for _, in := range []string{c.Results, filepath.Join(dir, sweep.AboutFile), filepath.Join(dir,
		sweep.RowsFile), filepath.Join(dir, sweep.TableFile)} {
		if cli.SameFile(in, out) {
			return cli.Unexpected("--out", fmt.Sprintf("%q, an input", out), "another file")
		}
	}
	page := sweeppage.Sweep{Name: name, About: *about, Results: results,
		Command: func(r sweep.Result) string {
			return campaign.RepeatCommand(about.Experiment, about.Library, r)
		},
		Report: func(r sweep.Result) string { return reportOf(r, dir, filepath.Dir(out)) }}
	write := func(w io.Writer) error { return sweeppage.Write(w, page) }
	if err := cli.WriteFile(out, write); err != nil {
		return err
	}
	return cli.Announce(out)
}

// nameOf returns the name of the results folder.
func nameOf(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	return filepath.Base(absolute), err
}

// pageOf returns the path of a report if no flag names one.
func pageOf(name string) string { return strings.TrimSuffix(name, ".results") + ".html" }

// DefaultOut returns the path of the report if no flag names one.
func (c *sweepReportCommand) DefaultOut() string {
	dir, _, err := c.find()
	if err != nil {
		return "" // the command reports the error
	}
	name, err := nameOf(dir)
	if err != nil {
		return ""
	}
	return pageOf(name)
}

// reportOf returns the link from a page in the folder from to the report of a run that gosmp sweep
// kept in dir, or "" if there is none. A page on standard output counts as a page in the working
// directory.
func reportOf(r sweep.Result, dir, from string) string {
	report := campaign.KeptReport(dir, r)
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

// find returns the results folder, and the plan if it was given.
func (c *sweepReportCommand) find() (dir string, plan *sweep.Plan, err error) {
	info, err := os.Stat(c.Results)
	if err != nil {
		return "", nil, err
	}
	isPlan := !info.IsDir() && !slices.Contains([]string{sweep.AboutFile, sweep.RowsFile,
		sweep.TableFile}, filepath.Base(c.Results))
	switch {
	case !isPlan && c.From != "":
		return "", nil, cli.Unexpected("--from", "results as well, "+c.Results,
			"the plan with --from, or only the results")
	case info.IsDir():
		return c.Results, nil, nil
	case !isPlan:
		return filepath.Dir(c.Results), nil, nil
	}
	f, err := os.Open(c.Results)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = f.Close() }() // opened read-only
	if plan, err = sweep.Read(c.Results, f); err != nil {
		return "", nil, fmt.Errorf("%w; give a plan, or the folder with the results of a sweep",
			err)
	}
	if c.From != "" {
		return c.From, plan, nil
	}
	return campaign.ResultsFolder(c.Results), plan, nil
}
