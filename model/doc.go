// Package model is the interface for authors of OSMP models: a definition and a model with
// Setup and Step, without FMI, addresses or C. With two more lines, a main package becomes the core
// of an FMU when it is built as a shared library, and the packer of that FMU when it is run:
//
//	func init() { export.Register(definition.FMU) }
//	func main() { build.Main(definition.FMU) }
//
// A [Definition] names the FMU and has a function New that creates one model. New is called once to
// determine the variables, then for each instance, and whenever an instance starts over. It
// declares every variable of the model, in the same order each time:
//
//   - plain variables, bound to fields of the model: [Parameter], [PlainInput] and [PlainOutput],
//     with options such as [Unit], and arrays of them: [ParameterArray], [InputArray],
//     [OutputArray];
//   - notional binary variables of OSMP: [Declaration.Input] and [Declaration.Output], or several
//     with Inputs and Outputs, [Declaration.Constant] for data that never changes,
//     [Declaration.ConfigRequest] for the handshake about a SensorView;
//   - log categories: [Declaration.Log].
//
// For each [Model], Setup is called once, when all parameters are known, and then Step for each
// step. A model that is a [Snapshotter] results in an FMU whose states can be saved and restored;
// one without state of its own embeds [Stateless]. A model may also implement io.Closer and
// [gosmp/fmu.Terminator]. Models of several instances exist at the same time in several threads, so
// data that they share must not change.
//
// New must not refer to the variable that holds the Definition; the Go compiler rejects that as an
// initialization cycle.
//
// The package guarantees the following. It checks the bounds of parameters before Setup. It reads
// an input only within its lifetime, and reports problems with it once per run. An output that a
// step does not write is "no data". A step that fails or is discarded leaves all outputs unchanged.
// Saved states hold variables, buffers and the model's own bytes.
//
// Package message reads and writes OSI messages through generated types; package modeltest runs a
// model in a Go test.
package model
