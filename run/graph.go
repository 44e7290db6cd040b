package run

import (
	"io"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/fmi/archive"
	"gosmp/importer/ssp"
	"gosmp/report/systemgraph"
	"gosmp/timebase"
)

// graphFile is an observer that draws the graph of a run as soon as it is known, so that it exists
// even if the run fails.
type graphFile struct{ r *Simulation }

// Begin draws the graph.
func (g graphFile) Begin(result *cosim.Result) error {
	name := g.r.Options.Graph
	if name != standard {
		g.r.files = append(g.r.files, outputFile{path: name})
	}
	return writeFile(
		name,
		func(w io.Writer) error { return systemgraph.Write(w, GraphOf(g.r.Wiring(result))) },
	)
}

// Row does nothing.
func (g graphFile) Row(timebase.Time, cosim.Row) error { return nil }

// End does nothing.
func (g graphFile) End(*cosim.Result) error { return nil }

// Wiring returns the parts of a run as a system that can be drawn: its participants in the order in
// which they step, with their steps, and the connections between them.
func (r *Simulation) Wiring(result *cosim.Result) *ssp.System {
	s := &ssp.System{Name: r.Title()}
	for _, rate := range result.Rates {
		c := &ssp.Component{
			Name:   rate.Participant,
			Source: rate.Participant,
			Step:   ssp.Step{Seconds: rate.Step},
		}
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
		s.Connections = append(
			s.Connections,
			&ssp.Connection{From: ssp.Port{Component: from, Connector: output},
				To: ssp.Port{
					Component: to,
					Connector: input,
				}, Initial: l.Initial, Transformation: ssp.Identity()},
		)
	}
	return s
}

// cutParticipant splits participant.variable after the longest matching participant name. For
// variables of files, it returns no participant.
func cutParticipant(text string, names []string) (participant, variable string) {
	for _, n := range names {
		if rest, is := strings.CutPrefix(text, n+"."); is && len(n) > len(participant) {
			participant, variable = n, rest
		}
	}
	return participant, variable
}

// GraphOf returns a system as a graph, in which all connections from one component to another are
// one edge.
func GraphOf(s *ssp.System) systemgraph.Graph {
	g := systemgraph.Graph{Title: s.Name}
	number, loops := map[string]int{}, s.Loops()
	for k, c := range s.Components {
		number[c.Name] = k
		lines := []string{path.Base(filepath.ToSlash(c.Source))}
		if c.Source == "" {
			lines[0] = "placeholder"
		}
		if step := stepOf(c); step > 0 {
			lines = append(lines, strconv.FormatFloat(step, 'f', -1, 64)+" s")
		}
		inLoop := slices.ContainsFunc(
			loops,
			func(l []string) bool { return slices.Contains(l, c.Name) },
		)
		g.Nodes = append(
			g.Nodes,
			systemgraph.Node{Name: archive.Plain(c.Name), Lines: lines, Loop: inLoop},
		)
	}
	at := map[[2]int]int{}
	for _, c := range s.Connections {
		key := [2]int{number[c.From.Component], number[c.To.Component]}
		k, known := at[key]
		if !known {
			k = len(g.Edges)
			at[key] = k
			g.Edges = append(g.Edges, systemgraph.Edge{From: key[0], To: key[1]})
		}
		text := c.From.Connector
		if c.To.Connector != text {
			text += " -> " + c.To.Connector
		}
		g.Edges[k].Labels = append(g.Edges[k].Labels, archive.Plain(text))
	}
	return g
}

// stepOf returns the step of a component in seconds, or else the step that its FMU proposes, or 0
// if neither is known.
func stepOf(c *ssp.Component) float64 {
	if c.FMU != nil && c.Step.Seconds == 0 {
		if own := c.FMU.Model.DefaultExperiment.StepSize; own != nil {
			return *own
		}
	}
	return c.Step.Seconds
}
