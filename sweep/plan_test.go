package sweep_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/sweep"
	"gosmp/timebase"
)

func read(t require.TestingT, text string) *sweep.Plan {
	p, err := sweep.Read("aeb.sweep.yaml", strings.NewReader(text))
	require.NoError(t, err)
	return p
}

func table(t require.TestingT, p *sweep.Plan) (lines []string) {
	cases, err := p.Cases()
	require.NoError(t, err)
	for k, c := range cases {
		require.Equal(t, k, c.Index)
		lines = append(lines, fmt.Sprint(c.Values, c.Set, c.Seed))
	}
	return lines
}

func TestCases_Grid(t *testing.T) {
	p := read(t, `
experiment: braking.exc
parameters:
  gap: {from: 10, to: 30, step: 10}
  surface: {values: [dry, wet]}
  sensor.nominalrange: {values: [80.5]}
set:
  lead.x: 60 + gap
  traffic.surface: surface
  traffic.wet: surface == "wet"
constraints:
  - gap < 30 || surface == "dry"
seeds: [7, 4]
`)
	require.Equal(t, []string{
		"[10 dry 80.5] [{lead.x 70} {sensor.nominalrange 80.5} {traffic.surface dry} " +
			"{traffic.wet false}] 7",
		"[10 dry 80.5] [{lead.x 70} {sensor.nominalrange 80.5} {traffic.surface dry} " +
			"{traffic.wet false}] 4",
		"[10 wet 80.5] [{lead.x 70} {sensor.nominalrange 80.5} {traffic.surface wet} " +
			"{traffic.wet true}] 7",
		"[10 wet 80.5] [{lead.x 70} {sensor.nominalrange 80.5} {traffic.surface wet} " +
			"{traffic.wet true}] 4",
		"[20 dry 80.5] [{lead.x 80} {sensor.nominalrange 80.5} {traffic.surface dry} " +
			"{traffic.wet false}] 7",
		"[20 dry 80.5] [{lead.x 80} {sensor.nominalrange 80.5} {traffic.surface dry} " +
			"{traffic.wet false}] 4",
		"[20 wet 80.5] [{lead.x 80} {sensor.nominalrange 80.5} {traffic.surface wet} " +
			"{traffic.wet true}] 7",
		"[20 wet 80.5] [{lead.x 80} {sensor.nominalrange 80.5} {traffic.surface wet} " +
			"{traffic.wet true}] 4",
		"[30 dry 80.5] [{lead.x 90} {sensor.nominalrange 80.5} {traffic.surface dry} " +
			"{traffic.wet false}] 7",
		"[30 dry 80.5] [{lead.x 90} {sensor.nominalrange 80.5} {traffic.surface dry} " +
			"{traffic.wet false}] 4",
	}, table(t, p))
}

// TestCases_Ranges: both ends are part of a range, and decimal steps give decimal values.
func TestCases_Ranges(t *testing.T) {
	for text, expected := range map[string]string{
		"{from: 0, to: 0.5, step: 0.1}":           "0 0.1 0.2 0.3 0.4 0.5",
		"{from: -1, to: 1, count: 3}":             "-1 0 1",
		"{from: 0, to: 1, step: 0.4}":             "0 0.4 0.8",
		"{from: 0.1, to: 0.7, count: 3}":          "0.1 0.4 0.7",
		"{from: -0.3, to: 0.3, step: 0.1}":        "-0.3 -0.2 -0.1 0 0.1 0.2 0.3",
		"{from: 0, to: 1, step: 0.3333333333333}": "0 0.3333333333333 0.6666666666666 1",
		"{from: 0, to: 1, step: 0.3333333333334}": "0 0.3333333333334 0.6666666666668 1",
		"{from: 0, to: 100, count: 4}":            "0 33.333333333333336 66.66666666666667 100",
		"{from: 1700000000.125, to: 1700000000.375, step: 0.125}": "1700000000.125 1700000000.25 " +
			"1700000000.375",
		"{from: 1234567890123456, to: 1234567890123458, step: 1}": "1234567890123456 " +
			"1234567890123457 1234567890123458",
		"{from: 1e6, to: 1e6+0, count: 2": "",
	} {
		p, err := sweep.Read("x", strings.NewReader("experiment: a.exc\nparameters:\n  a.b: "+text+
			"\n"))
		if expected == "" {
			require.ErrorIs(t, err, sweep.ErrPlan, text)
			continue
		}
		require.NoError(t, err)
		cases, err := p.Cases()
		require.NoError(t, err)
		var found []string
		for _, c := range cases {
			found = append(found, c.Set[0].Value)
		}
		require.Equal(t, expected, strings.Join(found, " "), text)
	}
}

