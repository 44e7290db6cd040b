// Package experiment reads, checks, writes and packs descriptions of experiments: ExD documents
// (.exc) of the Neurorobotics Platform and the BIBI documents that they name. Package trial runs
// them.
//
//	d, findings := experiment.Read("demo.exc", text, experiment.Options{})
//	findings = append(findings, d.Check(experiment.Dir(".")...)
//
// # Rules
//
// Their numbers are the ids of the findings.
//
//   - EX01 to EX20: the schema ExDConfig. What breaks it is an error; where the experiment can still
//     be understood it is a warning, unless Options.Strict requires strict adherence to the schema.
//   - EX21: what is used in practice and missing from the schema (tags, skinModel, cloneDate,
//     gzbridgesettings, robotId, several robotPose, the clock of a timeout): one warning for each.
//   - EX22: a file that is named but does not exist.
//   - EX23: what is kept and shown, but not executed here.
//   - BI01 to BI04: the BIBI document, see [BIBI].
//   - Everything that is read is written again by [Description.XML]; what is unknown is kept as it
//     is in [Description].Extra.
//   - Documents of unknown origin cost no more than their length: entities are refused, sizes and
//     depths are bounded, and files outside the experiment's directory are not opened.
//
// Source: the schema document ExDConfig of the Neurorobotics Platform, and its experiments.
//
// Types: [Description] with [Timeout], [Environment], [RobotPose], [Visual], [Machine], [Camera];
// [BIBI] with [Participant], [Connection]; [Options], [Files], [Finding].
package experiment
