// Package trial runs experiments: it builds the simulation that a description names, steps it and
// its state machines on one clock, and reports whether the experiment has passed.
//
//	t, err := trial.Open("demo.exc", document, trial.Options{Files: os.DirFS(".")})
//	verdict, err := t.Run(ctx)
//	verdict.Passed // all evaluation machines have ended in their final state success
//
// # Rules
//
//   - In each step, all participants advance to the next communication point, in the order of
//     cosim; then come the machines' timers that are due by then, each at its own time; then the
//     events of the step, in the order simulator, watches, data, bridge, step; each goes to all
//     machines in document order, control before evaluation. The actions of a machine take effect
//     from the next step on.
//   - The life cycle follows the platform, see [State]. Machines do not run while the trial is
//     paused: their timers count simulated time (X23).
//   - Evaluation machines decide: success, failure, or undecided if they have not ended (EX15,
//     X35). One function computes the outcome from these. Nothing passes vacuously: a machine that
//     did not run, or an error that a machine did not handle, makes the outcome undecided, and
//     without evaluation machines it is finished.
//   - The same files and seed give the same verdict, log and trace hash. A missing seed is drawn
//     and reported (EX18).
//
// docs/EXPERIMENTS.md lists the events that machines receive and send.
//
// Types: [Trial] with [Options], [State], [Maker]; [Verdict] with [Judgment]; [Course] with [Curve]
// and [Scene], for reports; errors are *[Error].
package trial
