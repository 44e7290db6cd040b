// Package draw draws statecharts as SVG, for people: the chart itself, with its active states
// marked, and a timeline of a run.
//
//	err := draw.Chart(w, chart, []string{"braking"})
//	err = draw.Timeline(w, records)
//
// In the picture of a chart a state is a box that holds the boxes of its children: the children of
// a compound state one below the other, in the order in which transitions lead from one to the
// next, and the children of a parallel state side by side. Each transition is a line of text in the
// box of its source and an arrow to its target. The same chart gives the same bytes.
//
// Functions: [Chart], [Timeline].
package draw
