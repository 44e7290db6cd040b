// Package queue distributes the runs of a sweep to any number of machines through NATS JetStream.
//
//	runs := &queue.Coordinator{Server: queue.Server{URL: "nats://head:4222"}, ...}
//	err := runs.Run(ctx, cases, done)              // beside the plan: as sweep.Pool.Run
//
//	crew := &queue.Crew{Server: ..., Workers: 8, Start: ..., Unpack: ...}
//	err := crew.Run(ctx, drain)                    // on every machine that computes
//
// # What the server holds
//
//   - The stream GOSMP_RUNS has a message for each run that waits or is at work, with the subject
//     gosmp.runs.VERSION.EXPERIMENT.RUN. It is a work queue with one message for each subject at most:
//     a run that two sweeps ask for, or one sweep twice, is in it once.
//   - The stream GOSMP_ROWS has the row of each run that has ended, with the subject
//     gosmp.rows.EXPERIMENT.RUN, for 30 days.
//   - The object store gosmp-experiments has the files of each experiment, for 30 days.
//
// A server whose administrator has made the streams and the store, for example with three replicas,
// is used as it is.
//
// # Rules
//
//   - A message leaves the queue when the row of its run is stored. A worker that vanishes is noticed
//     after 30 s, and another one gets the run; one that vanishes with [Deliveries] workers is lost.
//   - A process that ends or hangs while its worker lives counts as an attempt, as in a sweep on one
//     machine, and leads to the same row.
//   - Coordinator, workers and server may end at any time, in any order. A coordinator that begins
//     again takes the rows that have come meanwhile, and puts into the queue what is missing. So it
//     does when the queue has lost a run.
//   - Workers take the runs of their own version of gosmp only.
//
// Whoever can write to the server has programs run on the workers: protect it (see [Server]).
package queue