// TestCases_Sobol: the first points of the first four dimensions, as scipy.stats.qmc.Sobol returns
// them without scrambling.
func TestCases_Sobol(t *testing.T) {
	p := read(t, `
experiment: a.exc
parameters: {a.a: {uniform: [0, 1]}, a.b: {uniform: [0, 1]}, a.c: {uniform: [0, 1]}, a.d: {uniform: [0, 1]}}
sampling: {method: sobol, count: 9}
`)
	cases, err := p.Cases()
	require.NoError(t, err)
	var found [][]any
	for _, c := range cases {
		found = append(found, c.Values)
	}
	require.Equal(t, [][]any{
		{0.0, 0.0, 0.0, 0.0}, {0.5, 0.5, 0.5, 0.5}, {0.75, 0.25, 0.25, 0.25}, {0.25, 0.75, 0.75,
			0.75}, {0.375, 0.375, 0.625, 0.875},
		{0.875, 0.875, 0.125, 0.375}, {0.625, 0.125, 0.875, 0.625}, {0.125, 0.625, 0.375, 0.125},
		{0.1875, 0.3125, 0.9375, 0.4375},
	}, found)
}

// TestCases_Layers: latin-hypercube takes one sample of each parameter from each layer of equal
// probability. So does sobol if the count is a power of 2, with any seed.
func TestCases_Layers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		method, count := sweep.LatinHypercube, rapid.IntRange(1, 60).Draw(t, "count")
		if rapid.Bool().Draw(t, "sobol") {
			method, count = sweep.Sobol, 1<<rapid.IntRange(0, 6).Draw(t, "power")
		}
		var names strings.Builder
		for k := range 21 {
			fmt.Fprintf(&names, "  p%d.x: {uniform: [0, %d]}\n", k, count)
		}
		text := fmt.Sprintf(
			"experiment: a.exc\nsampling: {method: %s, count: %d, seed: %d}\nparameters:\n%s",
			method, count,
			rapid.Uint32().Draw(t, "seed"), names.String())
		cases, err := read(t, text).Cases()
		require.NoError(t, err)
		for k := range 21 {
			seen := map[int]bool{}
			for _, c := range cases {
				seen[int(c.Values[k].(float64))] = true
			}
			require.Len(t, seen, count, "layers of parameter %d", k)
		}
		require.Equal(t, table(t, read(t, text)), table(t, read(t, text)),
			"the same plan, the same table")
	})
}

// distributions returns definitions of parameters, with samples 2 to 4 of sobol.
func distributions() map[string][3]float64 {
	return map[string][3]float64{
		"{uniform: [2, 6]}":                 {4, 5, 3},
		"{uniform: [2, 6], min: 3, max: 5}": {4, 4.5, 3.5},
		"{normal: {mean: 10, deviation: 2}}": {10,
			11.348979500392163, 8.651020499607837},
		"{normal: {mean: 0, deviation: 1}, min: 0}": {
			0.674489750196082, 1.150349380376008, 0.318639363964375},
		"{lognormal: {mean: 1, deviation: 0.5}}": {
			2.718281828459045, 3.808536044832714, 1.9401302789180261},
		"{triangular: {mode: 1}, min: 0, max: 4}": {
			4 - 2.449489742783178, 4 - 1.7320508075688772, 1},
		"{exponential: {mean: 2}}": {
			1.3862943611198906, 2.772588722239781, 0.5753641449035618},
		"{poisson: {mean: 4}}": {4, 5, 3},
		"{histogram: [{from: 0, to: 1, weight: 1}, {from: 2, to: 4, weight: 3}]}": {
			2.6666666666666665, 3.3333333333333335, 2},
		"{poisson: {mean: 1}, min: 0}":                  {1, 2, 0},
		"{poisson: {mean: 1}, min: 0.5, max: 2.5}":      {1, 2, 1},
		"{values: [1, 2, 3, 4]}":                        {3, 4, 2},
		"{values: [4, 3, 2, 1], weights: [1, 0, 2, 1]}": {2, 1, 2},
	}
}

