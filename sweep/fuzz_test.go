package sweep_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// FuzzRead reads any bytes as a plan: either the plan is usable, or the error names the file.
func FuzzRead(f *testing.F) {
	f.Add(
		[]byte(
			"experiment: a.exc\nparameters:\n  gap: {from: 1, to: 2, count: 3}\nset: {lead.x: " +
				"gap}\nconstraints: [gap < 2]\nseeds: 2\n"))
	f.Add(
		[]byte(
			"experiment: a.exc\nparameters: {a.b: {normal: {mean: 1, deviation: 2}, min: 0}}\n" +
				"sampling: {method: sobol, count: 4, seed: 1}\n"))
	f.Add(
		[]byte(
			"experiment: a.exc\nparameters: {a.b: {histogram: [{from: 0, to: 1, weight: 1}]}}\n" +
				"sampling: {method: random, count: 4}\n"))
	f.Add(
		[]byte(
			"experiment: a.exc\nparameters: {a.b: {values: [1, 2], with: a.c}, a.c: {values: [x, " +
				"y]}, a.d: {values: [1, true]}}\n"))
	f.Add(
		[]byte(
			"experiment: a.exc\nparameters: {a.b: {values: [1, 2], weights: [0, 3]}}\nsampling: " +
				"{method: random, count: 4}\n"))
	f.Add([]byte(document("<Deterministic>" + single("s.x",
		`<DistributionRange stepWidth="1"><Range lowerLimit="0" upperLimit="2"/>`+
			`</DistributionRange>`) +
		`<DeterministicMultiParameterDistribution><ValueSetDistribution><ParameterValueSet>` +
		`<ParameterAssignment parameterRef="m.a" value="1"/>` +
		`</ParameterValueSet></ValueSetDistribution></DeterministicMultiParameterDistribution>` +
		`</Deterministic>`)))
	f.Add([]byte(document(stochastic(`numberOfTestRuns="2" randomSeed="1"`,
		`<LogNormalDistribution expectedValue="0" variance="1">`+
			`<Range lowerLimit="0.5" upperLimit="6"/></LogNormalDistribution>`,
		`<Histogram><Bin weight="3"><Range lowerLimit="0" upperLimit="1"/></Bin></Histogram>`,
		`<PoissonDistribution expectedValue="3"/>`,
		`<ProbabilityDistributionSet><Element value="dry" weight="3"/>`+
			`</ProbabilityDistributionSet>`))))
	f.Add([]byte("a: &a [*a]\nexperiment: &b {b: *b}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := sweep.Read("x.yaml", bytes.NewReader(text))
		if err != nil {
			require.ErrorIs(t, err, sweep.ErrPlan)
			require.ErrorContains(t, err, "x.yaml")
			return
		}
		for k := range p.Parameters {
			for _, u := range []float64{0, 1e-300, 0.25, 0.5, 1 - 1.0/(1<<53)} {
				require.NotNil(t, p.Parameters[k].At(u))
			}
		}
	})
}
