// Package examine runs an FMU to prove or refute its promises: the requirements of the standards on
// every FMU, and the declarations in its own model description.
//
//	report, err := examine.Examine(ctx, "sensor.fmu", examine.Options{})
//
// A [Report] has a [Verdict] for each rule: proved; refuted, with the calls that show it and a C
// program that repeats them; or not tested, with the reason. An examination itself follows these
// rules:
//
//   - Each trial runs in processes of its own (package importer/worker/probe). Whatever the FMU
//     does there, the examination continues, and the running function is named.
//   - The examiner obeys the standards. Every call that it makes is looked up in one table of legal
//     calls; only the trials of illegal calls make calls that are illegal there.
//   - A refutation is repeated in a fresh process. Anything that happens only once is a note.
//   - One cause, one finding: if an ordinary life fails, only trials that need none are run; the
//     same crash in the same function is reported once.
//   - Values that differ between two processes anyway, such as a measured time, are reported once
//     and no longer compared.
//   - Rules that no standard states are warnings at most.
//   - All values sent are start values or values between minimum and maximum.
//
// Functions: [Examine], [Connection] for two FMUs of a system; types: [Options], [Handover],
// [Report], [Verdict]; [Rules] lists all rules.
//
// Sources: FMI 2.0.5, 2.1 and 4.2; FMI 3.0.2, 2.2 and 4.2; OSMP 1.6.0.
package examine
