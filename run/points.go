package run

import (
	"bytes"
	"errors"

	"gosmp/internal/fault"
	"gosmp/internal/regular"
	"gosmp/scenario"
	"gosmp/sweep"
)

// points holds the points of a distribution.
type points struct {
	scenario string // its file
	count    int
	at       func(k int) scenario.Values
}

// pointsOf returns the points of a deterministic distribution, or the points that a sweep draws
// from a stochastic one.
func pointsOf(d *scenario.Document) (p points, err error) {
	if d.Root.Path("ParameterValueDistribution", "Stochastic") == nil {
		x, err := d.Distribution()
		if err != nil {
			return p, err
		}
		return points{x.Scenario, x.Len(), x.Point}, nil
	}
	text, err := regular.ReadFile(d.File)
	if err != nil {
		return p, err
	}
	plan, err := sweep.Read(d.File, bytes.NewReader(text))
	if err != nil {
		return p, err
	}
	cases, err := plan.Cases()
	return points{d.Beside(plan.Experiment), len(cases), func(k int) scenario.Values {
		values := scenario.Values{}
		for _, x := range cases[k].Set {
			values[x.Name] = x.Value
		}
		return values
	}}, err
}

// document returns the scenario of a distribution, which declares its parameters.
func (p points) document(distribution *scenario.Document) (*scenario.Document, error) {
	d, err := documentOf(p.scenario)
	var placed *scenario.Error
	if err != nil && !errors.As(err, &placed) {
		file := distribution.Root.Path("ParameterValueDistribution", "ScenarioFile")
		err = fault.New(scenario.ErrValues, file.PlaceOf("filepath"), file.Value("filepath"),
			"a scenario that can be read").WithCause(err)
	}
	if err == nil {
		err = d.DeclaresAll(distribution)
	}
	return d, err
}
