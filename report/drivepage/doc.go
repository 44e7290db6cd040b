// Package drivepage makes the page of a simulated drive: one HTML file that needs no network, with
// the map and the actors from above, their speeds, and the events.
//
//	r := drivepage.New(w, "ego")
//	for ... { w.Step(h); r.Add(w, events) }
//	err := r.Write(file)
//
// Rules upheld: the same drive gives the same bytes. Names cannot become markup. Memory does not
// grow with the simulated time.
//
// Types: [Recorder].
package drivepage
