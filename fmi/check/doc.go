// Package check finds faults in an FMU without running it. It checks the archive, the model
// description, the documents and the libraries against the rules of FMI 1.0, 2.0 and 3.0.
//
// [File] and [Read] check an FMU. The id of a finding is the FMI version followed by the id of a
// row in docs/FMU_RULES.md, such as FMI2-V3. A finding states the clause, what was found, what was
// expected and how to repair the fault. The package follows these rules:
//
//   - One cause, one finding. No rule repeats a finding of the grammar.
//   - An Error breaks the standard and makes hosts refuse the FMU or compute wrong results. A
//     Warning is a fault on which many users lose time. Findings that apply to most FMUs are notes,
//     reported only on request.
//   - Nothing is loaded, and nothing is unpacked to disk. Libraries are read as data. The libraries
//     on this machine determine whether a missing library is an error or a warning.
//
// Package osmp/check checks the rules of OSMP, which is a convention on top of FMI.
//
// Sources: FMI 1.0; FMI 2.0.5; FMI 3.0.2; the System V ABI. [ID] and [Clause] name rules.
package check