// TestCases_Distributions compares quantiles with the quantiles of scipy.stats, or with the closed
// form: with sobol, samples 2 to 4 are the median and the quartiles.
func TestCases_Distributions(t *testing.T) {
	for text, expected := range distributions() {
		cases, err := read(t,
			"experiment: a.exc\nsampling: {method: sobol, count: 4}\nparameters:\n  a.b: "+text+
				"\n").Cases()
		require.NoError(t, err, text)
		for k, want := range expected {
			require.InDelta(t, want, cases[k+1].Values[0], 1e-9, text)
		}
	}
}

// TestCases_Together: parameters that vary together take the values with the same index with every
// method, and count as one parameter in the number of runs.
func TestCases_Together(t *testing.T) {
	const start = `
experiment: a.exc
parameters:
  m.a: {values: [u, v, u], with: m.b}
  s.x: {values: [7, 8]}
  m.b: {values: [1, 1, 2]}
  m.c: {from: 1, to: 3, step: 1}
`
	require.Equal(t, []string{
		"[u 7 1 1] [{m.a u} {m.b 1} {m.c 1} {s.x 7}] 0",
		"[u 7 1 2] [{m.a u} {m.b 1} {m.c 2} {s.x 7}] 0",
		"[u 7 1 3] [{m.a u} {m.b 1} {m.c 3} {s.x 7}] 0",
		"[v 7 1 1] [{m.a v} {m.b 1} {m.c 1} {s.x 7}] 0",
	}, table(t, read(t, start))[:4])
	require.Len(t, table(t, read(t, start)), 18)
	for _, method := range []string{"random", "latin-hypercube", "sobol"} {
		seen := map[string]bool{}
		cases, err := read(t, start+"sampling: {method: "+method+", count: 64, seed: 3}").Cases()
		require.NoError(t, err)
		for _, c := range cases {
			seen[fmt.Sprint(c.Values[0], " ", c.Values[2])] = true
		}
		require.Equal(t, map[string]bool{"u 1": true, "v 1": true, "u 2": true}, seen, method)
	}
}

// TestRead_Aliases: a YAML alias stands for the node that it names.
func TestRead_Aliases(t *testing.T) {
	p := read(t,
		"experiment: a.exc\nparameters: {a.x: &both {values: &list [1, 2]}, a.y: *both, a.z: "+
			"{values: *list}}\nset: {b.x: &c 3, b.y: *c}\nseeds: *list\n")
	require.Len(t, table(t, p), 16)
	require.Equal(t, "[2 2 2] [{a.x 2} {a.y 2} {a.z 2} {b.x 3} {b.y 3}] 2", table(t, p)[15])
}

// TestText: whole numbers have no exponent, which an Integer does not accept.
func TestText(t *testing.T) {
	for want, v := range map[string]any{"1000000": 1e6, "-2000000000": -2e9,
		"9007199254740992": float64(1 << 53), "1e+21": 1e21, "0.000001": 1e-6, "1e-07": 1e-7,
		"0": 0.0, "0.1": 0.1, "true": true, "dry": "dry"} {
		require.Equal(t, want, sweep.Text(v))
	}
}

// TestCases_Finite: samples are numbers that JSON can represent.
func TestCases_Finite(t *testing.T) {
	cases, err := read(t,
		"experiment: a.exc\nsampling: {method: random, count: 50}\nparameters:\n  a.b: "+
			"{lognormal: {mean: 0, deviation: 10000}}\n").Cases()
	require.NoError(t, err)
	for _, c := range cases {
		require.False(t, math.IsInf(c.Values[0].(float64), 0))
	}
}

const start = "experiment: a.exc\n"

