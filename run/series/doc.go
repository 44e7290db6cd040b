// Package series reads numbers over time: columns of a table, measurements of a recording, and
// fields of the messages of a trace.
//
//	panels, err := series.Panels(&content.File{Name: "drive.mcap"}, series.Options{
//		Paths: []string{"moving_object[*].base.velocity.x"}, Until: math.Inf(1)})
//	err = curves.Write(w, "svg", panels)
//
// Functions: [Panels] and [List] for pictures, [Table] and [Recording] for the numbers themselves,
// [IsTable]; types: [Options], [Group], [Columns].
package series
