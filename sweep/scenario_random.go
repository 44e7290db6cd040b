package sweep

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/scenario"
)

// readStochastic reads distributions from which random samples are drawn.
func (p openScenario) readStochastic(e *scenario.Element) error {
	text := strings.TrimSpace(e.Value("numberOfTestRuns"))
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 || count > mostCases {
		bad := fault.New(ErrPlan, e.Place(), fmt.Sprintf("numberOfTestRuns %q", text),
			fmt.Sprintf("a whole number from 1 to %d", mostCases))
		if count > mostCases {
			bad = bad.WithHint("divide the runs among several documents with different randomSeed")
		}
		return bad
	}
	p.Sampling = Sampling{Method: Random, Count: count}
	if e.Has("randomSeed") {
		seed, err := p.number(e, "randomSeed")
		if err != nil {
			return err
		}
		p.Sampling.Seed = seedOf(seed)
	}
	children, err := p.some(e)
	if err != nil {
		return err
	}
	for _, c := range children {
		if err := p.readSingle(c, p.define); err != nil {
			return err
		}
	}
	return nil
}

// seedOf returns the seed for a randomSeed, which the standard allows to be any number. A whole
// number from 0 to 2^53 is used directly; for any other number, the bits of its representation are
// used.
func seedOf(x float64) uint64 {
	if x >= 0 && x <= 1<<53 && x == math.Trunc(x) {
		return uint64(x)
	}
	return math.Float64bits(x)
}

// define reads one of the distributions.
func (p openScenario) define(e *scenario.Element) (d definition, err error) {
	if d.Min, d.Max, err = p.limits(e); err != nil {
		return d, err
	}
	switch e.Name {
	case "UniformDistribution":
		return definition{Uniform: []float64{*d.Min, *d.Max}}, nil
	case "NormalDistribution":
		d.Normal, err = p.moments(e)
	case "LogNormalDistribution":
		d.Lognormal, err = p.moments(e)
	case "PoissonDistribution":
		d.Poisson = &mean{}
		if d.Poisson.Mean, err = p.number(e, "expectedValue"); err == nil && !(d.Poisson.Mean > 0 &&
			d.Poisson.Mean <= 500) {
			err = fault.New(ErrPlan, e.Place(), "expectedValue "+Text(d.Poisson.Mean),
				"a number above 0, up to 500")
		}
	case "Histogram":
		d.Histogram, err = p.bins(e)
	default: // ProbabilityDistributionSet
		if d.Values, err = p.valuesOf(e); err != nil {
			return d, err
		}
		for _, c := range e.Children {
			w, err := p.weight(c)
			if err != nil {
				return d, err
			}
			d.Weights = append(d.Weights, w)
		}
	}
	return d, err
}

// moments reads the expected value and the variance; a LogNormalDistribution states them for the
// logarithm.
func (p openScenario) moments(e *scenario.Element) (*moments, error) {
	m, err := p.number(e, "expectedValue")
	if err != nil {
		return nil, err
	}
	variance, err := p.number(e, "variance")
	if err == nil && !(variance > 0) {
		err = fault.New(ErrPlan, e.Place(), "variance "+Text(variance), "a number above 0")
	}
	return &moments{Mean: m, Deviation: math.Sqrt(variance)}, err
}

func (p openScenario) bins(e *scenario.Element) (list []bin, err error) {
	children, err := p.some(e)
	if err != nil {
		return nil, err
	}
	for k, c := range children {
		low, high, err := p.limits(c)
		if err != nil {
			return nil, err
		}
		w, err := p.weight(c)
		if err != nil {
			return nil, err
		}
		if k > 0 && *low < list[k-1].To {
			return nil, fault.New(ErrPlan, c.Place(), "lowerLimit "+Text(*low),
				"at least the upperLimit of the bin before, "+Text(list[k-1].To))
		}
		list = append(list, bin{From: *low, To: *high, Weight: w})
	}
	return list, nil
}

func (p openScenario) weight(e *scenario.Element) (float64, error) {
	w, err := p.number(e, "weight")
	if err == nil && w < 0 {
		err = fault.New(ErrPlan, e.Place(), "weight "+Text(w), "a number of at least 0")
	}
	return w, err
}
