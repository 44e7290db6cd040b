// Package signalpage makes a page of numbers over time, and of the states of machines: results of
// runs, recordings of sensors, logs of statecharts. A reader chooses among the curves. The page is
// one HTML file that needs no network.
//
//	p := signalpage.New("run.csv")
//	speed := p.Signal("car.speed", "m/s", false)
//	speed.Add(0.1, 13.9)
//	err := p.Write(file)
//
// Rules upheld: memory does not grow with the number of values, and no peak is lost; the same values
// give the same bytes.
package signalpage
