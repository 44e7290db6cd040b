package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"gosmp/sensor/simsensor"
)

// errFindings ends a check that has found malformed rows: they are printed, only the exit code is left to give.
var errFindings = errors.New("malformed rows found, see above")

type checkCommand struct {
	Files []string `arg:"" placeholder:"FILE" help:"Simsensor CSV files."`
	Unit  string   `short:"u" default:"auto" help:"Unit of the time stamps: ms, us, s or ns; auto, the default, goes by the rates of the sensors."`
}

// Help is what follows the list of flags.
func (checkCommand) Help() string {
	return `The exit code is 0 when all rows of all files can be played, even if values, units or rates look implausible; 1 when ` +
		`there are malformed rows, rows out of order or no rows at all, or when a file cannot be read; 2 for wrong usage. A file ` +
		`that cannot be used is reported on standard error, and the others are checked.`
}

// Run prints a report of every file. Malformed rows make it fail; oddities do not, because such files can be played.
func (c *checkCommand) Run() error {
	unit, err := simsensor.ParseUnit(c.Unit)
	if err != nil {
		return &usageError{"--unit", err}
	}
	clean, unusable := true, 0
	for _, name := range c.Files {
		report, err := simsensor.Inspect(name, simsensor.Options{Unit: unit})
		if report != nil {
			if err := printReport(os.Stdout, report); err != nil {
				return err
			}
			clean = clean && report.Rejected == 0 && report.Held == 0
		}
		if err == nil {
			continue
		}
		if len(c.Files) == 1 {
			return err
		}
		fmt.Fprintf(os.Stderr, "gosmp: error: %v\n", err)
		unusable++
	}
	switch {
	case unusable > 0:
		return errUnusable
	case !clean:
		return errFindings
	}
	return nil
}

// printReport writes a report for people.
func printReport(out io.Writer, r *simsensor.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", r.File)
	fmt.Fprintf(w, "  rows\t%d, %d malformed, %d out of order\n", r.Rows, r.Rejected, r.Held)
	fmt.Fprintf(w, "  duration\t%v at stamps in %v, closed by %s\n", r.Duration, unitOf(r), closing(r))
	for _, s := range r.Sensors {
		fmt.Fprintf(w, "  %v\t%d rows, %s Hz, distances %v to %v, median %v\n", s.Kind, s.Rows, plain(s.Rate), s.Min, s.Max, s.Median)
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

// unitOf is the unit of the stamps, and where it comes from.
func unitOf(r *simsensor.Report) string {
	if r.Decided {
		return r.Unit.String() + " (by the rates of the sensors)"
	}
	return r.Unit.String()
}

// closing says what ends a round, and whether there can be another.
func closing(r *simsensor.Report) string {
	switch {
	case r.EndRow:
		return "end row"
	case r.Rows == 0:
		return "end of file; without rows it cannot loop"
	case r.Duration == 0:
		return "end of file; with all rows at one time it cannot loop"
	}
	return "end of file, so it can loop"
}

// plain writes a number of 0 or more without an exponent: all digits before the point, and four in all if there are not as many.
func plain(v float64) string {
	if v == 0 {
		return "0"
	}
	decimals := max(0, 3-int(math.Floor(math.Log10(v))))
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
