// Package run lets Go programs run everything that gosmp runs: FMUs alone, together or as a system,
// OpenDRIVE maps with traffic, scenarios, statecharts and experiments. It also tests FMUs with
// traces, and computes single runs of sweeps. The command gosmp adds flags, texts and exit codes.
//
//	o := run.Defaults("sensor.fmu")
//	o.OutputFile = "out.csv"
//	result, err := run.Run(ctx, o)
//
// The rules:
//
//   - What a file is follows from its content; see package kind. [Options.Unused] lists the options
//     that the file has no use for, which [Run] refuses.
//   - Options have the units that their comments state. [Defaults] has the defaults; where it leaves
//     a zero value, that is the default.
//   - Ending the context ends a run in order: results that exist by then are kept. The error is then
//     the cause of the context. [Simulation.Kill] ends the processes of FMUs at once.
//   - The same files, options and seed give the same results and the same trace hash.
//   - Errors of options are of type [usage.Error]. [ExitCode] is the code of the run contract for an
//     error.
//
// Functions: [Run], [Test] and [Case], with their results; [OpenExperiment] and [FMUs] for
// experiments that are controlled step by step; [New] for a [Simulation] with observers.
package run
