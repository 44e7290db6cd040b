package explain

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment/trial"
	"gosmp/internal/plaintext"
	"gosmp/internal/similar"
	"gosmp/run"
	"gosmp/scenario/play"
	"gosmp/scenario/storyboard"
)

// explainScenario runs a scenario and shows its conditions.
func (c *Command) explainScenario() error {
	o := run.Defaults(c.ID)
	o.Point, o.Duration, o.Map = c.Point, c.Duration.Value(), c.Map
	for _, text := range c.Set {
		s, err := trial.ParseSetting(text)
		if err != nil {
			return err
		}
		o.Set = append(o.Set, s)
	}
	list, r, err := run.Explain(context.Background(), o, c.Condition, c.All)
	if err != nil {
		return cli.ExitWith(err, run.ExitCode(err))
	}
	if len(list) == 0 && c.Condition != "" {
		return c.noCondition(o)
	}
	if c.JSON {
		return cli.Flushed(cli.WriteIndentedJSON(os.Stdout, document(r, list)))
	}
	out := bufio.NewWriter(plaintext.Lines(os.Stdout))
	plaintext.Printf(out, "%s: %s at %v s, ended by %s\n", r.Title(), r.Outcome, r.Time, r.EndedBy)
	for _, h := range list {
		if c.Condition == "" {
			printSummary(out, h)
		} else {
			printHistory(out, h)
		}
	}
	return cli.Flushed(out.Flush())
}

// noCondition returns the error for a name that no condition has.
func (c *Command) noCondition(o run.Options) error {
	s, err := run.OpenScenario(o)
	if err != nil {
		return err
	}
	var names []string
	for _, x := range s.Board().Conditions() {
		names = append(names, x.Name)
	}
	expected := "the name of a condition; without --condition, all are listed"
	if hint := similar.Hint(c.Condition, names); hint != "" {
		expected += "; " + hint
	}
	return cli.Unexpected("--condition", fmt.Sprintf("%q", c.Condition), expected)
}

// about describes which element a condition belongs to, and how its result is derived.
func about(x *storyboard.Condition) string {
	trigger := "start"
	if x.Stop {
		trigger = "stop"
	}
	text := fmt.Sprintf("%s (%s trigger of %s, edge %s", x.Name, trigger, x.Owner, x.Edge)
	if x.Delay > 0 {
		text += fmt.Sprintf(", delay %v s", x.Delay)
	}
	return text + ")"
}

func printSummary(w io.Writer, h *run.History) {
	plaintext.Printf(w, "%s\n  %s\n", about(h.Condition), h.Condition.Place)
	switch {
	case h.Last == nil:
		fmt.Fprintln(w, "  never evaluated: its element never enters standby")
	case h.First == nil:
		plaintext.Printf(w, "  never true; at last, at %.6g s: %s\n", h.Last.Time, h.Last.Value)
	default:
		plaintext.Printf(w, "  true at %.6g s: %s\n", h.First.Time, h.First.Value)
	}
}

func printHistory(w io.Writer, h *run.History) {
	plaintext.Printf(w, "%s\n  %s\n", about(h.Condition), h.Condition.Place)
	plaintext.Printf(w, "  %10s  %-5s  %-5s  %-6s  %s\n", "time, s", "holds", "edge", "result",
		"value")
	for _, x := range h.Readings {
		plaintext.Printf(w, "  %10.3f  %-5v  %-5v  %-6v  %s\n", x.Time, x.Holds, x.Edge, x.Result,
			x.Value)
	}
	if h.Last != nil {
		plaintext.Printf(w, "  %d evaluations, the last at %.6g s: %s\n", h.Count, h.Last.Time,
			h.Last.Value)
	}
}

// explained is the JSON output.
type explained struct {
	FormatVersion int         `json:"formatVersion"`
	File          string      `json:"file"`
	Time          float64     `json:"time"`
	EndedBy       string      `json:"endedBy"`
	Conditions    []condition `json:"conditions"`
}

type condition struct {
	Name     string    `json:"name"`
	Element  string    `json:"element"`
	Place    string    `json:"place"`
	Edge     string    `json:"edge"`
	Delay    float64   `json:"delay"`
	Stop     bool      `json:"stopTrigger"`
	Count    int       `json:"evaluations"`
	First    *float64  `json:"firstTrue"`
	Readings []reading `json:"readings"`
}

type reading struct {
	Time   float64 `json:"time"`
	Value  string  `json:"value"`
	Holds  bool    `json:"holds"`
	Edge   bool    `json:"edge"`
	Result bool    `json:"result"`
}

func document(r *play.Result, list []*run.History) explained {
	d := explained{FormatVersion: 1, File: r.File, Time: r.Time, EndedBy: r.EndedBy,
		Conditions: []condition{}}
	for _, h := range list {
		x := h.Condition
		c := condition{Name: x.Name, Element: x.Owner.String(), Place: x.Place.String(),
			Edge:  x.Edge,
			Delay: x.Delay, Stop: x.Stop, Count: h.Count, Readings: []reading{}}
		if h.First != nil {
			c.First = &h.First.Time
		}
		for _, y := range h.Readings {
			c.Readings = append(c.Readings, reading{y.Time, y.Value, y.Holds, y.Edge, y.Result})
		}
		d.Conditions = append(d.Conditions, c)
	}
	return d
}
