package fmutest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/run"
	"gosmp/internal/fault"
	"gosmp/internal/junit"
	"gosmp/internal/quantity"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/compare"
	"gosmp/trace/expect"
)

// testResult is the JSON document, a contract.
type testResult struct {
	FormatVersion int                  `json:"formatVersion"`
	FMU           string               `json:"fmu"`
	SHA256        string               `json:"sha256"`
	Trace         string               `json:"trace"`
	Passed        bool                 `json:"passed"`
	Steps         int64                `json:"steps"`
	Reached       float64              `json:"reached"`
	Verdicts      []testVerdict        `json:"verdicts"`
	Differences   []compare.Difference `json:"differences"`
	Files         []string             `json:"files"`
}

// testVerdict is the verdict on one channel or one condition.
type testVerdict struct {
	Name        string `json:"name"`
	Passed      bool   `json:"passed"`
	Cause       string `json:"cause,omitempty"`
	Messages    int64  `json:"messages"`
	Differences int64  `json:"differences"`
}

// tolerances reads --tolerance and --ignore.
func (c *Command) tolerances() (list []compare.Tolerance, err error) {
	for _, text := range c.Tolerance {
		field, number, found := run.CutLast(text, "=")
		if !found {
			field, number = "", text
		}
		percent, relative := strings.CutSuffix(number, "%")
		x, err := strconv.ParseFloat(percent, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			return nil, cli.Unexpected("--tolerance", fmt.Sprintf("%q", text), "FIELD=0.1 or FIELD=1%, a number from 0 up")
		}
		t := compare.Tolerance{Field: field, Absolute: x}
		if relative {
			t.Absolute, t.Relative = 0, x/100
		}
		list = append(list, t)
	}
	for _, field := range c.Ignore {
		list = append(list, compare.Tolerance{Field: field, Ignore: true})
	}
	return list, nil
}

// judge compares what was found with what was expected, and prints the verdicts.
func (t *fmuTest) judge() error {
	c, f := t.command, t.run.System.Parts[0].FMU
	r := &testResult{FormatVersion: 1, FMU: f.Path, SHA256: f.SHA256, Trace: c.Trace, Passed: true, Steps: t.run.Result.Steps,
		Reached: t.run.Result.Reached.Seconds(), Verdicts: []testVerdict{}, Differences: []compare.Difference{}, Files: []string{}}
	if c.Record != "" {
		r.Files = append(r.Files, c.Record)
	}
	var unused [][]string // fields of --tolerance and --ignore, for each expected trace
	for _, name := range c.Expect {
		var err error
		switch {
		case isConditions(name):
			err = t.conditions(name, r)
		case c.Update:
			err = t.update(name)
			r.Files = append(r.Files, name)
		default:
			var fields []string
			fields, err = t.compare(name, r)
			unused = append(unused, fields)
		}
		if err != nil {
			return err
		}
	}
	if err := refuseUnused(unused); err != nil {
		return err
	}
	if err := r.write(c); err != nil {
		return err
	}
	if !r.Passed {
		return cli.Negative(fmt.Sprintf("%s: the outputs are not as expected: %s", c.FMU, r.cause()))
	}
	return nil
}

// refuseUnused returns an error about a field that no compared channel has.
func refuseUnused(fields [][]string) error {
	if len(fields) == 0 {
		return nil
	}
	for _, field := range fields[0] {
		if !slices.ContainsFunc(fields, func(list []string) bool { return !slices.Contains(list, field) }) {
			return cli.Unexpected("--tolerance and --ignore", fmt.Sprintf("%q", field), "names of a path in the messages, without indices, such as base.position")
		}
	}
	return nil
}

// isConditions reports whether a file holds conditions and not a trace.
func isConditions(name string) bool {
	ending := strings.ToLower(filepath.Ext(name))
	return ending == ".yaml" || ending == ".yml"
}

