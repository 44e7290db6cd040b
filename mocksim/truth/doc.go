// Package truth creates OSI messages from a simulated world: GroundTruth and SensorView of OSI
// 3.8.0, following OSI's rules.
//
//	maker, err := truth.New(w, truth.Options{Host: "ego"})
//	for {
//		_, err = w.Step(20 * timebase.Millisecond)
//		message, err := maker.SensorView()
//	}
//
// The rules:
//
//   - Content that never changes (roads, lanes, signs, objects) is encoded once, with generated
//     types, and its bytes are spliced into each message that contains it; [Options.Static] selects
//     these messages. Content that changes is written without generated types, and without
//     allocation once the buffers have grown.
//   - Lines of lanes, boundaries and reference lines deviate from the map by at most
//     [LateralTolerance] and [HeightTolerance]. Their points are ordered by s, regardless of the
//     direction of travel.
//   - Ids: actors have their own ids, starting at 1. The ids of the map start at [FirstStaticID],
//     in file order. The same map always gives the same ids.
//   - With [Options.Range], a message contains the actors and the part of the map around the host
//     vehicle, and refers to nothing else. This part of the map is rebuilt when the host has moved
//     by a quarter of the range.
//   - No enumeration field has the value unknown.
//
// Sources: the comments of OSI 3.8.0 in proto/osi3; ASAM OpenDRIVE 1.8.1 for the meaning of the
// map.
//
// Index: [Maker] with [Options] and [Weather]; [Static].
package truth
