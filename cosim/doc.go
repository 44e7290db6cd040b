// Package cosim runs co-simulations: participants that are stepped along one time axis, connections
// that carry values between them, and observers that see every communication point. It knows no FMU
// and no OSI; package importer makes a [Participant] of an FMU, and any Go type that has the methods
// is one, too.
//
//	e := cosim.New(cosim.Spec{Stop: 10 * timebase.Second, Step: cosim.Every(0.02)})
//	e.Add("source", source)
//	e.AddEvery("sensor", sensor, cosim.Every(0.1))
//	e.Connect("source.view", "sensor.view")
//	e.Observe(cosim.NewRecorder(file, e.Watch("sensor.count")))
//	result, err := e.Run(ctx)
//
// Run is [Engine.Start], [Engine.Step] until nothing is left, and [Engine.Finish]. Who calls these
// can look at signals, set inputs ([Engine.Drive]), save and restore the whole state, or wait as long
// as they like between two steps.
//
// The rules:
//
//   - Time is integer nanoseconds. The k-th communication point is start + k·step, rounded once,
//     never a sum.
//   - Algorithm [Sequential] (Gauss-Seidel): participants step in the order of their connections, and
//     each gets what those before it have made in this step. A cycle is cut where the participant that
//     was added first comes first; [Result.Cuts] names the links that lag by a step.
//   - Algorithm [Parallel] (Jacobi): all step at the same time with the values of the last
//     communication point, on as many threads as there are cores. The number of threads changes
//     nothing but the speed.
//   - A participant may have a longer step: a whole multiple of the base step. Its step begins with
//     the first base step in it, with the newest values that there are then by the algorithm. Its
//     outputs hold until its step ends, as a datum of a DUECA stream does until the next one begins.
//   - During initialization values go along the connections and the direct dependencies that
//     participants state ([Depender]). What depends on itself is repeated until nothing changes any
//     more; [Result.Loops] names these sets, and those that do not settle.
//   - Inputs that nothing is connected to keep their start values. Values are copied by type: integers
//     widen, integers become floating point, the two floating-point kinds become each other; the rest
//     is up to the [Conversion]s of a connection. Messages fit by MIME type; a different minor version
//     gives a note.
//   - The bytes of a message are not copied: they stay where the producer has them, at least until
//     the consumer's step has returned.
//   - A step that one participant refuses is repeated in halves by all of them, if all can go back
//     ([Spec.Rollback]).
//   - What has begun is ended in order: after an error, a wish of a participant to end, or the end of
//     ctx the participants that are sound are stopped, and all are closed. Observers keep what they
//     have got.
//   - No allocation on the path of a step and no map order: the same participants and values give the
//     same trace.
//
// Types: [Engine] with [Spec], [Algorithm], [Participant], [Source], [Observer]; [Variable], [Kind],
// [Frame]; [Signal], [Control], [Connection], [Conversion], [Result]; [Recorder] writes CSV, [Table]
// reads it, [Hash] makes the trace hash.
package cosim
