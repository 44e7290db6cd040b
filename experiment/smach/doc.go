// Package smach translates state machines of the Neurorobotics Platform, which are scripts in
// Python (SMACH), to SCXML.
//
//	t, err := smach.Translate("control.exd", script)
//	os.WriteFile("control.scxml", t.Chart, 0o644)
//	t.Left // the parts that were not translated, with lines of the script
//
// # Rules
//
//   - A script is read, never executed. Global constants, lambdas and functions that only return an
//     expression are understood; states that are added in loops are not.
//   - The patterns of X34: delays and clocks become delayed events, monitors of poses a condition
//     on the event step, monitors of topics one on data.TOPIC; spawn, destroy and set pose become
//     events for the experiment; callbacks that only write to the log become log elements.
//   - The outcome preempted is left out, because a chart is not preempted. The outcomes of the
//     machine become the ids of its finals.
//   - Translation always produces a well-formed, loadable chart. It always terminates, because
//     nesting, numbers and conditions are bounded.
//
// Functions: [Translate] returns a [Translation].
package smach
