package play

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gosmp/internal/junit"
	"gosmp/internal/release"
	"gosmp/scenario"
	"gosmp/timebase"
)

// Outcome is the outcome of a run.
type Outcome string

// The outcomes.
const (
	Passed      Outcome = "passed"      // all requirements are satisfied
	Failed      Outcome = "failed"      // one is not
	Undecided   Outcome = "undecided"   // one cannot be judged
	Finished    Outcome = "finished"    // the scenario ended, and nothing was required
	TimedOut    Outcome = "timeout"     // the scenario did not end
	Interrupted Outcome = "interrupted" // by the user
	Broken      Outcome = "error"       // an action or writing a file failed
)

// Result describes how a run went. It contains nothing that differs between identical runs. Its
// JSON form is part of the command's contract.
type Result struct {
	FormatVersion int               `json:"formatVersion"`
	Command       string            `json:"command"`
	Versions      map[string]string `json:"versions"`
	File          string            `json:"file"`
	SHA256        string            `json:"sha256,omitempty"`
	Map           string            `json:"map,omitempty"`
	MapSHA256     string            `json:"mapSha256,omitempty"`
	Point         *int              `json:"point,omitempty"` // the point of a distribution
	Parameters    map[string]string `json:"parameters"`
	Models        []Model           `json:"models,omitempty"`
	Seed          uint64            `json:"seed"`
	StepSize      float64           `json:"stepSize"` // s
	Outcome       Outcome           `json:"outcome"`
	Time          float64           `json:"time"` // of the end, s
	EndedBy       string            `json:"endedBy"`
	Steps         int64             `json:"steps"`
	Lag           *timebase.Lag     `json:"lag,omitempty"` // of a run in real time
	Verdicts      []Verdict         `json:"verdicts"`
	Collisions    []Collision       `json:"collisions"`
	Events        []Event           `json:"events"`
	Notes         []Note            `json:"notes"`
	Waits         []Wait            `json:"waits"`
	Halved        *Halved           `json:"halved,omitempty"`
	Monitors      []Monitor         `json:"monitors"`
	TraceHash     string            `json:"traceHash"`
	Files         []string          `json:"files"`
	ExitCode      int               `json:"exitCode"`
	Cause         string            `json:"cause,omitempty"`
	Repeat        string            `json:"repeat,omitempty"` // command that repeats the run
}

// Model is a participant other than the storyboard: a system under test, a driver or a sensor.
type Model struct {
	Entity string `json:"entity"`
	Role   string `json:"role"` // tested, drives or senses
	File   string `json:"file"`
	FMUs   []FMU  `json:"fmus,omitempty"`
}

// String returns the model in words.
func (m Model) String() string {
	if m.Role == "senses" {
		return m.File + " senses from " + m.Entity
	}
	return m.File + " moves " + m.Entity
}

// FMU is one of a model's FMUs.
type FMU struct {
	Name       string `json:"name"`
	SHA256     string `json:"sha256"`
	FMIVersion string `json:"fmiVersion"`
}

// Halved describes how the same run ends with half the step size.
type Halved struct {
	StepSize float64   `json:"stepSize"` // s
	Outcome  Outcome   `json:"outcome"`
	Time     float64   `json:"time"` // of the end, s
	Verdicts []Verdict `json:"verdicts"`
	// Distance is the largest distance of an entity from its position in the original run, in m. At
	// is the time at which it occurs.
	Distance float64 `json:"distance"`
	Entity   string  `json:"entity,omitempty"`
	At       float64 `json:"at"`
}

// String describes how much the outcome changes.
func (h *Halved) String() string {
	text := "with half the step, " + number(h.StepSize) + " s: " + string(h.Outcome) + " at " +
		number(h.Time) + " s"
	if h.Entity == "" {
		return text + "; all entities are where they were"
	}
	return text + "; " + h.Entity + " is up to " + number(h.Distance) +
		" m from where it was, at " + number(h.At) + " s"
}

