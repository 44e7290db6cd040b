// Package campaign computes sweeps: the runs of a plan, on the processors of this machine or on
// those of others.
//
//	s, err := campaign.Open(campaign.Options{File: "range.sweep.yaml", Out: "range.results"})
//	results, err := s.Run(ctx)
//
// Package sweep defines plans, rows and stores; package run computes single runs. This package does
// the rest of gosmp sweep and gosmp work: it checks the settings of the plan with the experiment,
// computes the rows that the store does not have, writes the results, and keeps the files of runs
// that did not pass.
//
//   - Runs are computed in processes of [Options].Program, so that a run that ends its process
//     costs one attempt. Without a program, they are computed in this process.
//   - The results of an interrupted sweep cover the runs that had ended. The next sweep with the
//     same store computes the others.
//   - A file that changes during a sweep ends it, because rows of different files do not belong
//     together.
//
// Functions: [Open], [Run], [Work], [Serve], [Check], [CheckPoints], [ReadStored], [PageName],
// [RepeatCommand], [KeptReport]; types: [Options], [Sweep], [Results], [Progress], [Stored].
package campaign
