package trial

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gosmp/internal/junit"
)

// WriteJUnit writes one test case for each evaluation machine, with a description of the run. A
// machine that did not decide is an error rather than a failure. A reason that keeps the verdict
// from being good and is not the result of an evaluation machine has its own case, so that a report
// is never better than the verdict.
func (v *Verdict) WriteJUnit(w io.Writer) error {
	suite := junit.Suite{Name: v.Experiment, File: v.file(), Time: v.Time,
		Properties: v.properties(), Out: strings.Join(v.Warnings, "\n")}
	bad := false
	for _, j := range v.Judgments {
		if j.Role != evaluation && !j.NotRun && !j.gaveUp() {
			continue
		}
		c := junit.Case{Name: j.Machine, Class: v.Experiment, Time: junit.Seconds(j.Time)}
		if j.Role == control {
			c.Name += " (control)"
		}
		switch {
		case j.Outcome == failure && j.Role == evaluation:
			c.Failure = j.problem()
		case j.Outcome != success:
			c.Error = j.problem()
		}
		bad = bad || c.Failure != nil || c.Error != nil
		suite.Cases = append(suite.Cases, c)
	}
	if good := Good(v.Outcome); len(suite.Cases) == 0 || !good && !bad || v.Outcome == Faulty ||
		v.Outcome == Interrupted {
		c := junit.Case{Name: "run", Class: v.Experiment, Time: junit.Seconds(v.Time)}
		if !good {
			c.Error = &junit.Failure{Message: v.Outcome + ": " + v.Cause}
		}
		suite.Cases = append(suite.Cases, c)
	}
	var left []string
	for _, e := range v.Errors {
		left = append(left, e.String())
	}
	suite.Err = strings.Join(left, "\n")
	return suite.Write(w)
}

// problem returns the reason why a machine did not end in success.
func (j Judgment) problem() *junit.Failure {
	text := j.Cause
	if j.File != "" {
		text = fmt.Sprintf("%s:%d: %s", j.File, max(1, j.Line), j.Cause)
	}
	if len(j.Data) > 0 {
		text += "\n" + string(j.Data)
	}
	message := j.Cause
	if j.Reason != "" {
		message = j.Reason
	}
	return &junit.Failure{Message: j.Outcome + ": " + message, Text: text}
}

// file returns the file of the description, which is always the first input.
func (v *Verdict) file() string {
	if len(v.Inputs) == 0 {
		return ""
	}
	return v.Inputs[0].File
}

func (v *Verdict) properties() []junit.Property {
	list := []junit.Property{{Name: "outcome", Value: v.Outcome}, {Name: "endedBy",
		Value: v.EndedBy}, {Name: "timeoutClock", Value: v.TimeoutClock},
		{Name: "steps", Value: strconv.FormatInt(v.Steps, 10)}, {Name: "seed",
			Value: strconv.FormatUint(v.Seed, 10)},
		{Name: "traceHash", Value: v.TraceHash}, {Name: "gosmp", Value: v.Version},
		{Name: "command", Value: v.Command}}
	if !Good(v.Outcome) {
		list = append(list, junit.Property{Name: "cause", Value: v.Cause})
	}
	for _, f := range v.Inputs {
		list = append(list, junit.Property{Name: "sha256 " + f.File, Value: f.SHA256})
	}
	return list
}
