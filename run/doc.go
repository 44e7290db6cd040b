// Package run lets Go programs run everything that gosmp can run: FMUs alone, together or as a
// system, OpenDRIVE maps with traffic, scenarios, statecharts and experiments. It also tests FMUs
// with traces, and computes single runs of sweeps. The command gosmp adds flags, texts and exit
// codes.
//
//	o := run.Defaults("sensor.fmu")
//	o.OutputFile = "out.csv"
//	result, err := run.Run(ctx, o)
//
// The rules:
//
//   - The content of a file determines its kind; see package kind. [Options.Unused] lists the
//     options that have no effect on the file, which [Run] refuses.
//   - Options have the units stated in their comments. [Defaults] returns the defaults, which may
//     be zero values.
//   - Canceling the context ends a run gracefully: the results so far are kept. The error is then
//     the cause of the context. [Simulation.Kill] ends the processes of FMUs at once.
//   - The same files, options and seed produce the same results and the same trace hash.
//   - Errors of options are of type [usage.Error]. [ExitCode] returns the code of the run contract
//     for an error.
//
// Other commands have packages of their own below this one: campaign computes sweeps, findings
// checks files, inspect describes them, series reads what plot draws, compose builds the systems
// that convert packs, and traffic simulates traffic.
//
// Functions: [Run], [Test] and [Case], with their results; [OpenExperiment] and [FMUs] for
// experiments that are controlled step by step; [New] for a [Simulation] with observers.
package run
