// Package examine runs an FMU to prove or refute its promises: the requirements of the standards on
// every FMU, and the declarations in its own model description.
//
//	report, err := examine.Examine(ctx, "sensor.fmu", examine.Options{})
//
// A [Report] has a [Verdict] for each rule: proved; refuted, with the calls that demonstrate this
// and a C program that repeats them; or not tested, with the reason. An examination follows these
// rules:
//
//   - Each trial runs in processes of its own (package importer/worker/probe). Whatever the FMU
//     does there, the examination continues, and the report names the function that was running.
//   - The examiner obeys the standards. Every call is looked up in one table of legal calls; only
//     the trials of illegal calls make calls that this table forbids.
//   - A refutation is repeated in a fresh process. Anything that happens only once becomes a note.
//   - One cause, one finding: if an ordinary life fails, only trials that do not need one are run,
//     and the same crash in the same function is reported once.
//   - Values that differ from one process to another, such as a measured time, are reported once
//     and no longer compared.
//   - Rules that no standard states are warnings at most.
//   - Only start values and values between minimum and maximum are sent.
//
// Functions: [Examine], [Connection] for two FMUs of a system; types: [Options], [Handover],
// [Report], [Verdict]; [Rules] lists all rules.
//
// Sources: FMI 2.0.5, 2.1 and 4.2; FMI 3.0.2, 2.2 and 4.2; OSMP 1.6.0.
package examine