// conditions judges the recorded trace by a file of conditions: the outputs, and with metrics the
// inputs, too.
func (t *fmuTest) conditions(name string, r *testResult) error {
	f, err := os.Open(name)
	if err != nil {
		return cli.Invalid("--expect", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	c, err := expect.Read(name, f)
	if err != nil {
		return err
	}
	verdicts, err := c.Judge(func() (trace.Source, error) { return trace.Open(t.found, trace.Options{}) }, expect.Options{Topics: t.outputs()})
	var placed *fault.Error
	if errors.As(err, &placed) && placed.Place.File == "" {
		located := *placed
		located.Place.File = name
		return &located
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, v := range verdicts {
		r.Passed = r.Passed && v.Passed
		r.Verdicts = append(r.Verdicts, testVerdict{Name: filepath.Base(name) + ": " + v.Name, Passed: v.Passed, Cause: v.Cause, Messages: v.Messages,
			Differences: v.Failures})
	}
	return nil
}

// cause returns the cause of the first negative verdict.
func (r *testResult) cause() string {
	for _, v := range r.Verdicts {
		if !v.Passed {
			return v.Cause
		}
	}
	return ""
}

// compare compares the recorded trace with one of expected outputs. It returns the fields of
// tolerances that have no effect.
func (t *fmuTest) compare(name string, r *testResult) (unused []string, err error) {
	expected, err := trace.Open(name, trace.Options{Type: t.command.Type})
	if err != nil {
		return nil, cli.Invalid("--expect", err)
	}
	defer func() { _ = expected.Close() }() // it was only read
	found, err := trace.Open(t.found, trace.Options{Select: trace.Selection{Topics: t.outputs()}})
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }() // it was only read
	c := t.command
	o := compare.Options{ExactIDs: c.ExactIDs, Topics: c.Channel, Found: t.outputs(), Most: max(1, c.Most)}
	if o.Tolerances, err = c.tolerances(); err != nil {
		return nil, err
	}
	if o.Time, err = timebase.FromSeconds(c.TimeLimit); err != nil {
		return nil, cli.Invalid("--time-tolerance", err)
	}
	report, err := compare.Traces(expected, found, o)
	if err != nil {
		return nil, err
	}
	if len(report.Channels) == 0 {
		return nil, cli.Unexpected("--expect", name+" without a channel that is compared", "at least one of "+run.ChannelList(expected.Channels()))
	}
	r.add(filepath.Base(name), report)
	return report.Unused, nil
}

// add adds the verdicts of a comparison, one for each channel.
func (r *testResult) add(name string, report *compare.Report) {
	for _, c := range report.Channels {
		v := testVerdict{Name: name + ": " + c.Topic, Passed: c.Differences == 0, Messages: c.Messages, Differences: c.Differences}
		for _, d := range report.Differences {
			if d.Channel == c.Topic && !v.Passed && v.Cause == "" {
				v.Cause = d.String()
			}
		}
		if !v.Passed && v.Cause == "" {
			v.Cause = fmt.Sprintf("%d differences", c.Differences)
		}
		r.Passed = r.Passed && v.Passed
		r.Verdicts = append(r.Verdicts, v)
	}
	r.Differences = append(r.Differences, report.Differences...)
}

// write writes the result to all requested places.
func (r *testResult) write(c *Command) error {
	if c.JUnit != "" {
		if err := cli.WriteFile(c.JUnit, r.writeJUnit); err != nil {
			return err
		}
	}
	if c.JSON {
		return cli.Flushed(cli.WriteIndentedJSON(os.Stdout, r))
	}
	return cli.Flushed(r.print(os.Stdout, c.Most))
}

func (r *testResult) print(out io.Writer, most int) error {
	for k, d := range r.Differences {
		if k == most {
			break
		}
		fmt.Fprintf(out, "  %s\n", d)
	}
	for _, v := range r.Verdicts {
		word, rest := "passed", quantity.Of(v.Messages, "message")
		if !v.Passed {
			word = "FAILED"
			rest += fmt.Sprintf(", %s differences, first: %s", quantity.Grouped(v.Differences), v.Cause)
		}
		fmt.Fprintf(out, "%s  %s: %s\n", word, v.Name, rest)
	}
	_, err := fmt.Fprintf(out, "%s: %s steps to %v s\n", r.FMU, quantity.Grouped(r.Steps), r.Reached)
	return err
}

// writeJUnit writes one test case for each verdict.
func (r *testResult) writeJUnit(w io.Writer) error {
	suite := junit.Suite{Name: filepath.Base(r.FMU)}
	for _, v := range r.Verdicts {
		c := junit.Case{Name: v.Name, Class: suite.Name}
		if !v.Passed {
			c.Failure = &junit.Failure{Message: v.Cause}
			for _, d := range r.Differences {
				if strings.HasSuffix(v.Name, ": "+d.Channel) {
					c.Failure.Text += d.String() + "\n"
				}
			}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite.Write(w)
}
