// Package sweep runs one experiment many times with varied parameters and collects the results.
//
//	plan, err := sweep.Read("aeb.sweep.yaml", file)
//	cases, err := plan.Cases()                     // the table of runs
//	err = (&sweep.Pool{...}).Run(ctx, cases, done) // done takes each row
//
// # The plan
//
// A YAML file:
//
//	experiment: braking.exc               # relative to this file; or an FMU or a system
//	parameters:
//	  gap: {from: 10, to: 60, step: 10}   # or count: 6 instead of step
//	  surface: {values: [dry, wet]}
//	  force: {normal: {mean: 0.6, deviation: 0.1}, min: 0.2, max: 1}
//	  sensor.nominalrange: {values: [80, 135]}
//	set:                                  # what the parameters set, as expressions in ECMAScript
//	  lead.x: 60 + gap
//	  traffic.force: force
//	constraints: [gap < 50 || surface == "dry"]
//	sampling: {method: latin-hypercube, count: 100, seed: 7}
//	seeds: 3                              # each case with the seeds 1, 2 and 3; or a list
//	stop: {failures: 20}                  # start no run after so many have not passed; or passes
//	boundary: {along: gap, resolution: 1} # search where the verdict changes
//	timeout: 30                           # s of real time for a run
//	attempts: 3                           # at a run whose process has ended or hung
//
// The names of settings are the same as in gosmp run --set. A parameter with a dot in its name sets
// the variable of that name; all others are variables for expressions. A parameter is one of
//
//	values: [A, B, ...]                   numbers, texts, true and false
//	values and weights: [U, V, ...]       drawn with these weights
//	values and with: NAME                 varying together with another parameter
//	from: A, to: B, step: S or count: N   both ends included
//	uniform: [A, B]
//	normal: {mean: M, deviation: S}
//	lognormal: {mean: M, deviation: S}    of the logarithm
//	triangular: {mode: M}, min, max
//	exponential: {mean: M}
//	poisson: {mean: M}
//	histogram: [{from: A, to: B, weight: W}, ...]
//
// with min and max, which truncate a distribution. The methods are grid (every combination of
// values and ranges; the default), random, latin-hypercube and sobol, which draw count samples of
// all parameters. The last three take a seed; the same plan gives the same table on every machine.
//
// [Read] also reads the ParameterValueDistribution documents of ASAM OpenSCENARIO XML 1.1 to 1.3
// whose ScenarioFile is an experiment: Deterministic corresponds to the grid of its parameters,
// Stochastic to the method random. Each parameter has the name of the variable it sets.
//
// # Rules
//
//   - A run is identified by everything that determines its result: the files of the experiment,
//     the settings, the seed and the version of gosmp. A run that a [Store] already holds is not
//     computed again.
//   - At the end, every run of the table has exactly one row, which contains its verdict or the
//     reason why it has none. The rows do not depend on the number of processes, their order, or
//     how often the sweep was interrupted.
//   - A run whose process exits or hangs is restarted as often as the plan allows.
//
// [Schema] describes plans in YAML for editors.
//
// Types: [Plan] with [Parameter]; [Case], [Row]; [Store]; [Pool] with [Worker]; errors are
// *[Error].
package sweep
