// Package examine runs an FMU to prove or refute its promises: the demands of the standards on
// every FMU, and the declarations of its own model description.
//
//	report, err := examine.Examine(ctx, "sensor.fmu", examine.Options{})
//
// A [Report] has a [Verdict] for each rule: proved, refuted with the calls that show it and a C
// program that repeats them, or not tested, and why. The rules that it upholds itself:
//
//   - Each trial runs in processes of its own (package importer/worker/probe). Whatever the FMU
//     does there, the examination continues, and the function that ran is named.
//   - The examiner obeys the standards. Every call that it makes is looked up in one table of
//     legal calls; one that is illegal there is made only by the trials of illegal calls.
//   - A refutation is repeated in a fresh process. Anything that happens only once is a note.
//   - One cause, one finding: if an ordinary life fails, only the trials run that need none; the
//     same crash in the same function is reported once.
//   - What differs between two processes by itself, such as a measured time, is reported once and
//     no longer compared.
//   - Rules that no standard states are warnings at most.
//   - Values that are sent are start values, and values between minimum and maximum.
//
// Functions: [Examine], [Connection] for two FMUs of a system; types: [Options], [Handover], [Report],
// [Verdict]; [Rules] lists all rules.
//
// Sources: FMI 2.0.5, 2.1 and 4.2; FMI 3.0.2, 2.2 and 4.2; OSMP 1.6.0.
package examine
