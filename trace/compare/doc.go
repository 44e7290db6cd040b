// Package compare compares two traces: what was expected with what was found.
//
//	report, err := compare.Traces(expected, found, compare.Options{})
//	if !report.Equal() {
//		fmt.Println(report.Differences[0])
//	}
//
// Rules upheld:
//
//   - Channels belong together when they have the same topic, or else when they are the only ones of
//     their type, which is known only of a found trace with an index. Channels that only the found
//     trace has are left out of the comparison.
//   - Messages belong together when they have the same time, up to Options.Time.
//   - Fields are compared one by one: numbers with tolerances by field, all others exactly. Angles
//     of an Orientation3d are compared on the circle, time stamps as seconds.
//   - Tracking ids are names that the sensor model chooses. They are compared up to renaming: an
//     object keeps its partner, found by its content, for the whole trace, so that a model that
//     numbers its tracks differently passes, and one that swaps two tracks does not. Elements of a
//     list that have an id are matched by it, whatever their order; all others by their index.
//   - Memory holds the messages of one time, not the traces. The same traces give the same report.
//
// Types: [Options] with [Tolerance], [Report] with [Channel] and [Difference].
package compare
