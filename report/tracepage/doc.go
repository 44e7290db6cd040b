// Package tracepage creates a report of a trace: a single HTML file that works offline, with the
// channels, the findings of a check, the metrics, the scene from above with all sensors, and curves
// that a reader chooses, with one clock for all of them.
//
//	err := tracepage.Write(file, "drive.mcap", content, size, tracepage.Options{})
//
// Guarantees: the same trace produces the same bytes. The size of the page does not grow with the
// length of the trace or the number of its messages: curves have a few hundred points, which keep
// minima and maxima, and the scene has at most [Options.Frames] moments. Texts of the trace cannot
// become markup.
//
// Types: [Options].
package tracepage
