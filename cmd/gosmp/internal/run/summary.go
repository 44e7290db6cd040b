package run

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cosim"
	"gosmp/internal/release"
)

// runSummary is the outcome of a run. It holds nothing that differs between two identical runs.
type runSummary struct {
	Command   string            `json:"command"`
	Versions  map[string]string `json:"versions"`
	FMUs      []summaryFMU      `json:"fmus"`
	Maps      []summaryMap      `json:"maps,omitempty"`
	Inputs    []usedFile        `json:"inputs"`
	Start     map[string]string `json:"startValues"`
	System    *summaryGraph     `json:"system,omitempty"`
	StartTime float64           `json:"startTime"`
	StopTime  float64           `json:"stopTime"`
	StepSize  float64           `json:"stepSize"`
	Reached   float64           `json:"reached"`
	Steps     int64             `json:"steps"`
	Events    int64             `json:"events"`
	Rows      int64             `json:"rows"`
	EndedBy   string            `json:"endedBy,omitempty"`
	Shortened bool              `json:"lastStepShortened"`
	Early     bool              `json:"endedBeforeStopTime"`
	Warnings  int               `json:"warnings"`
	TraceHash string            `json:"traceHash,omitempty"`
	Files     []string          `json:"files"`
	Complete  bool              `json:"complete"`
	ExitCode  int               `json:"exitCode"`
	Cause     string            `json:"cause,omitempty"`
}

type summaryFMU struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	SHA256     string `json:"sha256"`
	ModelName  string `json:"modelName"`
	FMIVersion string `json:"fmiVersion"`
	Platform   string `json:"platform"`
	// StepSize is its own step in seconds, in a run of several.
	StepSize float64 `json:"stepSize,omitempty"`
}

// summaryGraph is how the FMUs of a run were connected.
type summaryGraph struct {
	Algorithm   string        `json:"algorithm"`
	Order       []string      `json:"order"`
	Connections []summaryLink `json:"connections"`
	Loops       []summaryLoop `json:"initialLoops,omitempty"`
}

type summaryLink struct {
	From string `json:"from"`
	To   string `json:"to"`
	Lags bool   `json:"lags"` // by one step
	// Extrapolated means that the value follows a line within a step.
	Extrapolated bool `json:"extrapolated,omitempty"`
	// Initial means that the value sets a parameter, during initialization only.
	Initial bool `json:"initial,omitempty"`
}

type summaryLoop struct {
	Connections []string `json:"connections"`
	Rounds      int      `json:"rounds"`
	Settled     bool     `json:"settled"`
}

// graph fills in what concerns several FMUs.
func (s *runSummary) graph(r *cosim.Result) {
	g := &summaryGraph{Algorithm: r.Spec.Algorithm.String(), Order: append([]string{}, r.Order...), Connections: []summaryLink{}}
	for _, l := range r.Links {
		g.Connections = append(g.Connections, summaryLink(l))
	}
	for _, l := range r.Loops {
		g.Loops = append(g.Loops, summaryLoop(l))
	}
	for _, rate := range r.Rates {
		for k := range s.FMUs {
			if s.FMUs[k].Name == rate.Participant {
				s.FMUs[k].StepSize = rate.Step
			}
		}
	}
	s.System = g
}

func (r *Simulation) summarize(err error, code int) *runSummary {
	s := &runSummary{Command: "run", FMUs: []summaryFMU{}, Inputs: []usedFile{}, Files: []string{}, Start: map[string]string{}, ExitCode: code,
		Complete: err == nil, Versions: map[string]string{"gosmp": release.Tool, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}}
	if err != nil {
		s.Cause = err.Error()
	}
	s.Inputs = append(s.Inputs, r.inputs...)
	if r.System == nil {
		return s
	}
	s.Maps = r.summaries()
	for _, p := range r.System.Parts {
		f := p.FMU
		if f == nil {
			continue
		}
		s.FMUs = append(s.FMUs, summaryFMU{p.Name, f.Path, f.SHA256, f.Model.ModelName, f.Model.FMIVersion, f.Platform, 0})
	}
	for _, v := range r.Command.startValues() {
		s.Start[v[0]] = v[1]
	}
	s.StartTime, s.StopTime, s.StepSize = r.Spec.Start.Seconds(), r.Spec.Stop.Seconds(), r.Spec.Step.Seconds()
	if r.console != nil {
		s.Warnings = r.console.Count
	}
	for _, f := range r.files {
		s.Files = append(s.Files, f.path)
	}
	if r.Result != nil {
		s.result(r.Result)
		if !r.One() {
			s.graph(r.Result)
		}
		s.TraceHash = r.hash.Sum()
	}
	if r.recorder != nil {
		s.Rows = r.recorder.Rows
	}
	return s
}

func (s *runSummary) result(r *cosim.Result) {
	s.Reached, s.Steps, s.Events, s.EndedBy = r.Reached.Seconds(), r.Steps, r.Events, r.EndedBy
	s.Shortened, s.Early = r.Shortened, r.Early
}

// print prints the summary, as JSON or, if the run was good, for people.
func (s *runSummary) print(r *Simulation) error {
	err := r.closeFiles()
	if r.Command.JSON {
		return cmp.Or(err, cli.WriteIndentedJSON(os.Stdout, s))
	}
	if !s.Complete || r.Command.OutputFile == cli.StandardOutput || r.Command.Graph == cli.StandardOutput {
		return err
	}
	fmt.Printf("%s: %d steps from %v to %v s", r.title(), s.Steps, s.StartTime, s.Reached)
	if r.proposed != "" {
		fmt.Printf("; %s", r.proposed)
	}
	fmt.Println()
	switch {
	case s.EndedBy != "" && !r.One():
		fmt.Printf("%s has ended the simulation\n", s.EndedBy)
	case s.EndedBy != "":
		fmt.Println("the FMU has ended the simulation")
	case s.Early:
		fmt.Printf("ended before %v s: the rest is shorter than a step, and the FMU takes no steps of other lengths\n", s.StopTime)
	}
	if !r.One() {
		r.printGraph()
	}
	for _, cut := range r.Result.Cuts {
		fmt.Printf("%s lags by a step, as it closes a cycle\n", cut)
	}
	if late := r.Result.Late; late > 0 {
		fmt.Printf("at most %v s behind the clock\n", late.Seconds())
	}
	r.printMaps()
	for _, f := range s.Files {
		fmt.Println(f)
	}
	return err
}

// title is what was run.
func (r *Simulation) title() string {
	if r.oneFMU() {
		return r.System.Parts[0].FMU.Model.ModelName
	}
	if r.One() {
		return r.System.Parts[0].Name
	}
	if r.System.File != "" {
		return filepath.Base(r.System.File)
	}
	if len(r.maps) == 0 {
		return fmt.Sprintf("%d FMUs", len(r.System.Parts))
	}
	return fmt.Sprintf("%d participants", len(r.System.Parts))
}

// startValues are the start values as they were written.
func (c *Command) startValues() (list [][2]string) {
	for _, text := range c.StartValue {
		for k := range text {
			if text[k] == '=' {
				list = append(list, [2]string{text[:k], text[k+1:]})
				break
			}
		}
	}
	return list
}
