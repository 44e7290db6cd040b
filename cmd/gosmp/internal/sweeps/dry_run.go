package sweeps

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"gosmp/run/campaign"
	"gosmp/sweep"
)

// dryRun is the JSON output of --dry-run, which is a contract. Its cases have the members of the
// lines in results.jsonl.
type dryRun struct {
	FormatVersion int       `json:"formatVersion"`
	Plan          string    `json:"plan"`
	Cases         []dryCase `json:"cases"`
}

type dryCase struct {
	Case       int            `json:"case"` // the first one is 1
	Parameters map[string]any `json:"parameters"`
	Set        []string       `json:"set"`
	Seed       uint64         `json:"seed,omitempty"` // absent: the seed of the experiment
}

// document returns the table as JSON output.
func document(s *campaign.Sweep) dryRun {
	cases := s.Cases()
	d := dryRun{FormatVersion: 1, Plan: s.File, Cases: make([]dryCase, 0, len(cases))}
	for _, x := range cases {
		y := dryCase{Case: x.Index + 1, Parameters: map[string]any{}, Set: []string{}, Seed: x.Seed}
		for k, v := range x.Values {
			y.Parameters[s.Plan().Parameters[k].Name] = v
		}
		for _, z := range x.Set {
			y.Set = append(y.Set, z.Name+"="+z.Value)
		}
		d.Cases = append(d.Cases, y)
	}
	return d
}

// show prints the table.
func show(out io.Writer, s *campaign.Sweep) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "case\t")
	for _, x := range s.Plan().Parameters {
		fmt.Fprintf(w, "%s\t", inLine(x.Name))
	}
	fmt.Fprint(w, "seed\tsets\t\n")
	for _, x := range s.Cases() {
		fmt.Fprintf(w, "%d\t", x.Index+1)
		for _, v := range x.Values {
			fmt.Fprintf(w, "%s\t", inLine(sweep.Text(v)))
		}
		var set []string
		for _, y := range x.Set {
			set = append(set, inLine(y.Name+"="+y.Value))
		}
		seed := "of the experiment"
		if x.Seed != 0 {
			seed = strconv.FormatUint(x.Seed, 10)
		}
		fmt.Fprintf(w, "%s\t%s\t\n", seed, strings.Join(set, " "))
	}
	return w.Flush()
}

// inLine returns a text for a table cell, quoted if it would break the line or is empty.
func inLine(text string) string {
	if text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return strconv.Quote(text)
	}
	return text
}
