// Package scaffold writes the Go module of a new model: an FMU of a chosen kind that does something
// sensible, with a test, a Makefile and a README. It upholds:
//
//   - nothing is overwritten: the folder must not exist, or be empty;
//   - everything is checked and rendered before the first file is written;
//   - the same [Request] gives the same files;
//   - the module builds without a network wherever gosmp itself has been built and tested: it has
//     the versions and checksums of gosmp's own go.mod and go.sum.
//
// [Kinds] lists the kinds of models, and a [Request] asks for one of them; its method Complete
// fills in defaults and checks it. [Locate] finds gosmp on this machine, and [Write] does the work.
// An [Error] has place, cause and hint.
package scaffold
