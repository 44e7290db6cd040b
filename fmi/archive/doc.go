// Package archive reads .fmu files: the content of the zip, and its modelDescription.xml.
//
// It reads FMI 1.0, 2.0 and 3.0 for inspection, checks and running. Nothing is unpacked and nothing
// is executed. The rules:
//
//   - One vocabulary. The words of FMI 1.0 are translated into the words of later versions (see
//     [Variable]), attributes that a variable inherits from its declared type are filled in, and so
//     are the defaults of the standard: code that uses [Variable] need not check the version.
//     Numbers are kept as spelled in the file, so that nothing is lost.
//   - Damage is an error, an oddity is a finding. A file that cannot be read safely or
//     unambiguously (not a zip file, a path that leads outside, two contents of one name, broken
//     XML) is refused with an [Error]. Whatever can still be shown is shown, and [FMU].Problems
//     lists what is wrong with it and where.
//   - Bounded. Whatever the file contains, at most 128 MiB and 2 million elements of the model
//     description are read, and at most 1 GiB of binaries is examined.
//   - Lists are never nil, so that their JSON is [] and never null.
//
// Sources: FMI 2.0.5, 2.2 and 2.3; FMI 3.0.2, 2.4 and 2.5; FMI for Model Exchange and Co-Simulation
// 1.0, 3 and 4.
//
// [Open] and [Read] read an FMU into [FMU]; [Parse] reads a model description alone into
// [ModelDescription]. Package osmp/check reads the notional binary variables of OSMP, which is a
// convention on top of FMI.
package archive
