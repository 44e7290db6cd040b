// Package fmitest drives the C boundary of [gosmp/export] from C, as an importer does, and contains
// the model under test. Only tests import it; it exists because cgo is not allowed in test files.
//
// The C part (importer.c, calls.c) calls the exported fmi2 functions that are linked into the same
// test binary. It behaves like the strictest importer that FMI 2.0.5 and OSMP 0.3.0 allow: the
// callback struct and all strings are overwritten and freed when fmi2Instantiate returns, arrays
// have exactly the length that is passed, inputs end at an inaccessible page and become
// inaccessible when fmi2DoStep returns, and log messages are used as printf formats without
// arguments.
//
// The types:
//
//   - [Host]: an environment with a logger; its [Line]s are the logged messages.
//   - [Component]: a fmi2Component as the plain number that a host sees, so that a test can also
//     invent one. Its methods are the fmi2 functions with the raw arguments of C: a nil slice is
//     NULL, n is independent of the slice.
//   - [State]: a fmi2FMUstate, represented in the same way.
//   - [Text]: a string that belongs to the FMU.
//
// Importing the package registers the test model, whose variables and behaviors are described in
// model.go. testdata/cells.txt lists the result of every function in every state; test/host packs
// the model as an FMU and checks it against the same table.
package fmitest
