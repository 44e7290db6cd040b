package sweeps

import (
	"fmt"
	"io"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/report/sweeppage"
	"gosmp/run/campaign"
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
	s, err := campaign.ReadStored(c.Results, c.From)
	if err != nil {
		return err
	}
	out := c.Out
	if out == "" {
		out = campaign.PageName(c.Results, c.From)
	}
	for _, in := range append(s.Files(), c.Results) {
		if cli.SameFile(in, out) {
			return cli.Unexpected("--out", fmt.Sprintf("%q, an input", out), "another file")
		}
	}
	write := func(w io.Writer) error { return sweeppage.Write(w, s.Page(out)) }
	if err := cli.WriteFile(out, write); err != nil {
		return err
	}
	return cli.Announce(out)
}

// DefaultOut returns the path of the report if no flag names one. If the results cannot be found,
// it returns "", and the command reports the error.
func (c *sweepReportCommand) DefaultOut() string { return campaign.PageName(c.Results, c.From) }
