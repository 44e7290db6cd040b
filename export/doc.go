// Package export is the C boundary: the 34 functions of an FMI 2.0 co-simulation slave as Go
// exports.
//
// A program that imports it, calls [Register] with the definition of a model and is built with
// -buildmode=c-shared is the core of an FMU. All exports have the same structure: they find the
// component, view the arguments as slices, call one method of [gosmp/fmu.Instance], and return its
// status. The rules of this boundary:
//
//   - A component or FMU state is a number that looks like an address and is looked up in a table.
//     A call with a stale, foreign or null number returns fmi2Error.
//   - A panic never leaves an export: it becomes fmi2Fatal for that instance, with one log line.
//   - Memory that the host may keep (binary outputs, strings) comes from C's heap, never from Go's.
//   - The host's callback struct is copied at instantiation (FMI 2.0.5 allows it to disappear
//     afterwards). Its logger is called after the work of a call, while no lock is held, with a
//     text in which '%' is doubled.
//   - No code path uses a goroutine, channel, timer, signal, environment variable or standard
//     stream.
//   - The core marks the process that has loaded it (process.h), so that the FMU's loader detects a
//     fork, which a Go runtime does not survive.
package export
