// Package compare compares two traces, the expected one with the one found.
//
//	report, err := compare.Traces(expected, found, compare.Options{})
//	if !report.Equal() {
//		fmt.Println(report.Differences[0])
//	}
//
// Guarantees:
//
//   - Channels match if they have the same topic. Otherwise they match if each is the only one of
//     its type, which is known only if the found trace has an index. Channels that only the found
//     trace has are not compared.
//   - Messages match if they have the same time, within Options.Time.
//   - Fields are compared one by one: numbers with a tolerance for each field, all other values
//     exactly. Angles of an Orientation3d are compared on the circle, time stamps as seconds.
//   - Tracking ids are names that the sensor model chooses. They are compared up to renaming: an
//     object is matched by its content and then keeps its partner for the whole trace. A model that
//     numbers its tracks differently passes, but one that swaps two tracks does not. List elements
//     with an id are matched by that id in any order, and all others by index.
//   - Only the messages with one time are held in memory, not the traces. The same traces always
//     give the same report.
//
// Types: [Options] with [Tolerance], [Report] with [Channel] and [Difference].
package compare
