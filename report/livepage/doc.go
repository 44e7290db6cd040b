// Package livepage creates the page of a run in progress, and the data that the page receives
// during the run.
//
//	c := livepage.New([]livepage.Variable{{Name: "ego.speed", Unit: "m/s"}})
//	err := livepage.Write(w, "town.xodr", nil, nil) // the page
//	c.Add(0.1, []float64{12}, c.Truth(groundTruth))
//	text := c.All()      // for a page that has just been opened
//	text := c.Since(120) // for a page with 120 moments
//
// The page uses the token in its own address to request data from the neighboring addresses data
// and control; see package gosmp/run/view, which serves it.
//
// Guarantees: names cannot become markup. The page needs only its server. Memory is bounded: the
// oldest moments are dropped.
//
// Types: [Course], [Variable], [Picture], [Object].
package livepage
