// Package fileuse keeps a program from overwriting its inputs, and from ending without a result.
// Rules:
//
//   - no output is an input, or another output. Files are the same by their identity, whatever
//     their names are: links, and the case of letters where the file system does not distinguish
//     it, are seen through;
//   - inputs are also the files that other inputs name, in experiments, systems, scenarios, plans
//     and configurations, whatever their format, and wherever they are found: see [Named];
//   - each output is tried before the program begins: its folder exists, a file can be written
//     there, and the disk is not full;
//   - a file that exists is not touched by that.
//
// Functions: [Named], [Same], [Texts], [IsFull]. A [Use] collects file names with their [Role]s,
// and [Use.Check] checks them. Standard input, standard output, pipes and devices are exempt.
package fileuse
