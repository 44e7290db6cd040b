// Package tracepage makes a report of a trace: one HTML file that needs no network, with the
// channels, what a check has found, the metrics, the scene from above with all sensors, and curves
// that a reader chooses, with one clock for all of them.
//
//	err := tracepage.Write(file, "drive.mcap", content, size, tracepage.Options{})
//
// Rules upheld: the same trace gives the same bytes. The page grows with neither the length of the
// trace nor the number of its messages: curves have some hundred points, which keep least
// and greatest values, and the scene has at most [Options.Frames] moments. Texts of the trace cannot
// become markup.
//
// Types: [Options].
package tracepage
