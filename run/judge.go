package run

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/junit"
	"gosmp/internal/regular"
	"gosmp/internal/wholefile"
	"gosmp/run/usage"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/compare"
	"gosmp/trace/expect"
)

// TestResult is the result of a test. Its JSON form is a contract.
type TestResult struct {
	FormatVersion int                  `json:"formatVersion"`
	FMU           string               `json:"fmu"`
	SHA256        string               `json:"sha256"`
	Trace         string               `json:"trace"`
	Passed        bool                 `json:"passed"`
	Steps         int64                `json:"steps"`
	Reached       float64              `json:"reached"`
	Verdicts      []TestVerdict        `json:"verdicts"`
	Differences   []compare.Difference `json:"differences"`
	Files         []string             `json:"files"`

	Updated []Updated `json:"-"`
}

// Updated is a trace of expected outputs that a test wrote.
type Updated struct {
	File     string
	Messages int64
}

// TestVerdict is the verdict on one channel or one condition.
type TestVerdict struct {
	Name        string `json:"name"`
	Passed      bool   `json:"passed"`
	Cause       string `json:"cause,omitempty"`
	Messages    int64  `json:"messages"`
	Differences int64  `json:"differences"`
	// Skipped means that there was nothing to compare, neither expected nor found values.
	Skipped bool `json:"skipped,omitempty"`
}

