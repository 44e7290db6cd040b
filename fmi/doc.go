// Package fmi is the vocabulary of the Functional Mock-up Interface, shared by all packages here
// that implement FMI: the slave (gosmp/fmu), the reader of FMUs (gosmp/fmi/archive) and the
// importer.
//
// Words are spelled as in the standards, FMI 2.0.5 and 3.0.2, and each constant has the name that
// the standard gives it:
//
//   - [Version]: the major versions, and how to read an fmiVersion attribute.
//   - [Type]: the types of variables of both versions, their properties, and the XML spelling of
//     their values.
//   - [Causality], [Variability], [Initial]: what a variable is for, when it changes, and where its
//     start value comes from; [Combinations] is the table of permitted combinations.
//   - [ValueReference]; structured names and identifiers ([IsStructuredName], [IsIdentifier]).
//   - [Unit], [DisplayUnit]: units as powers of SI base units.
//   - [Annotation], [Element], [Attribute]: what tools add to a model description.
//   - [LogCategory] and the names of the standard categories.
//   - [Status] and [Worst], which merges statuses; [State], the states of a co-simulation slave;
//     [InterfaceType].
//
// Words that occur in a model description (such as [Causality]) are strings, so that a reader can
// show a word that the standard does not define; Parse functions refuse such a word with an error
// that lists the known ones. Terms that never occur in a file ([Status], [State]) or that select
// code ([Type]) are numbers. The package imports only the standard library and the error type of
// the module.
package fmi