// refused lists plans that Read refuses, with a part of the error.
func refused() map[string]string {
	return map[string]string{
		"":                                 "found no keys",
		"- a":                              "found no keys",
		"a: [":                             "aeb.sweep.yaml",
		"parameters: {a.b: {values: [1]}}": "found no experiment",
		start +
			"---\nexperiment: b.exc": "aeb.sweep.yaml:2:1: unusable plan: found a second " +
			"document, expected one",
		start +
			"constraints: x > 1": `aeb.sweep.yaml:2:14: unusable plan: found "x > 1", expected a ` +
			`list in brackets`,
		start + "timeout: [1]": "aeb.sweep.yaml:2:1: unusable plan: found a list, expected a number",
		start +
			"sampling: {count: abc}": `aeb.sweep.yaml:2:19: unusable plan: found "abc", expected ` +
			`a whole number`,
		"experiment: {a: b}": "aeb.sweep.yaml:1:1: unusable plan: found keys, expected a text",
		start +
			"experiments: x": `aeb.sweep.yaml:2:1: experiments: unusable plan: found the ` +
			`key "experiments"`,
		start + "experiment: b": "the same key again in line 2",
		start + "parameters: 3": "expected NAME: and what it can be",
		start +
			"parameters: {a.b: {normal: {mean: 1, sigma: 2}}}": `found the key "sigma", expected ` +
			`one of mean, deviation`,
		start + "parameters: {a.b: {exponential: 3}}": `found "3", expected keys such as mean`,
		start +
			"parameters: {a.b: {histogram: [{from: 1, to: 2, wight: 3}]}}": `found the key ` +
			`"wight", expected one of from, to, weight`,
		start + "parameters: {a.b: {value: [1]}}": `found the key "value", expected one of values`,
		start +
			"parameters: {a.b: {values: [1], weights: [1, 2]}}": "found 2 weights, expected one " +
			"for each of 1 values",
		start +
			"parameters: {a.b: {values: [1], weights: [-1]}}": "found the weight -1, expected " +
			"non-negative weights",
		start +
			"parameters: {a.b: {values: [1, 2], weights: [0, 0]}}": "found weights with the sum 0",
		start + "parameters: {a.b: {values: [1, 1], weights: [1, 1]}}": "found 1 twice",
		start +
			"parameters: {a.b: {values: [1], weights: [1], with: a.c}}": "found weights and with",
		start +
			"parameters: {a.b: {values: [1], weights: [1]}}": "found a distribution, expected " +
			"values or a range for the method grid",
		start +
			"parameters: {a.b: {uniform: [1, 2], weights: [1]}}": "found weights in addition to " +
			"a distribution",
		start +
			"parameters: {a.b: {values: [1], with: a.b}}": "found with: a.b, expected another " +
			"parameter with values or a range",
		start +
			"parameters: {a.b: {values: [1], with: a.c}}": "found with: a.c, expected " +
			"another parameter",
		start +
			"parameters: {a.b: {values: [1], with: a.c}, a.c: {values: [1, 2]}}": "found 1 values" +
			", expected 2 values, as a.c has them",
		start +
			"parameters: {a.b: {values: [1, 1], with: a.c}, a.c: {values: [a, a]}}": `parameters.a.c: unusable plan: found 1 with "a" twice`,
		start +
			"parameters: {a.b: {values: [1, 2], with: a.c}, a.c: {values: [1, 2]}}\nboundary: " +
			"{along: a.c, resolution: 1}": "found a.c, which varies together with others",
		start + "parameters: {a.b: {values: [1], max: 2}}":              "found max in addition to values",
		start + "parameters: {a.b: {from: 1, to: 2, count: 2, min: 0}}": "found min in addition to a range",
		start +
			"parameters: {a.b: {poisson: {mean: 2}, step: 1}}": "found step in addition to a distribution",
		start + "parameters: {a.b: {values: []}}":       "found 0 values",
		start + "parameters: {a.b: {values: [1, 1.0]}}": "found 1 twice",
		start + "parameters: {a.b: {values: [[1]]}}":    "expected numbers, texts, true or false",
		start + "parameters: {a.b: {values: [9007199254740993]}}": `found 9007199254740993, ` +
			`expected numbers up to 2^53 or, where an Integer is set, a text: "9007199254740993"`,
		start +
			"parameters: {a.b: {values: [18446744073709551615]}}": "found 18446744073709551615, " +
			"expected numbers up to 2^53",
		start + "parameters: {a.b: {values: [.nan]}}":               "expected finite numbers",
		start + "parameters: {a.b: {values: [1], uniform: [1, 2]}}": "found 2 kinds of values",
		start + "parameters: {a.b: {}}":                             "found 0 kinds of values",
		start + "parameters: {a.b: {from: 1}}":                      "expected from and to",
		start + "parameters: {a.b: {from: 1, to: 0, step: 1}}":      "expected from < to",
		start + "parameters: {a.b: {from: 0, to: 1}}":               "found neither step nor count",
		start +
			"parameters: {a.b: {from: 0, to: 1, step: 1, count: 2}}": "found step and count, " +
			"expected one",
		start +
			"parameters: {a.b: {from: 0, to: 1, count: 1}}": "found the count 1, expected a " +
			"count from 2 on",
		start + "parameters: {a.b: {from: 0, to: 1, step: -1}}":         "expected a step above 0",
		start + "parameters: {a.b: {from: 0, to: 1e300, step: 1e-300}}": "expected at most 200000",
		start + "parameters: {a.b: {uniform: [2, 1]}}":                  "expected uniform: [A, B] with A < B",
		start +
			"parameters: {a.b: {normal: {mean: 1, deviation: 0}}}": "expected a deviation above 0",
		start + "parameters: {a.b: {exponential: {mean: -1}}}":         "expected a mean above 0",
		start + "parameters: {a.b: {poisson: {mean: 1e9}}}":            "expected a mean above 0, up to 500",
		start + "parameters: {a.b: {triangular: {mode: 1}}}":           "expected min <= mode <= max",
		start + "parameters: {a.b: {uniform: [0, 1], min: 2}}":         "found nothing of the distribution",
		start + "parameters: {a.b: {uniform: [0, 1], min: 1, max: 0}}": "expected min < max",
		start + "parameters: {a.b: {histogram: []}}":                   "expected a bin with a weight above 0",
		start + "parameters: {a b: {values: [1]}}":                     "expected a word of letters",
		start + "parameters: {a.b: {values: [1]}}\nset: {a.b: 1}":      "found a parameter of this name",
		start + "set: {a.b: [1]}":                                      "expected an expression",
		start + "set: [1]":                                             "expected NAME: EXPRESSION",
		start + "parameters: {a.b: {values: [1}\nset: {}":              "aeb.sweep.yaml:",
		start + "seeds: 0":                                             `found "0", expected how many seeds there are`,
		start + "seeds: [1, 1]":                                        "found 1 twice",
		start + "seeds: [-1]":                                          "how many seeds there are",
		start + "sampling: {method: monte}":                            "expected one of grid, random, latin-hypercube, sobol",
		start + "sampling: {method: random}":                           "expected count: 1 to",
		start + "sampling: {count: 3}":                                 "expected no count for the method grid",
		start + "sampling: {metod: grid}":                              `found the key "metod"`,
		start +
			"parameters: {a.b: {uniform: [0, 1]}}": "expected values or a range for " +
			"the method grid",
		start +
			"parameters: {a.b: {from: 0, to: 1, count: 150000}, a.c: {from: 0, to: 1, " +
			"count: 150000}}": "of all parameters",
		start +
			"attempts: 2.5": "aeb.sweep.yaml:2:11: unusable plan: found attempts 2.5, expected a whole number",
		start + "attempts:":                                                    "aeb.sweep.yaml:2:1: unusable plan: found attempts without a value, expected one",
		start + "constraints:":                                                 "aeb.sweep.yaml:2:1: unusable plan: found constraints without a value",
		start + "seeds: 2.5":                                                   "aeb.sweep.yaml:2:8: unusable plan: found seeds 2.5, expected a whole number",
		start + "seeds: [2.5]":                                                 `found "2.5", expected positive whole numbers`,
		start + "sampling: {method: random, count: .inf}":                      "found count .inf, expected a whole number",
		start + "sampling: {method: random, count: 3, seed: }":                 "found seed without a value",
		start + "parameters: {a.b: {values: }}":                                "found values without a value",
		start + "parameters: {a.b: {from: 1, to: 2, count: 2.5}}":              "found count 2.5, expected a whole number",
		start + "parameters: {a.b: {histogram: [{from: , to: 1, weight: 1}]}}": "found from without a value",
		start + "timeout: -1":                                                  "found -1, expected seconds from 0.001",
		start + "attempts: 0":                                                  "expected a number of at least 1",
		start + "stop: {failures: -1}":                                         "expected a number of at least 0",
		start +
			"parameters: {a.b: {from: 0, to: 99999, step: 1}, a.c: {from: 0, to: 100, step: 1}}": "found 10100000 combinations and seeds of 2 parameters, expected at most 1000000 runs",
		start + "parameters:" + ranges(150):                                             "found more than 1e308 combinations and seeds of 150 parameters, expected at most",
		start + "sampling: {method: sobol, count: 1000000000000}":                       "found count 1000000000000, expected count: 1 to 1000000",
		start + "seeds: 1000000000000":                                                  `found "1000000000000", expected how many seeds`,
		start + "parameters: {g: {from: 1, to: 150000, step: 1}}\nset:" + settings(134): "found 150000 combinations and seeds of 1 parameter with 134 settings, expected at most 1000000 runs and 20000000 values",
		// Errors within a parameter have the line of the faulty part.
		start + "parameters:\n  a.b:\n    from: 1\n    to: b":      `aeb.sweep.yaml:5:9: parameters.a.b: unusable plan: found "b", expected a number`,
		start + "parameters:\n  a.b:\n    values: [1]\n    foo: 2": `aeb.sweep.yaml:5:5: parameters.a.b: unusable plan: found the key "foo"`,
		start + "parameters:\n  a.b: [1, 2]":                       "aeb.sweep.yaml:3:8: parameters.a.b: unusable plan: found a list, expected keys such as values",
		start + "parameters:\n  a.b:":                              "aeb.sweep.yaml:3:7: parameters.a.b: unusable plan: found nothing, expected keys such as values",
		start + "parameters: [a]":                                  "found a list, expected NAME:",
		start + "parameters: {a.b: {values: [~]}}":                 "found nothing, expected numbers, texts",
		start + "parameters: {a.b: {values: [{a: 1}]}}":            "found keys, expected numbers, texts",
		start + "parameters: {a.b: {values: [2024-01-01]}}":        "found a date, expected numbers, texts",
		// The parser of YAML counts lines from 0, its scanner from 1.
		start + "parameters: {a.b: {values: [1, 2}}":                     "aeb.sweep.yaml:2: unusable plan: did not find expected ',' or ']'",
		start + "parameters:\n  a.b: {values: [1]}\n a.c: {values: [1]}": "aeb.sweep.yaml:4: unusable plan: did not find expected key",
		"experiment: [a.exc":      "aeb.sweep.yaml:2: unusable plan: did not find expected ',' or ']'",
		start + "\tparameters: 1": "aeb.sweep.yaml:2: unusable plan: found a tab character",
		// Numbers that would be decoded as other numbers.
		start + "seeds: [18446744073709551616]": `found "18446744073709551616", expected positive whole numbers`,
		start + "seeds: [1, 0]":                 `found "0", expected how many seeds`,
		start + "seeds: []":                     "found an empty list, expected how many seeds",
		start + "sampling: {method: random, count: 3, seed: 18446744073709551616}": "found seed 18446744073709551616, expected a whole number",
		start + "timeout: 1e-12": "found 1e-12, expected seconds from 0.001",
		start + "timeout: .nan":  "found NaN, expected seconds",
		// Columns of the results.
		start + "parameters: {seed: {values: [1]}}": `parameters.seed: unusable plan: found "seed", expected another name: results.csv has a column`,
		// Ranges that a float64 cannot hold.
		start +
			"sampling: {method: random, count: 3}\nparameters: {a.b: {uniform: [-1.7e308, 1.7e308]}}": "found the median +Inf",
		start +
			"sampling: {method: random, count: 3}\nparameters: {a.b: {triangular: {mode: 1}, min: -1e200, max: 1e200}}": "found the median",
		start +
			"sampling: {method: random, count: 3}\nparameters: {a.b: {lognormal: {mean: 800, deviation: 1}}}": "found the median +Inf",
	}
}

