package run

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inspect"
	"gosmp/cosim"
	"gosmp/fmi/archive"
	"gosmp/importer/ssp"
	"gosmp/report/systemgraph"
	"gosmp/timebase"
)

// maxGraphLines bounds the graph in the summary for people; --graph draws all of it.
const maxGraphLines = 40

// graphFile draws the graph of a run as soon as it is known, so that it is there if the run fails.
type graphFile struct{ r *Simulation }

// Begin draws it.
func (g graphFile) Begin(result *cosim.Result) error {
	name := g.r.Command.Graph
	if name != cli.StandardOutput {
		g.r.files = append(g.r.files, outputFile{path: name})
	}
	return cli.WriteFile(name, func(w io.Writer) error { return systemgraph.Write(w, inspect.GraphOf(g.r.wiring(result))) })
}

// Row does nothing.
func (g graphFile) Row(timebase.Time, cosim.Row) error { return nil }

// End does nothing.
func (g graphFile) End(*cosim.Result) error { return nil }

// wiring returns what a run consists of as a system that can be drawn: its participants in the
// order in which they step, with their steps, and the connections between them.
func (r *Simulation) wiring(result *cosim.Result) *ssp.System {
	s := &ssp.System{Name: r.title()}
	for _, rate := range result.Rates {
		c := &ssp.Component{Name: rate.Participant, Source: rate.Participant, Step: ssp.Step{Seconds: rate.Step}}
		if p := r.System.Part(rate.Participant); p != nil && p.FMU != nil {
			c.Source = p.FMU.Path
		}
		s.Components = append(s.Components, c)
	}
	for _, l := range result.Links {
		from, output := cutParticipant(l.From, result.Order)
		to, input := cutParticipant(l.To, result.Order)
		if from == "" || to == "" { // a file
			continue
		}
		if l.Lags {
			input += ", a step later"
		}
		if l.Extrapolated {
			input += ", extrapolated"
		}
		s.Connections = append(s.Connections, &ssp.Connection{From: ssp.Port{Component: from, Connector: output},
			To: ssp.Port{Component: to, Connector: input}, Initial: l.Initial, Transformation: ssp.Identity()})
	}
	return s
}

// cutParticipant splits participant.variable at the longest name of a participant; it returns no
// participant for variables of files.
func cutParticipant(text string, names []string) (participant, variable string) {
	for _, n := range names {
		if rest, is := strings.CutPrefix(text, n+"."); is && len(n) > len(participant) {
			participant, variable = n, rest
		}
	}
	return participant, variable
}

// printGraph prints a line for each participant: its step, and where its values go.
func (r *Simulation) printGraph() {
	s := r.wiring(r.Result)
	if len(s.Connections) == 0 {
		return
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for k, c := range s.Components {
		if k == maxGraphLines {
			fmt.Fprintf(t, "  %d more; --graph draws them\n", len(s.Components)-k)
			break
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", archive.Plain(c.Name), cli.ShortTime(c.Step.Seconds), consumers(s, c.Name))
	}
	_ = t.Flush() // of standard output; main reports its errors
	for _, l := range s.Loops() {
		fmt.Printf("  loop: %s\n", archive.Plain(strings.Join(l, ", ")))
	}
}

// consumers names those that values of a participant go to, with the number of connections.
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
