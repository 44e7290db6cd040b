// Package simsensor reads simsensor CSV files, the recorded or invented sensor measurements that Phoenix-RTOS plays in place
// of devices, and keeps their schedule in simulation time.
//
// A file has an optional header and then one measurement per row: the id of the sensor, a time stamp, and whole numbers in
// the units of [Kind.Fields]. This package hands the rows out as they are written; turning them into SI units, other axes or
// messages is left to its callers.
//
// Rules it upholds (S numbers as used in the test names; source: the simsensors description of Phoenix-RTOS, and the reader
// that Phoenix-RTOS ships):
//
//   - S1, S3, S11: ids 0, 1, 2, 4, 8, 16 and 32 are known, each with its list of fields; any other id is a rejected row.
//   - S2: stamps are whole numbers in one [Unit] that the caller states, or that [Auto] finds by the rates of the sensors. A
//     doubtful or implausible unit is reported.
//   - S4: the first row may be a header; it is recognised by its first letter, s or S.
//   - S5, S6: the first row is published at the start, every other one at the time of its predecessor plus the difference of
//     their stamps, in integer nanoseconds.
//   - S7: equal stamps are both published. A decreasing stamp refuses the file in strict mode; otherwise the row is published
//     at the time of its predecessor and the highest stamp so far stays the reference, so no false time is added.
//   - S8: at end of file the rows start over with distance 0 to the last one. A round whose rows all share one time is an error.
//   - S9: a row with id 0 ends the scenario, however short the row is; nothing after it is read.
//   - S13: missing trailing fields keep the sensor's last value (0 before any), surplus fields are ignored, both reported once.
//     GPS rows are the exception: 19 fields are the documented layout, 18 the shipped one without UTC, anything else is rejected.
//
// Reading is streamed through one buffer of fixed size: neither memory nor the time to open grows with the file, unless strict
// mode asks for the full check. After opening, a good row costs no allocation.
//
// Index: [Player] plays a file, configured by [Options], counted by [Counters]; [Row], [Kind], [Field] and [Unit] describe its
// content; [Problem] is every error and warning, sorted by [ProblemKind]; [Inspect] makes a plausibility [Report];
// [AppendRow] and [Header] write the format.
package simsensor
