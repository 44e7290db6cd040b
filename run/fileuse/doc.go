// Package fileuse keeps a program from overwriting its inputs, and from ending without a result.
// Rules:
//
//   - no output is also an input or another output. Files are compared by identity rather than by
//     name, so links make no difference, nor does letter case if the file system ignores it;
//   - standard output is not appended to an input;
//   - files named by inputs (experiments, systems, scenarios, plans and configurations) are inputs,
//     too, regardless of their format and location; see [Named];
//   - each output is checked before the program starts: its folder must exist, a file must be
//     writable there, and the disk must not be full; an older file must be writable. In a folder of
//     outputs, this applies only to files that the program always overwrites, and not to other
//     files there;
//   - this check does not change existing files.
//
// Functions: [Named], [Same], [Texts], [TryFolder], [IsFull]. A [Use] collects file names with
// their [Role]s, and [Use.Check] checks them. Standard input, standard output, pipes and devices
// are exempt.
package fileuse
