// Package toolchain finds and runs the programs that turn sources into libraries: C compilers for
// this machine and for others, and the go command.
//
// The package upholds these rules: a missing program is reported together with the command that
// installs it ([ErrMissing]); a program that fails is reported with its first error message, and
// the rest is in [CallError.Output]; an interrupted program has five seconds to clean up; compilers
// run with absolute paths, because they run in different folders.
//
// Types: [Runner] starts programs, [Call] describes a start, [CallError] reports one that failed.
// [Compiler] is a C compiler, found by [Native], [Zig] or [Cross], and [Unit] describes its output.
package toolchain
