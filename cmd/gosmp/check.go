package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"gosmp/sensor/simsensor"
)

// errFindings ends a check that has found malformed rows: they are printed, only the exit code is left to give.
var errFindings = errors.New("malformed rows found, see above")

type checkCommand struct {
	Files []string `arg:"" placeholder:"FILE" help:"Simsensor CSV files."`
	Unit  string   `short:"u" default:"ms" help:"Unit of the time stamps: ms, us, s or ns."`
}

// Run prints a report of every file. Malformed rows make it fail; oddities do not, because such files can be played.
func (c *checkCommand) Run() error {
	unit, err := simsensor.ParseUnit(c.Unit)
	if err != nil {
		return err
	}
	clean := true
	for _, name := range c.Files {
		report, err := simsensor.Inspect(name, simsensor.Options{Unit: unit})
		if report != nil {
			if err := printReport(os.Stdout, report); err != nil {
				return err
			}
			clean = clean && report.Rejected == 0 && report.Held == 0
		}
		if err != nil {
			return err
		}
	}
	if !clean {
		return errFindings
	}
	return nil
}

// printReport writes a report for people.
func printReport(out io.Writer, r *simsensor.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	end := "end of file, so it can loop"
	if r.EndRow {
		end = "end row"
	}
	fmt.Fprintf(w, "%s\n", r.File)
	fmt.Fprintf(w, "  rows\t%d, %d malformed, %d out of order\n", r.Rows, r.Rejected, r.Held)
	fmt.Fprintf(w, "  duration\t%v at stamps in %v, closed by %s\n", r.Duration, r.Unit, end)
	for _, s := range r.Sensors {
		fmt.Fprintf(w, "  %v\t%d rows, %.4g Hz, distances %v to %v, median %v\n", s.Kind, s.Rows, s.Rate, s.Min, s.Max, s.Median)
	}
	for _, list := range [][]simsensor.Problem{r.Problems, r.Oddities} {
		for _, p := range list {
			fmt.Fprintf(w, "  %s\n", p.Error())
		}
	}
	if more := r.Rejected + r.Held - int64(len(r.Problems)); more > 0 {
		fmt.Fprintf(w, "  ... and %d more rows like these\n", more)
	}
	return w.Flush()
}