// changed describes the verdicts that change with half the step size.
func (h *Halved) changed(before []Verdict) (lines []string) {
	for k, v := range h.Verdicts {
		if k >= len(before) || before[k].Passed == v.Passed && before[k].Value == nil {
			continue
		}
		line := v.Requirement + ": "
		switch old := before[k]; {
		case old.Passed != v.Passed:
			line = v.String() + ", which it is not with the whole step"
		case v.Value != nil:
			line += number(*old.Value) + " becomes " + number(*v.Value)
		default:
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// Event is a transition of an element.
type Event struct {
	Time       float64 `json:"time"`
	Element    string  `json:"element"`
	Transition string  `json:"transition"`
	State      string  `json:"state"`
	Place      string  `json:"place"`
	Cause      string  `json:"cause,omitempty"`
}

// Note is something that has happened to an entity.
type Note struct {
	Time   float64 `json:"time"`
	Kind   string  `json:"kind"`
	Entity string  `json:"entity,omitempty"`
	Other  string  `json:"other,omitempty"`
	Text   string  `json:"text,omitempty"`
}

// Wait is an element that had not ended, and the conditions that it was waiting for.
type Wait struct {
	Element    string `json:"element"`
	State      string `json:"state"`
	Place      string `json:"place"`
	Conditions []Open `json:"conditions,omitempty"`
}

// Open is a condition that was not true at its last evaluation.
type Open struct {
	Name  string `json:"name"`
	Place string `json:"place"`
	Value string `json:"value"`
}

// Monitor is the value of a monitor at the end.
type Monitor struct {
	Name  string `json:"name"`
	Value bool   `json:"value"`
}

// Collision is the start of an overlap between the ego vehicle, or a trailer that it tows, and
// another entity. An obstacle that both hit has two collisions.
type Collision struct {
	Time        float64 `json:"time"`
	Entity      string  `json:"entity"`
	Other       string  `json:"other"`
	ImpactSpeed float64 `json:"impactSpeed"` // of the entity at the collision, m/s
	OtherSpeed  float64 `json:"otherSpeed"`  // m/s
}

func newResult(s *scenario.Scenario, o Options) *Result {
	r := &Result{FormatVersion: 1, Command: "run", Versions: map[string]string{
		"gosmp": release.Tool}, File: s.File, Map: s.MapFile(), Parameters: map[string]string{},
		StepSize: o.Step.Seconds(), Verdicts: []Verdict{}, Collisions: []Collision{},
		Events: []Event{}, Notes: []Note{}, Waits: []Wait{}, Monitors: []Monitor{},
		Files: []string{}}
	for _, p := range s.Parameters {
		r.Parameters[p.Name] = p.Value.String()
	}
	return r
}

// decide sets the outcome, and the exit code that the run contract assigns to it.
func (r *Result) decide(err error) {
	switch {
	case err != nil:
		r.Outcome, r.ExitCode, r.Cause = Broken, 2, err.Error()
		return
	case r.EndedBy == interruption:
		r.Outcome, r.ExitCode, r.Cause = Interrupted, 1, "interrupted"
		return
	}
	failed, undecided := r.first(false), r.first(true)
	switch {
	case r.EndedBy == exitFailure:
		r.Outcome, r.ExitCode, r.Cause = Failed, 1, "the scenario has sent exitFailure"
	case failed != nil:
		r.Outcome, r.ExitCode, r.Cause = Failed, 1, failed.Cause
	case r.EndedBy == duration && r.stuck():
		r.Outcome, r.ExitCode = TimedOut, 3
		r.Cause = "the scenario has not ended within " + number(r.Time) + " s"
	case undecided != nil:
		r.Outcome, r.ExitCode, r.Cause = Undecided, 1, undecided.Cause
	case len(r.Verdicts) > 0 || r.EndedBy == exitSuccess:
		r.Outcome = Passed
	default:
		r.Outcome = Finished
	}
}

// stuck reports whether the storyboard is still waiting for something.
func (r *Result) stuck() bool { return len(r.Waits) > 0 }

// first returns the first verdict that is undecided or negative.
func (r *Result) first(undecided bool) *Verdict {
	for k := range r.Verdicts {
		if v := &r.Verdicts[k]; !v.Passed && v.Undecided == undecided {
			return v
		}
	}
	return nil
}

// Title returns the file and its point.
func (r *Result) Title() string {
	if r.Point != nil {
		return r.File + " point " + strconv.Itoa(*r.Point)
	}
	return r.File
}

// Print writes the result in human-readable form.
func (r *Result) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s at %s s, ended by %s\n", r.Title(), r.Outcome, number(r.Time),
		r.EndedBy)
	if r.Lag != nil {
		fmt.Fprintf(&b, "  %s\n", r.Lag)
	}
	for _, m := range r.Models {
		fmt.Fprintf(&b, "  %s\n", m)
	}
	for _, v := range r.Verdicts {
		fmt.Fprintf(&b, "  %s\n", v)
	}
	for _, c := range r.Collisions {
		fmt.Fprintf(&b, "  collision of %s with %s at %s s, impact speed %s m/s\n", c.Entity,
			c.Other,
			number(c.Time), number(c.ImpactSpeed))
	}
	for _, m := range r.Monitors {
		fmt.Fprintf(&b, "  monitor %s is %v\n", m.Name, m.Value)
	}
	if r.Halved != nil {
		fmt.Fprintf(&b, "  %s\n", r.Halved)
		for _, line := range r.Halved.changed(r.Verdicts) {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	if len(r.Waits) > 0 {
		b.WriteString("  not ended:\n")
	}
	for _, x := range r.Waits {
		fmt.Fprintf(&b, "    %s, %s (%s)\n", x.Element, x.State, x.Place)
		for _, c := range x.Conditions {
			fmt.Fprintf(&b, "      waits for %s: %s\n", c.Name, c.Value)
		}
	}
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s\n", f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// properties describes the run for JUnit.
func (r *Result) properties() (list []junit.Property) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, junit.Property{Name: name, Value: value})
		}
	}
	for _, m := range r.Models {
		add(m.Role, m.String())
	}
	add("outcome", string(r.Outcome))
	add("endedBy", r.EndedBy)
	add("seed", strconv.FormatUint(r.Seed, 10))
	add("traceHash", r.TraceHash)
	for _, program := range sortedNames(r.Versions) {
		add("version "+program, r.Versions[program])
	}
	add("command", r.Repeat)
	add("cause", r.Cause)
	for _, x := range [][2]string{{r.File, r.SHA256}, {r.Map, r.MapSHA256}} {
		add("sha256 "+x[0], x[1])
	}
	for _, m := range r.Models {
		for _, f := range m.FMUs {
			add("sha256 "+f.Name, f.SHA256)
		}
	}
	return list
}

