package run

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/fmi/archive"
	"gosmp/importer/ssp"
	"gosmp/internal/plaintext"
	"gosmp/run"
)

// print prints the summary as JSON or, if the run succeeded, as text.
func (r *session) print(s *run.Summary) error {
	if r.command.JSON {
		return cli.WriteIndentedJSON(os.Stdout, s)
	}
	if !s.Complete || r.command.OutputFile == cli.StandardOutput ||
		r.command.Graph == cli.StandardOutput {
		return nil
	}
	plaintext.Printf(os.Stdout, "%s: %d steps from %v to %v s", r.Title(), s.Steps, s.StartTime,
		s.Reached)
	if r.Proposed != "" {
		plaintext.Printf(os.Stdout, "; %s", r.Proposed)
	}
	fmt.Fprintln(os.Stdout)
	switch {
	case s.EndedBy != "" && !r.One():
		plaintext.Printf(os.Stdout, "%s has ended the simulation\n", s.EndedBy)
	case s.EndedBy != "":
		fmt.Fprintln(os.Stdout, "the FMU has ended the simulation")
	case s.Early:
		plaintext.Printf(os.Stdout,
			"ended before %v s: the rest is shorter than a step, and the FMU does not support "+
				"steps of other lengths\n",
			s.StopTime,
		)
	}
	if !r.One() {
		r.printGraph()
	}
	for _, cut := range r.Result.Cuts {
		plaintext.Printf(os.Stdout, "%s lags by one step, because it closes a cycle\n", cut)
	}
	if s.Lag != nil {
		fmt.Fprintln(os.Stdout, s.Lag)
	}
	for _, m := range s.Maps {
		plaintext.Printf(os.Stdout, "%s: %d actors, %d collisions\n", m.Name, m.Actors,
			m.Collisions)
	}
	for _, f := range s.Files {
		plaintext.Printf(os.Stdout, "%s\n", f)
	}
	return nil
}

// maxGraphLines limits the graph in the text summary; --graph draws the whole graph.
const maxGraphLines = 40

// printGraph prints a line for each participant, with its step size and the receivers of its
// values.
func (r *session) printGraph() {
	s := r.Wiring(r.Result)
	if len(s.Connections) == 0 {
		return
	}
	t := tabwriter.NewWriter(plaintext.Lines(os.Stdout), 0, 0, 2, ' ', 0)
	for k, c := range s.Components {
		if k == maxGraphLines {
			fmt.Fprintf(t, "  %d more; --graph draws them\n", len(s.Components)-k)
			break
		}
		fmt.Fprintf(
			t,
			"  %s\t%s\t%s\n",
			archive.Plain(c.Name),
			cli.ShortTime(c.Step.Seconds),
			consumers(s, c.Name),
		)
	}
	_ = t.Flush() // of standard output; main reports its errors
	for _, l := range s.Loops() {
		plaintext.Printf(os.Stdout, "  loop: %s\n", archive.Plain(strings.Join(l, ", ")))
	}
}

// consumers returns the names of the participants that receive values of a participant, each with
// the number of connections.
func consumers(s *ssp.System, name string) string {
	var order []string
	count := map[string]int{}
	for _, c := range s.Connections {
		if c.From.Component == name {
			if !slices.Contains(order, c.To.Component) {
				order = append(order, c.To.Component)
			}
			count[c.To.Component]++
		}
	}
	for k, n := range order {
		order[k] = archive.Plain(n)
		if count[n] > 1 {
			order[k] += fmt.Sprintf(" (%d connections)", count[n])
		}
	}
	if len(order) == 0 {
		return ""
	}
	return "-> " + strings.Join(order, ", ")
}
