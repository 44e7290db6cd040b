// Package signalpage creates a page of numbers over time and of the states of machines, for results
// of runs, sensor recordings and logs of statecharts. A reader chooses among the curves. The page
// is a single HTML file that works offline.
//
//	p := signalpage.New("run.csv")
//	speed := p.Signal("car.speed", "m/s", false)
//	speed.Add(0.1, 13.9)
//	err := p.Write(file)
//
// Guarantees: memory does not grow with the number of values, and no peak is lost; the same values
// produce the same bytes.
package signalpage
