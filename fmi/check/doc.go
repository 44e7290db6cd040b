// Package check finds what is wrong with an FMU without running it: the archive, the model
// description, the documents and the libraries, against the rules of FMI 1.0, 2.0 and 3.0.
//
// [File] and [Read] check an FMU. Each finding has the id of a row of docs/FMU_RULES.md preceded by
// the version of FMI, such as FMI2-V3, and names the clause, what was found, what was expected and
// how to repair it. The package follows these rules:
//
//   - One cause, one finding. No rule repeats what the grammar has reported.
//   - An Error is something that the standard forbids and that makes hosts refuse the FMU or
//     compute wrongly; a Warning is something that costs many users time; anything that applies to
//     most FMUs is a note for users who ask for notes.
//   - Nothing is loaded, nothing is unpacked to disk. Libraries are read as data. Whether a missing
//     library is an error or a warning depends on the libraries that this machine has.
//
// Package osmp/check checks the rules of OSMP, which is a convention on top of FMI.
//
// Sources: FMI 1.0; FMI 2.0.5; FMI 3.0.2; the System V ABI. [ID] and [Clause] name rules.
package check
