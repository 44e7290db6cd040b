// Package toolchain finds and runs the programs that turn sources into libraries: C compilers of
// this machine and of others, and the go command.
//
// Rules it upholds: a program that is missing is named together with the command that installs it
// ([ErrMissing]); a program that fails is reported with its first complaint in the error and the
// rest in [CallError.Output]; a program that is interrupted gets five seconds to clean up; compilers
// run with absolute paths, because they run in other folders.
//
// Types: [Runner] starts programs, [Call] is one start, [CallError] a start that failed. [Compiler]
// is a C compiler, found by [Native], [Zig] or [Cross], and [Unit] is what it makes.
package toolchain
