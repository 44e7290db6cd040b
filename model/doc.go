// Package model is what the author of an OSMP model writes against: a definition, a model with Setup and Step, and nothing of FMI,
// addresses or C. A main package needs two lines more, and is then the core of an FMU when it is built as a shared library, and the
// packer of that FMU when it is run:
//
//	func init() { export.Register(definition.FMU) }
//	func main() { build.Main(definition.FMU) }
//
// A [Definition] names the FMU and has a function New that makes one model. New is called once to learn the variables, and then for
// each instance, and whenever an instance starts over. It declares every variable that the model has, in the same order each time:
//
//   - plain variables, bound to fields of the model: [Parameter], [PlainInput] and [PlainOutput], with options such as [Unit];
//   - notional binary variables of OSMP: [Declaration.Input] and [Declaration.Output], or several with Inputs and Outputs,
//     [Declaration.Constant] for data that never change, [Declaration.ConfigRequest] for the handshake about a SensorView;
//   - log categories: [Declaration.Log].
//
// Then comes the life of a [Model]: Setup once, when all parameters are known, then Step by step. A model that is a [Snapshotter]
// makes an FMU whose states can be saved and restored; one without state of its own embeds [Stateless]. io.Closer and
// [gosmp/fmu.Terminator] are honoured. Models of several instances live at the same time in several threads: what they share must
// not change.
//
// New must not refer to the variable that holds the Definition; Go would call that an initialization cycle.
//
// What this package sees to: parameters have their bounds checked before Setup; an input is read within its lifetime only, and what
// is wrong with it is told once per run; an output that a step has not written says "no data"; a step that fails or is discarded
// leaves all outputs as they were; saved states hold variables, buffers and the model's own bytes.
//
// Package message reads and writes OSI messages through generated types, package modeltest runs a model in a Go test.
package model
