package trial

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/internal/release"
	"gosmp/timebase"
)

// Judgment is the outcome of a state machine.
type Judgment struct {
	Machine string `json:"machine"`
	Role    string `json:"role"`    // control or evaluation
	Outcome string `json:"outcome"` // the id of its final state, or undecided
	// not executed by gosmp, or the trial did not begin
	NotRun bool `json:"notRun,omitempty"`
	// time at which the machine or the trial ended, in s
	Time   float64         `json:"time"`
	States []string        `json:"states,omitempty"` // active states, if it has not ended
	Data   json.RawMessage `json:"data,omitempty"`
	Reason string          `json:"reason,omitempty"` // the author's reason, from the donedata
	// the cause of the outcome, what the machine waits for, or an error
	Cause string `json:"cause,omitempty"`
	File  string `json:"file,omitempty"` // file of the machine
	// line of its last transition, or in the description
	Line   int  `json:"line,omitempty"`
	broken bool // ended by an error
	// ended with a transition for an error; its work is incomplete
	byError bool
}

const control, evaluation = "control", "evaluation"

// outside is the cause of a machine that ended without a final state.
const outside = "ended outside of its final states"

// Verdict is the outcome of a trial; its JSON is a contract.
type Verdict struct {
	FormatVersion int    `json:"formatVersion"` // 1
	Experiment    string `json:"experiment"`
	Passed        bool   `json:"passed"`
	Outcome       string `json:"outcome"` // one of Outcomes
	// decision, timeout, stop: REASON, stopped, a participant, the scenario: REASON, interruption,
	// error
	EndedBy string `json:"endedBy"`
	Cause   string `json:"cause,omitempty"`
	// clock on which the timeout is measured: simulation or real
	TimeoutClock string         `json:"timeoutClock"`
	State        State          `json:"state"`
	Time         float64        `json:"time"` // s
	Steps        int64          `json:"steps"`
	Lag          *timebase.Lag  `json:"lag,omitempty"` // of a run in real time
	Seed         uint64         `json:"seed"`
	SeedDrawn    bool           `json:"seedDrawn"`
	TraceHash    string         `json:"traceHash"`     // SHA-256 of all plain outputs in all steps
	Set          []string       `json:"set,omitempty"` // NAME=VALUE of each setting
	Judgments    []Judgment     `json:"judgments"`
	Errors       []MachineError `json:"errors,omitempty"` // unhandled errors
	// number of different errors beyond those in Errors
	MoreErrors int `json:"moreErrors,omitempty"`
	// variables that were not numbers in some steps
	Undefined []Undefined `json:"undefined,omitempty"`
	// about parts of the description that the run did not execute, and about Undefined
	Warnings []string `json:"warnings,omitempty"`
	Inputs   []Input  `json:"inputs"`
	Version  string   `json:"version"` // of gosmp
	Command  string   `json:"command"` // command that repeats the run
}

// Verdict returns the outcome of the trial so far.
func (t *Trial) Verdict() *Verdict {
	v := &Verdict{FormatVersion: 1, Experiment: t.description.Name, State: t.state,
		EndedBy: t.endedBy, TimeoutClock: t.timeoutClock(), Time: t.seconds(), Steps: t.steps,
		Seed: t.seed, SeedDrawn: t.drawn, Judgments: []Judgment{}, Undefined: t.undefined(),
		Inputs: t.hashes, Version: release.Version, Command: t.repetition()}
	for _, s := range t.options.Set {
		v.Set = append(v.Set, s.String())
	}
	if t.engine != nil {
		v.Lag = t.engine.Result().Lag
	}
	if t.hash != nil {
		v.TraceHash = t.hash.Sum()
	}
	k := 0
	for i, list := range [][]experiment.Machine{t.description.Control, t.description.Evaluation} {
		role := []string{control, evaluation}[i]
		for _, m := range list {
			switch {
			case m.Kind != experiment.SCXML:
				v.Judgments = append(v.Judgments, t.notExecuted(m, role))
				continue
			case k >= len(t.machines):
				j := t.notExecuted(m, role)
				j.Cause = "did not run: the simulation did not begin"
				v.Judgments = append(v.Judgments, j)
			default:
				v.Judgments = append(v.Judgments, t.judgment(k, role))
			}
			k++
		}
	}
	l := t.errorLog()
	l.rest()
	v.Errors, v.MoreErrors = slices.Clone(l.List), l.More
	v.Warnings = slices.Clone(t.warnings)
	for _, u := range v.Undefined {
		v.Warnings = append(v.Warnings, u.String())
	}
	v.Outcome, v.Cause = decide(t.cause, t.endedBy, v.Judgments, v.Errors,
		strings.Join(append(blindness(v.Undefined), t.unseen()...), "; "))
	v.Passed = v.Outcome == Passed
	return v
}

