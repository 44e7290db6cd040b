// Package draw draws statecharts as SVG for people to read: the chart itself with its active states
// marked, and the timeline of a run.
//
//	err := draw.Chart(w, chart, []string{"braking"})
//	err = draw.Timeline(w, records)
//
// In the picture of a chart, a state is a box that contains the boxes of its children, in layers
// from top to bottom, in the order in which transitions lead from one to the next. Each transition
// is a line of text in the box of its source, where its arrow begins; no arrow crosses a text or
// the box of another state (see internal/nested). The same chart gives the same bytes.
//
// Functions: [Chart], [Timeline].
package draw
