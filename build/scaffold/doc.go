// Package scaffold generates the Go module of a new model: an FMU of a chosen kind that does
// something sensible, with a test, a Makefile and a README. It guarantees:
//
//   - nothing is overwritten: the folder must not exist, or be empty;
//   - everything is checked and rendered before the first file is written;
//   - the same [Request] produces the same files;
//   - the module builds offline wherever gosmp itself has been built and tested, because it has
//     the versions and checksums of gosmp's own go.mod and go.sum.
//
// [Kinds] lists the kinds of models, and a [Request] asks for one of them; its method Complete
// fills in defaults and checks it. [Locate] finds gosmp on this machine, and [Write] writes the
// files. An [Error] contains the place, the cause and a hint.
package scaffold
