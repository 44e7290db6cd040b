// Package trialpage creates a report of an experiment: a single HTML file that works offline, with
// the verdict, the states of its machines over time, curves of signals, and the scene from above at
// each change of state.
//
//	err := trialpage.Write(file, trial.Course())
//
// Guarantees: the same course produces the same bytes. Texts of the experiment cannot become
// markup.
package trialpage
