// Package drivepage creates the page of a simulated drive: a single HTML file that works offline,
// with the map and the actors from above, their speeds, and the events.
//
//	r := drivepage.New(w, "ego")
//	for ... { w.Step(h); r.Add(w, events) }
//	err := r.Write(file)
//
// Guarantees: the same drive produces the same bytes. Names cannot become markup. Memory does not
// grow with the simulated time.
//
// Types: [Recorder].
package drivepage
