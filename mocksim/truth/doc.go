// Package truth makes OSI messages from a simulated world: GroundTruth and SensorView of OSI 3.8.0,
// by the rules that OSI states.
//
//	maker, err := truth.New(w, truth.Options{Host: "ego"})
//	for {
//		_, err = w.Step(20 * timebase.Millisecond)
//		message, err := maker.SensorView()
//	}
//
// The rules:
//
//   - What never changes (roads, lanes, signs, objects) is made once, by generated types, and its
//     bytes are spliced into each message that has it; [Options.Static] selects them. What changes
//     is written without generated types, and without allocation once the buffers have grown.
//   - Lines of lanes, boundaries and reference lines deviate by at most [LateralTolerance] and
//     [HeightTolerance] from the map. Their points are in the order of s, whatever the direction of travel.
//   - Ids: actors have theirs, from 1; the map's begin at [FirstStaticID], in the order of the file. The same map gives
//     the same ids.
//   - With a [Options.Range] a message has the actors and the part of the map around the host vehicle, and refers to
//     nothing else. The part of the map is made anew when the host has moved by a quarter of the range.
//   - No enumeration has the value unknown.
//
// Sources: the comments of OSI 3.8.0 in proto/osi3; ASAM OpenDRIVE 1.8.1 for what the map means.
//
// Index: [Maker] with [Options] and [Weather]; [Static].
package truth
