package sweepcmd

import (
	"archive/zip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/run"
	"gosmp/experiment/trial"
	"gosmp/sweep"
)

// A sweep may run an FMU or a system of FMUs in place of an experiment. What its runs set are start
// values, and options of gosmp run, which begin with --.

// isPlain reports whether a file is an FMU or a system, by its name.
func isPlain(file string) bool {
	return slices.Contains([]string{".fmu", ".ssp"}, strings.ToLower(filepath.Ext(file)))
}

// plainOptions are the options that a run may set: those that decide what is simulated.
var plainOptions = []string{"start-time", "stop-time", "step-size", "tolerance", "no-set-stop-time", "algorithm", "variant", "set-all-start-values",
	"event-mode-used", "early-return-allowed", "rollback", "output-variable"}

// plainWords are the words of the command line that set what a run sets.
func plainWords(set []sweep.Setting) (words []string) {
	for _, x := range set {
		if strings.HasPrefix(x.Name, "--") {
			words = append(words, x.Name+"="+x.Value)
		} else {
			words = append(words, "--start-value", x.Name+"="+x.Value)
		}
	}
	return words
}

// plainRun is gosmp run with what a run sets.
func plainRun(file string, set []sweep.Setting, results string) (*run.Command, error) {
	for _, x := range set {
		if name, is := strings.CutPrefix(x.Name, "--"); is && !slices.Contains(plainOptions, name) {
			return nil, fmt.Errorf("%s: found an option that runs of a sweep do not have, expected one of --%s", x.Name, strings.Join(plainOptions, ", --"))
		}
	}
	words := append([]string{"--output-file", results}, plainWords(set)...)
	command := &run.Command{}
	parser, err := kong.New(command, kong.Name("gosmp run"), kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard), run.Variables())
	if err == nil {
		_, err = parser.Parse(append(words, "--", file))
	}
	if err != nil {
		return nil, errors.New(err.Error()) // without its type: the user has not run gosmp run
	}
	return command, nil
}

// tryPlain reads the FMUs, and reports start values and options that they do not have.
func tryPlain(file string, set []sweep.Setting) error {
	c, err := plainRun(file, set, "")
	if err != nil {
		return err
	}
	return c.Try()
}

// plainRow runs an FMU or a system once. Its metrics are the last values of the outputs.
func plainRow(file string, x sweep.Case) sweep.Row {
	row := sweep.Row{Outcome: sweep.Faulty, Seed: x.Seed}
	dir, err := os.MkdirTemp("", "gosmp-run-")
	if err != nil {
		return lostRow(x, err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // it has been read
	results := filepath.Join(dir, "results.csv")
	c, err := plainRun(file, x.Set, results)
	if err != nil {
		row.Cause = err.Error()
		return row
	}
	end, err := c.Once()
	row.Time, row.Steps, row.TraceHash, row.Cause = end.Reached, end.Steps, end.TraceHash, strings.ReplaceAll(end.Cause, dir+string(filepath.Separator), "")
	row.Outcome = plainOutcome(end.ExitCode)
	if err == nil {
		row.Metrics, err = lastValues(results)
	}
	if err != nil && row.Cause == "" {
		row.Outcome, row.Cause = sweep.Faulty, err.Error()
	}
	if lostHere(err) {
		return lostRow(x, err)
	}
	return row
}

// plainOutcome is that of an exit code of gosmp run.
func plainOutcome(code int) string {
	switch code {
	case cli.ExitDone:
		return sweep.Passed
	case cli.ExitTimeout:
		return sweep.Timeout
	}
	return sweep.Faulty
}

// lastValues reads the numbers of the last line of results, under names that no other column has.
func lastValues(name string) (map[string]float64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := csv.NewReader(f)
	lines.ReuseRecord = true
	head, err := lines.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil //nolint:nilnil // no outputs
	}
	if err != nil {
		return nil, err
	}
	names, last := slices.Clone(head), []string(nil)
	for {
		line, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		last = append(last[:0], line...)
	}
	values := map[string]float64{}
	for k, text := range last {
		if v, err := strconv.ParseFloat(text, 64); err == nil && names[k] != "time" && !math.IsNaN(v) && !math.IsInf(v, 0) {
			values["output."+names[k]] = v
		}
	}
	return values, nil
}

// plainCommand repeats a run.
func plainCommand(file string, set []sweep.Setting) string {
	words := []string{"gosmp run", trial.Quoted(file)}
	for _, w := range plainWords(set) {
		words = append(words, trial.Quoted(w))
	}
	return strings.Join(words, " ")
}

// packPlain writes a package with one file.
func packPlain(w io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	z := zip.NewWriter(w)
	to, err := z.CreateHeader(&zip.FileHeader{Name: filepath.Base(file), Method: zip.Store, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, f); err != nil {
		return err
	}
	return z.Close()
}
