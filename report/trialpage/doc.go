// Package trialpage makes a report of an experiment: one HTML file that needs no network, with the
// verdict, the states of its machines over time, curves of signals, and the scene from above at
// each change of a state.
//
//	err := trialpage.Write(file, trial.Course())
//
// Rules upheld: the same course gives the same bytes. Texts of the experiment cannot become markup.
package trialpage
