package run

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"

	"gosmp/bridge/flow"
	"gosmp/cosim"
	"gosmp/internal/release"
	"gosmp/timebase"
)

// Summary is the outcome of a run. It contains nothing that differs between two identical runs,
// except for the counts of messages that a DDS bridge exchanged, and the lag of a run in real time.
type Summary struct {
	Command   string            `json:"command"`
	Versions  map[string]string `json:"versions"`
	FMUs      []FMU             `json:"fmus"`
	Maps      []Map             `json:"maps,omitempty"`
	Inputs    []File            `json:"inputs"`
	Start     map[string]string `json:"startValues"`
	System    *Graph            `json:"system,omitempty"`
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
	Lag       *timebase.Lag     `json:"lag,omitempty"` // with RealTime
	Warnings  int               `json:"warnings"`
	TraceHash string            `json:"traceHash,omitempty"`
	Files     []string          `json:"files"`
	Complete  bool              `json:"complete"`
	ExitCode  int               `json:"exitCode"`
	Cause     string            `json:"cause,omitempty"`
	Bridge    *flow.Counts      `json:"bridge,omitempty"` // to DDS
}

// FMU is an FMU in the summary of a run.
type FMU struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	SHA256     string `json:"sha256"`
	ModelName  string `json:"modelName"`
	FMIVersion string `json:"fmiVersion"`
	Platform   string `json:"platform"`
	// StepSize is the FMU's own step in seconds, in a run of several FMUs.
	StepSize float64 `json:"stepSize,omitempty"`
	// Tolerance is the relative tolerance that the FMU receives from the run or from its
	// description.
	Tolerance *float64 `json:"tolerance,omitempty"`
}

// Graph describes how the FMUs of a run were connected.
type Graph struct {
	Algorithm   string   `json:"algorithm"`
	Order       []string `json:"order"`
	Connections []Link   `json:"connections"`
	Loops       []Loop   `json:"initialLoops,omitempty"`
}

// Link is a connection in the summary of a run.
type Link struct {
	From string `json:"from"`
	To   string `json:"to"`
	Lags bool   `json:"lags"` // by one step
	// Extrapolated means that the value is extrapolated linearly within a step.
	Extrapolated bool `json:"extrapolated,omitempty"`
	// Initial means that the value sets a parameter, only during initialization.
	Initial bool `json:"initial,omitempty"`
}

// Loop is a set of connections whose values depend on each other during initialization.
type Loop struct {
	Connections []string `json:"connections"`
	Rounds      int      `json:"rounds"`
	Settled     bool     `json:"settled"`
}

// graph fills in the fields about several FMUs.
func (s *Summary) graph(r *cosim.Result) {
	g := &Graph{
		Algorithm:   r.Spec.Algorithm.String(),
		Order:       append([]string{}, r.Order...),
		Connections: []Link{},
	}
	for _, l := range r.Links {
		g.Connections = append(g.Connections, Link(l))
	}
	for _, l := range r.Loops {
		g.Loops = append(g.Loops, Loop(l))
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

// Summary describes how far the simulation got, and err, the error that ended it.
func (r *Simulation) Summary(err error) *Summary {
	s := &Summary{
		Command:  "run",
		FMUs:     []FMU{},
		Inputs:   []File{},
		Files:    []string{},
		Start:    map[string]string{},
		ExitCode: ExitCode(err),
		Complete: err == nil,
		Warnings: r.log.count(),
		Versions: map[string]string{
			"gosmp":    release.Tool,
			"go":       runtime.Version(),
			"platform": runtime.GOOS + "/" + runtime.GOARCH,
		},
	}
	if err != nil {
		s.Cause = err.Error()
	}
	if r.bridge != nil {
		s.Bridge = r.bridge.Counts()
	}
	s.Inputs = append(s.Inputs, r.inputs...)
	if r.System == nil {
		return s
	}
	s.Maps = r.summaries()
	s.FMUs = r.fmus()
	for _, v := range r.Options.StartValues {
		s.Start[v.Variable] = v.Value
	}
	scale := r.Spec.Scale()
	s.StartTime, s.StopTime = scale.Seconds(r.Spec.Start), scale.Seconds(r.Spec.Stop)
	s.StepSize = r.Spec.Step.Seconds()
	for _, f := range r.files {
		if f.written() {
			s.Files = append(s.Files, f.path)
		}
	}
	if r.Result != nil {
		s.result(r.Result)
		if !r.One() {
			s.graph(r.Result)
		}
		s.TraceHash = r.hash.Sum()
	}
	if r.Recorder != nil {
		s.Rows = r.Recorder.Rows
	}
	return s
}

// fmus describes the FMUs of the system.
func (r *Simulation) fmus() []FMU {
	list := []FMU{}
	for _, p := range r.System.Parts {
		if f := p.FMU; f != nil {
			list = append(list, FMU{
				p.Name, f.Path, f.SHA256, f.Model.ModelName, f.Model.FMIVersion, f.Platform, 0,
				cmp.Or(r.Options.Tolerance, f.Tolerance()),
			})
		}
	}
	return list
}

// result fills in the results of the engine.
func (s *Summary) result(r *cosim.Result) {
	s.Reached, s.Steps, s.Events, s.EndedBy = r.Seconds(r.Reached), r.Steps, r.Events, r.EndedBy
	s.Shortened, s.Early, s.Lag = r.Shortened, r.Early, r.Lag
}

// Title returns a title for what was run.
func (r *Simulation) Title() string {
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
