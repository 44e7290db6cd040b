// Package simsensor reads simsensor CSV files, the recorded or synthetic sensor measurements that
// Phoenix-RTOS plays in place of devices, and schedules their rows in simulation time.
//
// A file has an optional header and then one measurement per row: the id of the sensor, a time
// stamp, and integers in the units of [Kind.Fields]. This package returns the rows as written;
// converting them to SI units, other axes or messages is left to the caller.
//
// Rules (S numbers as used in the test names; sources: the simsensors description of Phoenix-RTOS
// and the reader that Phoenix-RTOS ships):
//
//   - S1, S3, S11: ids 0, 1, 2, 4, 8, 16 and 32 are known, each with its list of fields; a row with
//     any other id is rejected.
//   - S2: stamps are integers in one [Unit] that the caller states or that [Auto] derives from the
//     rates of the sensors. A doubtful or implausible unit is reported.
//   - S4: the first row may be a header; it is recognized by its first letter, s or S.
//   - S5, S6: the first row is published at the start, and every other one at the time of its
//     predecessor plus the difference of their stamps, in integer nanoseconds.
//   - S7: rows with equal stamps are both published. In strict mode, a decreasing stamp causes the
//     file to be rejected. Otherwise the row is published at the time of its predecessor and the
//     highest stamp so far stays the reference, so no false time is added.
//   - S8: at end of file the rows start over with distance 0 to the last one. A round whose rows
//     all share one time is an error.
//   - S9: a row with id 0 ends the scenario, however short the row is; nothing after it is read.
//   - S13: missing trailing fields keep the sensor's last value (0 before any), surplus fields are
//     ignored, and both are reported once. GPS rows are the exception: 19 fields are the documented
//     layout, 18 the shipped one without UTC, and any other number is rejected.
//
// Reading is streamed through one buffer of fixed size. Neither memory nor the time to open grows
// with the file, unless strict mode requires the full check. After opening, a good row does not
// allocate.
//
// Index: [Player] plays a file, is configured by [Options] and keeps [Counters]. [Row], [Kind],
// [Field] and [Unit] describe the content. [Problem] is the type of all errors and warnings,
// classified by [ProblemKind]. [Inspect] creates a plausibility [Report]. [AppendRow] and [Header]
// write the format.
package simsensor
