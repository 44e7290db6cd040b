// Package trial runs experiments: it builds the simulation that a description names, steps it and
// its state machines on one clock, and reports whether the experiment has passed.
//
//	t, err := trial.Open("demo.exc", document, trial.Options{Files: os.DirFS(".")})
//	verdict, err := t.Run(ctx)
//	verdict.Passed // all evaluation machines have ended in their final state success
//
// # Rules
//
//   - One step: all participants go to the next communication point, in the order of cosim; then
//     timers of the machines that are due until there, each at its own time; then the events of the
//     step, in the order simulator, watches, data, bridge, step; each goes to all machines in document
//     order, control before evaluation. What a machine does takes effect from the next step on.
//   - The life cycle is the platform's, see [State]. Machines do not run while the trial is paused:
//     their timers count simulated time (X23).
//   - Evaluation machines decide: success, failure, or undecided if they have not ended (EX15,
//     X35). One function computes the outcome from that. Nothing passes vacuously: a machine that
//     did not run, or an error that a machine has left alone, makes the outcome undecided, and
//     without a judge it is finished.
//   - The same files and seed give the same verdict, log and trace hash. A missing seed is drawn,
//     and reported (EX18).
//
// Events that machines receive and send are listed in docs/EXPERIMENTS.md.
//
// Types: [Trial] with [Options], [State], [Maker]; [Verdict] with [Judgment]; [Course] with [Curve]
// and [Scene], for reports; errors are *[Error].
package trial
