// Package export is the C boundary: the 34 functions of an FMI 2.0 co-simulation slave as Go exports.
//
// A program that imports it and calls [Register] with the definition of a model is, built with -buildmode=c-shared, the core of
// an FMU. All exports have one shape: find the component, view the arguments as slices, call one method of
// [gosmp/fmu.Instance], hand back its status. The rules of this border:
//
//   - A component or FMU state is a number that looks like an address, looked up in a table. A stale, foreign or null one gives
//     fmi2Error.
//   - A panic never leaves an export: it becomes fmi2Fatal for that instance, with one log line.
//   - Memory that the host may keep (binary outputs, strings) comes from C's heap, never from Go's.
//   - The host's callback struct is copied at instantiation (FMI 2.0.5 lets it vanish afterwards). Its logger runs when the work
//     of a call is done and no lock is held, with a text in which '%' is doubled.
//   - No goroutine, channel, timer, signal, environment variable or standard stream on any path.
//   - The process that has loaded the core is marked (process.h), so that the FMU's loader notices when it has been forked: a Go
//     runtime does not survive that.
package export
