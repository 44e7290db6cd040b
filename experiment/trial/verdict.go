package trial

import (
	"encoding/json"
	"fmt"
	"io"

	"gosmp/experiment/scxml"
	"gosmp/internal/junit"
	"gosmp/internal/release"
)

// Judgment is the outcome of a state machine.
type Judgment struct {
	Machine string          `json:"machine"`
	Role    string          `json:"role"`    // control or evaluation
	Outcome string          `json:"outcome"` // the id of its final state, or undecided
	Time    float64         `json:"time"`    // s, of the end of the machine or of the trial
	Data    json.RawMessage `json:"data,omitempty"`
	Cause   string          `json:"cause,omitempty"` // the event and transition that led to the outcome, or an error
}

// Verdict is the outcome of a trial; its JSON is a contract.
type Verdict struct {
	FormatVersion int        `json:"formatVersion"` // 1
	Experiment    string     `json:"experiment"`
	Passed        bool       `json:"passed"`
	Outcome       string     `json:"outcome"` // passed, failed, timeout or error
	EndedBy       string     `json:"endedBy"` // decision, timeout, stop: REASON, stopped, a participant, error
	Cause         string     `json:"cause,omitempty"`
	State         State      `json:"state"`
	Time          float64    `json:"time"` // s
	Steps         int64      `json:"steps"`
	Seed          uint64     `json:"seed"`
	SeedDrawn     bool       `json:"seedDrawn"`
	TraceHash     string     `json:"traceHash"`     // SHA-256 of all plain outputs at all steps
	Set           []string   `json:"set,omitempty"` // NAME=VALUE of each setting
	Judgments     []Judgment `json:"judgments"`
	Inputs        []Input    `json:"inputs"`
	Version       string     `json:"version"` // of gosmp
	Command       string     `json:"command"` // that repeats the run
}

func outcome(id string) string {
	if id == "" {
		return "undecided"
	}
	return id
}

// Verdict returns the outcome of the trial so far.
func (t *Trial) Verdict() *Verdict {
	v := &Verdict{FormatVersion: 1, Experiment: t.description.Name, State: t.state, EndedBy: t.endedBy, Time: t.Now().Seconds(), Steps: t.steps, Seed: t.seed,
		SeedDrawn: t.drawn, Judgments: []Judgment{}, Inputs: t.hashes, Version: release.Version,
		Command: fmt.Sprintf("gosmp run %s --rng-seed %d", t.description.File, t.seed)}
	for _, s := range t.options.Set {
		v.Set = append(v.Set, s.String())
		v.Command += " --set " + Quoted(s.String())
	}
	if t.hash != nil {
		v.TraceHash = t.hash.Sum()
	}
	if t.cause != nil {
		v.Cause = t.cause.Error()
	}
	succeeded, failed, judges := 0, 0, 0
	for k := range t.machines {
		j := t.judgment(k)
		if v.Judgments = append(v.Judgments, j); j.Role == "control" {
			continue
		}
		judges++
		switch j.Outcome {
		case "success":
			succeeded++
		case "failure":
			if failed++; v.Cause == "" {
				v.Cause = j.Machine + ": " + j.Cause
			}
		}
	}
	v.Passed = t.cause == nil && succeeded == judges
	switch {
	case t.cause != nil:
		v.Outcome = "error"
	case v.Passed:
		v.Outcome = "passed"
	case failed == 0 && t.endedBy == byTimeout:
		v.Outcome = "timeout"
	default:
		v.Outcome = "failed"
	}
	return v
}

func (t *Trial) judgment(k int) Judgment {
	m := t.machines[k]
	id, data := m.Outcome()
	j := Judgment{Machine: t.charts[k].name, Role: "control", Outcome: outcome(id), Time: t.Now().Seconds()}
	if t.charts[k].evaluates {
		j.Role = "evaluation"
	}
	if !data.IsUndefined() && !data.IsXML() {
		j.Data = json.RawMessage(data.Text())
	}
	var event, cause, by scxml.Record // the last transition, and the event that was taken before it
	for _, r := range t.records {
		if r.Machine != m.ID() {
			continue
		}
		switch r.Kind {
		case scxml.Took:
			event = r
		case scxml.Followed:
			cause, by = r, event
		case scxml.Ended:
			j.Time = r.Time.Seconds()
		}
	}
	j.Cause = causeText(cause, by)
	if err := m.Err(); err != nil {
		j.Cause = err.Error()
	}
	return j
}

// causeText describes a transition and the event that caused it, which may be missing, as may be both.
func causeText(transition, event scxml.Record) string {
	if transition.Kind != scxml.Followed {
		return ""
	}
	text := fmt.Sprintf("from %s to %s in line %d at %s s", transition.State, transition.Text, transition.Line, scxml.Seconds(transition.Time))
	if event.Event != "" {
		text += " by " + event.Event
		if event.Text != "" {
			text += " " + event.Text
		}
	}
	return text
}

// ExitCode is that of the run contract: 0 passed, 1 failed, 3 timeout, 4 a participant or gosmp has
// failed.
func (v *Verdict) ExitCode() int {
	return map[string]int{"passed": 0, "failed": 1, "timeout": 3, "error": 4}[v.Outcome]
}

// WriteJSON writes the verdict.
func (v *Verdict) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// WriteJUnit writes one test case for each evaluation machine.
func (v *Verdict) WriteJUnit(w io.Writer) error {
	suite := junit.Suite{Name: v.Experiment}
	add := func(name, outcome, cause string, time float64) {
		c := junit.Case{Name: name, Class: v.Experiment, Time: fmt.Sprintf("%.3f", time)}
		if outcome != "success" && outcome != "passed" {
			c.Failure = &junit.Failure{Message: outcome + ": " + cause}
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, j := range v.Judgments {
		if j.Role == "evaluation" {
			add(j.Machine, j.Outcome, j.Cause, j.Time)
		}
	}
	if len(suite.Cases) == 0 || v.Outcome == "error" {
		add("run", v.Outcome, v.Cause, v.Time)
	}
	return suite.Write(w)
}