// judge compares the recorded outputs with the expected ones, and returns the verdicts.
func (t *fmuTest) judge() (*TestResult, error) {
	c, f := t.o, t.run.System.Parts[0].FMU
	r := &TestResult{
		FormatVersion: 1,
		FMU:           f.Path,
		SHA256:        f.SHA256,
		Trace:         c.Trace,
		Passed:        true,
		Steps:         t.run.Result.Steps,
		Reached:       t.run.Result.Reached.Seconds(),
		Verdicts:      []TestVerdict{},
		Differences:   []compare.Difference{},
		Files:         []string{},
	}
	if c.Record != "" {
		r.Files = append(r.Files, c.Record)
	}
	var traces []unmatched // names in options that an expected trace does not have
	for _, name := range c.Expect {
		var err error
		switch {
		case isConditions(name):
			err = t.conditions(name, r)
		case c.Update:
			err = t.update(name, r)
			r.Files = append(r.Files, name)
		default:
			var u unmatched
			u, err = t.compare(name, r)
			traces = append(traces, u)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := refuseUnmatched(traces); err != nil {
		return nil, err
	}
	return r, nil
}

// unmatched lists names in options that an expected trace does not have.
type unmatched struct{ fields, channels []string }

// refuseUnmatched returns an error about a name that no expected trace has.
func refuseUnmatched(traces []unmatched) error {
	for _, kind := range []struct {
		of               func(*unmatched) []string
		option, expected string
	}{
		{
			func(u *unmatched) []string { return u.fields },
			"--tolerance and --ignore",
			"names of a path in the messages, without indices, such as base.position",
		},
		{
			func(u *unmatched) []string { return u.channels },
			"--channel",
			"a topic, its last part, or a type of an expected trace",
		},
	} {
		for k := range traces {
			for _, name := range kind.of(&traces[k]) {
				if !slices.ContainsFunc(traces, func(u unmatched) bool {
					return !slices.Contains(kind.of(&u), name)
				}) {
					return usage.Unexpected(kind.option, fmt.Sprintf("%q", name), kind.expected)
				}
			}
		}
	}
	return nil
}

// isConditions reports whether a file contains conditions rather than a trace.
func isConditions(name string) bool {
	ending := strings.ToLower(filepath.Ext(name))
	return ending == ".yaml" || ending == ".yml"
}

// readExpected reads the conditions, and tries the traces of expected outputs, so that nothing runs
// in vain.
func (t *fmuTest) readExpected() error {
	t.known = map[string]*expect.Conditions{}
	for _, name := range t.o.Expect {
		if !isConditions(name) {
			if t.o.Update || wholefile.Direct(name) {
				continue // it is written, or a pipe that can be read only once
			}
			s, err := trace.Open(name, trace.Options{Type: t.o.Type})
			if err != nil {
				return usage.Invalid("--expect", err)
			}
			_ = s.Close() // was only read
			continue
		}
		f, err := regular.OpenStream(name)
		if err != nil {
			return usage.Invalid("--expect", err)
		}
		c, err := expect.Read(name, f)
		_ = f.Close() // was only read
		if err != nil {
			return err
		}
		t.known[name] = c
	}
	return nil
}

// conditions judges the recorded trace by a file of conditions. The trace has the inputs and the
// outputs; channels of conditions are outputs, and metrics may use both.
func (t *fmuTest) conditions(name string, r *TestResult) error {
	verdicts, err := t.known[name].Judge(
		func() (trace.Source, error) { return t.recorded(trace.Options{}) },
		expect.Options{Topics: t.outputs()},
	)
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
		r.Verdicts = append(
			r.Verdicts,
			TestVerdict{
				Name:        filepath.Base(name) + ": " + v.Name,
				Passed:      v.Passed,
				Cause:       v.Cause,
				Messages:    v.Messages,
				Differences: v.Failures,
			},
		)
	}
	return nil
}

// Cause returns the cause of the first negative verdict.
func (r *TestResult) Cause() string {
	for _, v := range r.Verdicts {
		if !v.Passed && !v.Skipped {
			return v.Cause
		}
	}
	return ""
}

// compare compares the recorded trace with a trace of expected outputs. It returns the names in
// options that the expected trace does not have.
func (t *fmuTest) compare(name string, r *TestResult) (u unmatched, err error) {
	expected, err := trace.Open(name, trace.Options{Type: t.o.Type})
	if err != nil {
		return u, usage.Invalid("--expect", err)
	}
	defer func() { _ = expected.Close() }() // was only read
	topics, err := trace.ResolveIn(func() (trace.Source, error) {
		return trace.Open(name, trace.Options{Type: t.o.Type})
	}, t.o.Channels)
	if err != nil {
		return u, usage.Invalid("--channel", err)
	}
	found, err := t.recorded(trace.Options{Select: trace.Selection{Topics: t.outputs()}})
	if err != nil {
		return u, err
	}
	defer func() { _ = found.Close() }() // was only read
	c := t.o
	o := compare.Options{
		Tolerances: c.Tolerances,
		ExactIDs:   c.ExactIDs,
		Topics:     topics,
		Found:      t.outputs(),
		Most:       max(1, c.Most),
	}
	if o.Time, err = timebase.FromSeconds(c.TimeLimit); err != nil {
		return u, usage.Invalid("--time-tolerance", err)
	}
	report, err := compare.Traces(expected, found, o)
	if err != nil {
		return u, err
	}
	if len(report.Channels) == 0 && len(t.o.Channels) > 0 {
		return u, usage.Unexpected("--channel", strings.Join(t.o.Channels, " and ")+
			", which "+name+" does not have", "one of "+channelList(expected.Channels()))
	}
	if len(report.Channels) == 0 {
		return u, usage.Unexpected(
			"--expect",
			name+" without a channel that is compared",
			"at least one of "+channelList(expected.Channels()),
		)
	}
	r.add(filepath.Base(name), report)
	u.fields = report.Unused
	selection := trace.Selection{Topics: topics}
	u.channels = selection.Missing(expected.Channels())
	return u, nil
}

// add adds the verdicts of a comparison, one for each channel.
func (r *TestResult) add(name string, report *compare.Report) {
	for _, c := range report.Channels {
		v := TestVerdict{
			Name:        name + ": " + c.Topic,
			Passed:      c.Differences == 0,
			Messages:    c.Messages,
			Differences: c.Differences,
		}
		for _, d := range report.Differences {
			if d.Channel == c.Topic && !v.Passed && v.Cause == "" {
				v.Cause = d.String()
			}
		}
		if !v.Passed && v.Cause == "" {
			v.Cause = fmt.Sprintf("%d differences", c.Differences)
		}
		if v.Passed && c.Messages == 0 {
			v.Passed, v.Skipped = false, report.Count > 0 || report.Compared() > 0
			v.Cause = "found no message, neither expected nor of the FMU"
		}
		r.Passed = r.Passed && (v.Passed || v.Skipped)
		r.Verdicts = append(r.Verdicts, v)
	}
	r.Differences = append(r.Differences, report.Differences...)
}

// WriteJUnit writes one test case for each verdict.
func (r *TestResult) WriteJUnit(w io.Writer) error {
	suite := junit.Suite{Name: filepath.Base(r.FMU)}
	for _, v := range r.Verdicts {
		c := junit.Case{Name: v.Name, Class: suite.Name}
		if v.Skipped {
			c.Skipped = v.Cause
		} else if !v.Passed {
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