// ranges returns so many parameters with a thousand values each.
func ranges(parameters int) string {
	var b strings.Builder
	for k := range parameters {
		fmt.Fprintf(&b, "\n  a.p%d: {from: 1, to: 1000, step: 1}", k)
	}
	return b.String()
}

// settings returns so many settings that depend on the parameter g.
func settings(count int) string {
	var b strings.Builder
	for k := range count {
		fmt.Fprintf(&b, "\n  a.s%d: g", k)
	}
	return b.String()
}

func TestCases_TextsOfSettingsAreBounded(t *testing.T) {
	p, err := sweep.Read("aeb.sweep.yaml", strings.NewReader(
		"experiment: a.exc\nparameters: {gap: {from: 1, to: 9, step: 1}}\nset: {a.b: \"'abc' + gap\"}"))
	require.NoError(t, err)
	require.NoError(t, p.SettingsWithin(9*len("abc1")))
	err = p.SettingsWithin(9*len("abc1") - 1)
	require.ErrorIs(t, err, sweep.ErrPlan)
	require.ErrorContains(t, err, "aeb.sweep.yaml:3:1: set: unusable plan: found more bytes in the "+
		"settings of all runs, expected at most 536870912: shorter texts or fewer runs")
	p.Seeds = []uint64{1, 2}
	cases, err := p.Cases()
	require.NoError(t, err)
	require.Len(t, cases, 18)
	require.Equal(t, 9*len("abc1"), p.Computed(cases), "seeds share settings")
}

