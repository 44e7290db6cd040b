// Package archive reads .fmu files: the content of the zip, and its modelDescription.xml.
//
// It reads FMUs of FMI 1.0, 2.0 and 3.0 to inspect, check and run them. Nothing is unpacked and
// nothing is executed. The rules:
//
//   - One vocabulary. The terms of FMI 1.0 are translated into the terms of later versions (see
//     [Variable]). Attributes that a variable inherits from its declared type and the defaults of
//     the standard are filled in. Code that uses [Variable] need not check the version. Numbers
//     keep their spelling from the file, so that no precision is lost.
//   - Damage is an error, an oddity is a finding. A file that cannot be read safely or
//     unambiguously (not a zip file, a path that leads outside, two different files with the same
//     name, broken XML) is refused with an [Error]. Everything readable is shown, and
//     [FMU].Problems lists the faults and their places.
//   - Bounded. For any file, at most 128 MiB and 2 million elements of the model description are
//     read, and at most 1 GiB of binaries is examined.
//   - Lists are never nil, so that they are [] in JSON and never null.
//
// Sources: FMI 2.0.5, 2.2 and 2.3; FMI 3.0.2, 2.4 and 2.5; FMI for Model Exchange and Co-Simulation
// 1.0, 3 and 4.
//
// [Open] and [Read] read an FMU into [FMU]; [Parse] reads a model description alone into
// [ModelDescription]. Package osmp/check reads the notional binary variables of OSMP, which is a
// convention on top of FMI.
package archive