// WriteJUnit writes a test case for each requirement, and one for the end of the scenario.
func (r *Result) WriteJUnit(w io.Writer) error {
	suite := junit.Suite{Name: r.Title(), File: r.File, Time: r.Time}
	for _, name := range sortedNames(r.Parameters) {
		suite.Properties = append(suite.Properties, junit.Property{Name: name,
			Value: r.Parameters[name]})
	}
	suite.Properties = append(suite.Properties, r.properties()...)
	end := junit.Case{Name: "ends", Class: r.File, Time: junit.Seconds(r.Time)}
	problem := &junit.Failure{Message: r.Cause, Text: r.waiting()}
	switch {
	case r.Outcome == Broken || r.Outcome == Interrupted:
		end.Error = problem
	case r.Outcome == TimedOut || r.EndedBy == exitFailure:
		end.Failure = problem
	}
	suite.Cases = append(suite.Cases, end)
	for _, v := range r.Verdicts {
		c := junit.Case{Name: v.Requirement, Class: r.File, Time: junit.Seconds(r.Time)}
		switch {
		case v.Undecided:
			c.Error = &junit.Failure{Message: v.Cause}
		case !v.Passed:
			c.Failure = &junit.Failure{Message: v.Cause, Text: v.After}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite.Write(w)
}

func (r *Result) waiting() string {
	var b strings.Builder
	for _, x := range r.Waits {
		fmt.Fprintf(&b, "%s: %s, %s\n", x.Place, x.Element, x.State)
		for _, c := range x.Conditions {
			fmt.Fprintf(&b, "%s: waits for %s: %s\n", c.Place, c.Name, c.Value)
		}
	}
	return b.String()
}

// number formats a number for display.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
