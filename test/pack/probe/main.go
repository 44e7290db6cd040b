// Command probe is an FMU for tests of the packer and the loader: a model without OSI that counts
// its steps and logs texts on which loggers have stumbled.
package main

import (
	_ "embed" // for the documentation
	"fmt"

	"gosmp/build"
	"gosmp/export"
	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
	"gosmp/timebase"
)

//go:embed documentation.html
var documentation string

func init() { export.Register(definition) }

func main() { build.Main(definition, build.Documentation(documentation)) }

// probe is the model: output = input + gain * steps.
type probe struct {
	fmu.Host
	steps uint64
}

// References of the variables, in the order of definition.
const (
	input = iota
	output
	gain
)

func definition() *fmu.Definition {
	d := &fmu.Definition{
		ModelName: "Probe", ModelIdentifier: "Probe",
		Description: "A model for tests of packer and loader.", Version: "1.0",
		Units: []fmi.Unit{{Name: "m", M: 1}},
		LogCategories: []fmi.LogCategory{{Name: "logProbe",
			Description: "texts that loggers have tripped over"}},
		Experiment: fmu.Experiment{Stop: 1, Tolerance: 1e-6, Step: 0.1},
		New:        func(h fmu.Host) fmu.Model { return &probe{Host: h} },
	}
	v := &d.Variables
	v.Add(fmu.Variable{Name: "input", Type: fmi.Real, Causality: fmi.Input,
		Variability: fmi.Continuous, Start: 0.0, Unit: "m", Description: "is added to the output"})
	v.Add(fmu.Variable{Name: "output", Type: fmi.Real, Causality: fmi.Output,
		Variability: fmi.Continuous, Initial: fmi.Exact, Start: 0.0, Unit: "m",
		Description: "input + gain * steps"})
	v.Add(fmu.Variable{Name: "gain", Type: fmi.Real, Causality: fmi.Parameter,
		Variability: fmi.Fixed, Initial: fmi.Exact, Start: 1.0, Unit: "m",
		Description: "what a step adds"})
	v.Add(fmu.Variable{Name: "log.text", Type: fmi.String, Causality: fmi.Parameter,
		Variability: fmi.Tunable, Initial: fmi.Exact, Start: "100 % of #r1#",
		Description: "is logged in every step"})
	return d
}

func (p *probe) Initialize(timebase.Time) error { return nil }

func (p *probe) Step(span timebase.Span) error {
	p.steps++
	p.Values.Reals[output] = p.Values.Reals[input] + p.Values.Reals[gain]*float64(p.steps)
	p.Log(fmi.OK, "logProbe", fmt.Sprintf("step %d: %s", p.steps, p.Values.Strings[0]))
	return nil
}

func (p *probe) Reset() { p.steps = 0 }
func (p *probe) Close() {}

func (p *probe) AppendState(b []byte) ([]byte, error) { return state.AppendUint64(b, p.steps), nil }

func (p *probe) RestoreState(b []byte) error {
	d := state.Decoder{Data: b}
	p.steps = d.Uint64()
	return d.Err()
}
