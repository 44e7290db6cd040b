// Package livepage makes the page of a run that goes on, and the data that the page gets meanwhile.
//
//	c := livepage.New([]livepage.Variable{{Name: "ego.speed", Unit: "m/s"}})
//	err := livepage.Write(w, "town.xodr", nil, nil) // the page
//	c.Add(0.1, []float64{12}, c.Truth(groundTruth))
//	text := c.All()      // for a page that has just been opened
//	text := c.Since(120) // for one that has had 120 moments
//
// The page asks for its data with the token of its own address, from the addresses data and control
// next to it: see package gosmp/run/view, which serves it.
//
// Rules upheld: names cannot become markup. The page needs nothing but what serves it. Memory is
// bounded: the oldest moments are left out.
//
// Types: [Course], [Variable], [Picture], [Object].
package livepage
