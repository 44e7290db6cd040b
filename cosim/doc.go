// Package cosim runs co-simulations: participants that are stepped along one time axis, connections that carry values between them, and
// observers that see every communication point. It knows no FMU and no OSI; package importer makes a [Participant] of an FMU, and
// any Go type that has the methods is one, too.
//
//	e := cosim.New(cosim.Spec{Stop: 10 * timebase.Second, Step: cosim.Every(0.02)})
//	e.Add("source", source)
//	e.Add("sensor", sensor)
//	e.Connect("source.view", "sensor.view")
//	e.Observe(cosim.NewRecorder(file, e.Watch("sensor.count")))
//	result, err := e.Run(ctx)
//
// The rules:
//
//   - Time is integer nanoseconds. The k-th communication point is start + k·step, rounded once, never a sum.
//   - Algorithm sequential (Gauss-Seidel): participants step in the order of their connections, and each gets what those before it have
//     made in this step. A cycle is cut where the participant that was added first comes first; [Result.Cuts] names the links
//     that lag by a step.
//   - During initialization values go along the connections in the same order; a cycle is repeated until nothing changes any more.
//   - Inputs that nothing is connected to keep their start values. Values are copied by type: integers widen, integers become floating
//     point, nothing else is converted, except by [Connection.Factor] and [Connection.Offset].
//   - The bytes of a message are not copied: they stay where the producer has them, at least until the consumer's step has returned.
//   - What has begun is ended in order: after an error, a wish of a participant to end, or the end of ctx the participants that are
//     sound are stopped, and all are closed. Observers keep what they have got.
//   - No allocation on the path of a step, no goroutine, no map order: the same participants and values give the same trace.
//
// Types: [Engine] with [Spec], [Participant], [Source], [Observer]; [Variable], [Kind], [Frame]; [Signal], [Connection], [Result];
// [Recorder] writes CSV, [Table] reads it, [Hash] makes the trace hash.
package cosim

import (
	"errors"

	"gosmp/internal/fault"
)

// Error is an error with its place: a participant, a variable, a line of a file.
type Error = fault.Error

// The kinds of errors of this package.
var (
	// ErrName reports a participant or variable that does not exist, or a name that is taken.
	ErrName = errors.New("unknown name")
	// ErrConnection reports two variables that cannot be connected.
	ErrConnection = errors.New("impossible connection")
	// ErrSpec reports a run that makes no sense: times, steps.
	ErrSpec = errors.New("impossible run")
	// ErrTable reports a file of values that cannot be used.
	ErrTable = errors.New("unusable table")
	// ErrStalled reports a participant that does not get on: it repeats an empty step, or an event, without end.
	ErrStalled = errors.New("no progress")
	// ErrDiscarded reports a step that a participant refuses, and nothing smaller could be tried.
	ErrDiscarded = errors.New("step discarded")
)
