// Package experiment reads, checks, writes and packs descriptions of experiments: ExD documents
// (.exc) of the Neurorobotics Platform and the BIBI documents they name. Package trial runs them.
//
//	d, findings := experiment.Read("demo.exc", text, experiment.Options{})
//	findings = append(findings, d.Check(experiment.Dir(".")...)
//
// # Rules
//
// The numbers of the rules are the ids of the findings.
//
//   - EX01 to EX20: the schema ExDConfig. A violation is an error; if the experiment can still be
//     understood, it is a warning, unless Options.Strict requires strict adherence to the schema.
//   - EX21: elements used in practice but missing from the schema (tags, skinModel, cloneDate,
//     gzbridgesettings, robotId, several robotPose, the clock of a timeout): one warning for each.
//   - EX22: a file that is named but does not exist.
//   - EX23: a part that is kept and shown, but not executed here.
//   - BI01 to BI04: the BIBI document, see [BIBI].
//   - [Description.XML] writes back everything that was read; unknown elements are kept unchanged
//     in [Description].Extra.
//   - The resources that an untrusted document takes are proportional to its length: entities are
//     refused, sizes and depths are bounded, and files outside the experiment's directory are not
//     opened.
//
// Source: the schema document ExDConfig of the Neurorobotics Platform, and its experiments.
//
// Types: [Description] with [Timeout], [Environment], [RobotPose], [Visual], [Machine], [Camera];
// [BIBI] with [Participant], [Connection]; [Options], [Files], [Finding].
package experiment