// TestCases_TimeOfExpressions: all combinations have a common bound, also the ones of a search for
// boundaries. Only the time that one of them may take counts, and no time after the last of them.
func TestCases_TimeOfExpressions(t *testing.T) {
	for expression, key := range map[string]string{"set: {a.b: gap}": "3:1: set",
		"constraints: [gap > 0]": "3:1: constraints"} {
		text := "experiment: a.exc\nparameters: {gap: {from: 1, to: 301, step: 1}}\n" + expression
		p, err := sweep.Read("aeb.sweep.yaml", strings.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, p.SettingsTaking(timebase.Time(3600)*timebase.Second))
		p, err = sweep.Read("aeb.sweep.yaml", strings.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, p.SettingsTaking(1700*timebase.Millisecond))
		err = p.SettingsTaking(1700 * timebase.Millisecond) // a further round
		require.ErrorIs(t, err, sweep.ErrPlan)
		require.EqualError(t, err, "aeb.sweep.yaml:"+key+": unusable plan: found expressions that "+
			"took 600 s for the first combinations of the values, expected at most 600 s for all of "+
			"them: simpler expressions or fewer runs")
	}
}

func TestRead_Refuses(t *testing.T) {
	for text, expected := range refused() {
		_, err := sweep.Read("aeb.sweep.yaml", strings.NewReader(text))
		require.ErrorIs(t, err, sweep.ErrPlan, text)
		require.ErrorContains(t, err, expected, text)
		require.ErrorContains(t, err, "aeb.sweep.yaml", text)
	}
}