// repetition returns the command that repeats the run.
func (t *Trial) repetition() string {
	c := fmt.Sprintf("gosmp run %s --rng-seed %d", Quoted(cmp.Or(t.options.Named,
		t.description.File)), t.seed)
	for _, s := range t.options.Set {
		c += " --set " + Quoted(s.String())
	}
	for _, word := range t.options.Words {
		c += " " + Quoted(word)
	}
	return c
}

// notExecuted returns the judgment of a machine that gosmp does not execute.
func (t *Trial) notExecuted(m experiment.Machine, role string) Judgment {
	j := Judgment{Machine: m.ID, Role: role, Outcome: Undecided, NotRun: true, Time: t.seconds(),
		File: t.description.File, Line: m.Position.Line}
	j.Cause = fmt.Sprintf("did not run: gosmp does not execute machines of the type %s", m.Kind)
	if m.Src != "" {
		j.Cause += "; translate it: " + experiment.Translation(m.Src)
	}
	return j
}

func (t *Trial) judgment(k int, role string) Judgment {
	m, c := t.machines[k], &t.charts[k]
	id, data := m.Outcome()
	j := Judgment{Machine: c.name, Role: role, Outcome: cmp.Or(id, Undecided), Time: t.seconds(),
		File: c.chart.File}
	if !data.IsUndefined() && !data.IsXML() {
		j.Data = json.RawMessage(data.Text())
		j.Reason = reasonIn(j.Data)
	}
	var event, cause, by scxml.Record // the last transition, and the event taken before it
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
	j.Line, j.Cause = cause.Line, causeText(j.File, cause, by)
	switch err := m.Err(); {
	case err != nil:
		j.Cause, j.broken = err.Error(), true
	case m.Running():
		j.States = m.Configuration()
		j.Cause = waiting(m, j.File, j.Cause)
	case id != "" && id != success && id != failure && role == evaluation:
		j.Cause = fmt.Sprintf("ended in %q, which is neither success nor failure (%s)", id,
			cmp.Or(j.Cause, j.File))
	case id == "":
		j.Cause = cmp.Or(j.Cause, outside)
	default:
		j.byError = cause.Kind == scxml.Followed && isError(by.Event)
	}
	return j
}

// reasonIn returns the author's reason from the donedata: a text, or a text under one of these
// names.
func reasonIn(data json.RawMessage) (text string) {
	if json.Unmarshal(data, &text) == nil {
		return text
	}
	var members map[string]any
	if json.Unmarshal(data, &members) != nil {
		return ""
	}
	for _, name := range []string{"reason", "cause", "message", "text"} {
		if text, ok := members[name].(string); ok {
			return text
		}
	}
	return ""
}

// why returns the cause, and the author's reason if there is one.
func (j Judgment) why() string {
	text := j.Machine + ": " + j.Cause
	if j.Reason != "" {
		text += "; " + j.Reason
	}
	return text
}

// waiting describes which states of a machine are active, what led there, and what the machine
// waits for. The chart is in the file.
func waiting(m *scxml.Machine, file, cause string) string {
	text := "still in " + strings.Join(m.Configuration(), " and ")
	if cause != "" {
		text += " (" + cause + ")"
	}
	var awaited []string
	for _, q := range m.Active() {
		for _, x := range q.Transitions {
			what := strings.Join(x.Events, " or ")
			if x.Cond != nil {
				what = strings.TrimSpace(what + " if " + x.Cond.Text)
			}
			if line := fmt.Sprintf("%s (%s)", what, placed(file, x.Position.Line)); what != "" &&
				!slices.Contains(awaited, line) {
				awaited = append(awaited, line)
			}
		}
	}
	if len(awaited) == 0 {
		return text + ", which it does not leave"
	}
	const most = 5
	if n := len(awaited) - most; n > 0 {
		awaited = append(awaited[:most], fmt.Sprintf("%d more", n))
	}
	return text + ", waiting for " + strings.Join(awaited, ", ")
}

// placed returns FILE:LINE, or the file alone if the line is not known.
func placed(file string, line int) string { return fault.Place{File: file, Line: line}.String() }

// causeText describes a transition in a file and the event that caused it; the event or both may be
// missing.
func causeText(file string, transition, event scxml.Record) string {
	if transition.Kind != scxml.Followed {
		return ""
	}
	text := fmt.Sprintf("from %s to %s in %s at %s s", transition.State, transition.Text,
		placed(file, transition.Line), seconds(transition.Time))
	if event.Event != "" {
		text += " by " + event.Event
		if event.Text != "" {
			text += " " + readable(event.Text)
		}
	}
	return text
}

// WriteJSON writes the verdict.
func (v *Verdict) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
