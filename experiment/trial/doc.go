// Package trial runs experiments: it builds the simulation that a description names, steps it and
// its state machines on one clock, and reports whether the experiment passed.
//
//	t, err := trial.Open("demo.exc", document, trial.Options{Files: os.DirFS(".")})
//	verdict, err := t.Run(ctx)
//	verdict.Passed // all evaluation machines have ended in their final state success
//
// # Rules
//
//   - In each step, all participants advance to the next communication point, in the order of
//     cosim. Next come the machines' timers that are due by then, each at its own time, and then
//     the events of the step, in the order simulator, watches, data, bridge, step. Each event goes
//     to all machines in document order, control before evaluation. A machine's actions take effect
//     in the next step.
//   - The life cycle follows the platform, see [State]. Machines do not run while the trial is
//     paused, because their timers count simulated time (X23).
//   - Evaluation machines decide: success, failure, or undecided if they have not ended (EX15,
//     X35). A single function computes the outcome from them. Nothing passes vacuously: a machine
//     that did not run or an unhandled error makes the outcome undecided, and without evaluation
//     machines the outcome is finished.
//   - The same files and seed give the same verdict, log and trace hash. A missing seed is drawn
//     and reported (EX18).
//
// docs/EXPERIMENTS.md lists the events that machines receive and send.
//
// Types: [Trial] with [Options], [State], [Maker]; [Verdict] with [Judgment]; [Course] with [Curve]
// and [Scene], for reports; [Alone], for a machine without an experiment; errors are *[Error].
package trial
