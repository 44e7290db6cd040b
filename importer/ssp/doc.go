// Package ssp reads, checks and writes systems of FMUs: the files of System Structure and
// Parameterization 1.0 and 2.0 (SSP), a standard of the Modelica Association.
//
//	system, findings, err := ssp.Load("demo.ssp", ssp.Options{})
//	folder, err := system.Unpack(dir)
//	for _, c := range system.Components { ... importer.Open(c.File) ... }
//	for _, c := range system.Connections { ... c.From, c.To, c.Transformation ... }
//	defer system.Close()
//
// The rules:
//
//   - A [System] is flat and independent of file formats: nested systems, other descriptions and
//     packages, dictionaries, parameter sets, mappings and units are resolved. The result consists
//     of components, connections between them with at most one [Transformation] each, and start
//     values, each with the file and line that it comes from.
//   - Elements are identified by their namespace, never by their prefix. Everything optional in the
//     standard may be omitted; annotations of unknown tools are ignored.
//   - A connection has the same meaning in either order of its ends: the kinds of the connectors
//     give the direction (SSP 2.0, 5.4.2).
//   - A value is converted to the unit of its destination first and then transformed (SSP 2.0,
//     4.5.2). Conversions at the boundaries of nested systems apply in turn; boundaries add no
//     delay.
//   - Of several start values, the last one bound at the highest level applies; a connection
//     overrides bindings.
//   - Anything that prevents a system from running as written is an error of [Load]. All other
//     mistakes in the files are findings of [Check], which never stops at the first one.
//   - Reading is bounded: it ends for any content of the files, and documents of more than 64 MiB
//     or a million elements are not read.
//
// Sources: System Structure and Parameterization 1.0.1 and 2.0; OSI Sensor Model Packaging 1.6.0
// for messages.
//
// Types: [System] with [Component], [Connector], [Connection], [Transformation], [Start],
// [Experiment], [Step]; [Options]; [Rule], a rule that is checked; [Kind].
package ssp
