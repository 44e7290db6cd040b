// Package cosim runs co-simulations: participants that are stepped along one time axis, connections
// that carry values between them, and observers that are called at every communication point. It
// depends on neither FMU nor OSI. Package importer turns an FMU into a [Participant]; any Go type
// with these methods is one, too.
//
//	e := cosim.New(cosim.Spec{Stop: 10 * timebase.Second, Step: cosim.Every(0.02)})
//	e.Add("source", source)
//	e.AddEvery("sensor", sensor, cosim.Every(0.1))
//	e.Connect("source.view", "sensor.view")
//	e.Observe(cosim.NewRecorder(file, e.Watch("sensor.count")))
//	result, err := e.Run(ctx)
//
// Run calls [Engine.Start], [Engine.Continue] and [Engine.Finish]. A program that calls
// [Engine.Step] itself, until no step is left, can read signals, set inputs ([Engine.Drive]), save
// and restore the whole state, or pause between two steps for any length of time.
//
// The rules:
//
//   - Instants are integer nanoseconds. The k-th communication point is start + k·step with exact
//     start and step; it is rounded once and never accumulated. [Setup].Scale gives it in seconds,
//     rounded once from the exact value, not from the nanosecond.
//   - Algorithm [Sequential] (Gauss-Seidel): participants step in the order of their connections,
//     and each receives the values that earlier participants have produced in this step. A cycle is
//     cut at the participant that was added first; [Result.Cuts] names the links that lag by a
//     step. A connection may require that it lags, or that it must not lag; see [Timing]. Steps of
//     participants that wait for no values may overlap ([Early]), and participants that receive no
//     values from outside may be many steps ahead ([Course]). Both affect only the speed.
//   - Algorithm [Parallel] (Jacobi): all participants step at the same time with the values of the
//     last communication point, with one thread per core. The number of threads affects only the
//     speed.
//   - A participant may have a longer step: a whole multiple of the base step. Its step begins
//     together with the first base step in it, with the newest values that the algorithm provides
//     at that time. Its outputs hold until its step ends, just as a datum in a DUECA stream holds
//     until the next one begins.
//   - During initialization, values propagate along the connections and the direct dependencies
//     that participants state ([Depender]). Sets of variables that depend on themselves are
//     iterated until nothing changes; [Result.Loops] names these sets, and the sets that do not
//     converge.
//   - Unconnected inputs keep their start values. Values are converted by type: integers widen,
//     integers become floating point, the two floating-point kinds convert into each other;
//     anything else requires a [Conversion] of the connection. The MIME types of messages must
//     match; a different minor version is noted.
//   - The bytes of a message are not copied: they stay where the producer put them at least until
//     the consumer's step has returned.
//   - If one participant discards a step, all participants repeat it in halves, provided that all
//     of them can be restored ([Spec.Rollback]).
//   - A run always ends in an orderly way. After an error, a participant's request to terminate, or
//     the end of ctx, the engine stops the participants that are still sound, and closes all of
//     them. Observers keep what they have recorded.
//   - A step allocates no memory and does not depend on map order: the same participants and values
//     give the same trace.
//
// Types: [Engine] with [Spec], [Algorithm], [Participant], [Source], [Observer]; [Variable],
// [Kind], [Frame]; [Signal], [Control], [Connection], [Conversion], [Result]; [Recorder] writes
// CSV, [Table] reads it, [Hash] computes the trace hash.
package cosim