func TestCases_Refuses(t *testing.T) {
	const start = "experiment: a.exc\nparameters: {gap: {values: [1, 2]}}\n"
	for text, expected := range map[string]string{
		start + "constraints: [gap >]":                     "constraints",
		start + "constraints: [gab > 1]":                   "gab is not defined",
		start:                                              "found 2 runs with the same settings and the same seed",
		start + "seeds: [3]":                               "expected runs that differ",
		start + "constraints: [gap > 2]":                   "no combination that satisfies them all",
		start + "constraints: [gap = 1]":                   "found 1, expected true or false, for gap = 1",
		start + "constraints: [gap > 0, gap]":              `found "gap": found 1, expected true or false`,
		start + "set: {lead.x: 1 / (gap - 2)}":             "found null, NaN or an infinite number, expected a number, a text, true or false, for gap = 2",
		start + "set: {lead.x: gap +}":                     "aeb.sweep.yaml:3:7: set.lead.x",
		start + "set: {lead.x: gap.far}":                   "expected a number, a text, true or false",
		start + "set: {lead.x: '[gap]'}":                   "expected a number, a text, true or false",
		start + "set: {lead.x: '({a: gap})'}":              "expected a number, a text, true or false",
		start + "set: {lead.x: gap / 'a'}":                 "expected a number, a text, true or false",
		start + "set: {lead.x: 'while'}":                   "set.lead.x",
		start + "set: {lead.x: '(() => { for (;;); })()'}": "set.lead.x",
	} {
		_, err := read(t, text).Cases()
		require.ErrorIs(t, err, sweep.ErrPlan, text)
		require.ErrorContains(t, err, expected, text)
	}
}
