// Package fmi defines the vocabulary of the Functional Mock-up Interface. All packages here that
// implement FMI share it: the slave (gosmp/fmu), the reader of FMUs (gosmp/fmi/archive) and the
// importer.
//
// Terms are spelled as in the standards, FMI 2.0.5 and 3.0.2, and constants have their names from
// the standard:
//
//   - [Version]: the major versions, and parsing of fmiVersion attributes.
//   - [Type]: the variable types of both versions, their properties, and the XML spelling of their
//     values.
//   - [Causality], [Variability], [Initial]: the role of a variable, when it changes, and the
//     source of its start value; [Combinations] is the table of permitted combinations.
//   - [ValueReference]; structured names and identifiers ([IsStructuredName], [IsIdentifier]).
//   - [Unit], [DisplayUnit]: units as powers of SI base units.
//   - [Annotation], [Element], [Attribute]: data that tools add to a model description.
//   - [LogCategory] and the names of the standard categories.
//   - [Status] and [Worst], which merges statuses; [State], the states of a co-simulation slave;
//     and [InterfaceType].
//
// Words that occur in a model description (such as [Causality]) are strings, so that a reader can
// show a word that the standard does not define. Parse functions reject such a word with an error
// that lists the known words. Terms that never occur in a file ([Status], [State]) or that select
// code ([Type]) are numbers. The package imports only the standard library and the error type of
// the module.
package fmi
