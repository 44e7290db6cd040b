// Package explain implements gosmp explain, which shows the rule that a finding names, or how the
// conditions of a scenario turn out.
package explain

//go:generate go run ./generate

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
	"gosmp/run/kind"
	"gosmp/run/usage"
)

// Command implements gosmp explain.
type Command struct {
	ID        string       `arg:"" placeholder:"ID" predictor:"file" help:"The id of a rule as shown in a finding, such as SX07 or trace.gap; or a scenario (.xosc), whose conditions are explained by running it."`
	JSON      bool         `name:"json" help:"Print the rule, or the conditions, as JSON."`
	Condition string       `placeholder:"NAME" help:"Show the conditions with this name, for each evaluation in which something changes; by default, one line per condition."`
	All       bool         `help:"Show every evaluation."`
	Point     *int         `placeholder:"N" help:"The point of a distribution of parameter values to run, numbered from 0."`
	Set       []string     `sep:"none" placeholder:"NAME=VALUE" help:"Set a parameter of the scenario; may be repeated."`
	Map       string       `predictor:"file" placeholder:"FILE" help:"Map of the scenario, as in gosmp run."`
	Duration  *cli.Seconds `placeholder:"S" help:"When to abort a scenario that does not end, in seconds; 600 by default."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `Findings of gosmp check and gosmp inspect end in the id of their rule. ` +
		`docs/RULES.md lists all rules.

A scenario is run, and each condition is shown with the compared values, whether the ` +
		`comparison holds, and its results after edge and delay.

Exit codes: 0 explained; 2 unknown rule, or the scenario cannot be run.`
}

// rule is a rule, or a family of rules.
type rule struct {
	ID     string   `json:"id"`     // with <name> or * for the parts that vary within a family
	Source string   `json:"source"` // where the rule comes from
	Page   string   `json:"page"`   // in docs/; "" for none
	Says   string   `json:"rule"`
	Clause []string `json:"clause"` // where each standard states it, such as "FMI 2.0.5, 2.2.7"
	Remedy []string `json:"remedy"`
	Tests  []string `json:"tests"` // files that name the rule
}

// Run shows a rule.
func (c *Command) Run() error {
	if kind.Of(c.ID) == kind.Scenario {
		return c.explainScenario()
	}
	r, found := find(c.ID)
	if !found {
		return cli.Unexpected("explain", fmt.Sprintf("%q", c.ID),
			usage.NearOr(strings.ToUpper(c.ID), ids(),
				"the id of a rule; docs/RULES.md lists them"))
	}
	if c.JSON {
		return cli.Flushed(cli.WriteJSON(os.Stdout, r))
	}
	return cli.Flushed(r.print(plaintext.Lines(os.Stdout), c.ID))
}

// find returns the rule with an id. An id that is not a rule itself may belong to a family.
func find(id string) (rule, bool) {
	if row, is := strings.CutPrefix(strings.ToUpper(id), "OSMP "); is { // as in earlier releases
		if r, found := find("OSMP-" + row); found {
			return r, true
		}
	}
	for _, r := range rules {
		if strings.EqualFold(r.ID, id) {
			return r, true
		}
	}
	for _, r := range rules {
		if r.isFamily() && r.pattern().MatchString(id) {
			return r, true
		}
	}
	return rule{}, false
}

func (r *rule) isFamily() bool { return strings.ContainsAny(r.ID, "<*") }

var part = regexp.MustCompile(`<[a-z]+>|\\\*`)

// pattern returns a pattern that matches the ids of a family.
func (r *rule) pattern() *regexp.Regexp {
	return regexp.MustCompile("^" + part.ReplaceAllString(regexp.QuoteMeta(r.ID), ".+") + "$")
}

func ids() (list []string) {
	for _, r := range rules {
		list = append(list, r.ID)
	}
	return list
}

func (r *rule) print(w io.Writer, id string) error {
	fmt.Fprintf(w, "%s: %s\n", id, r.Says)
	for _, text := range r.Remedy {
		cli.WriteWrapped(w, "what to do: "+text)
	}
	fmt.Fprintf(w, "  source: %s\n", r.Source)
	for _, text := range clausesFor(id, r.Clause) {
		fmt.Fprintf(w, "  clause: %s\n", text)
	}
	if r.Page != "" {
		fmt.Fprintf(w, "  page: docs/%s\n", r.Page)
	}
	for _, t := range r.Tests {
		fmt.Fprintf(w, "  test: %s\n", t)
	}
	_, err := io.WriteString(w, "")
	return err
}

// clausesFor returns the clauses for an id, which may name a version of FMI, as FMI2-V3 does.
func clausesFor(id string, clauses []string) (list []string) {
	version, _, found := strings.Cut(strings.ToUpper(id), "-")
	for _, text := range clauses {
		number, is := strings.CutPrefix(version, "FMI")
		if !found || !is || strings.HasPrefix(text, "FMI "+number+".") {
			list = append(list, text)
		}
	}
	return list
}
