// Package queue distributes the runs of a sweep to any number of machines through NATS JetStream.
//
//	runs := &queue.Coordinator{Server: queue.Server{URL: "nats://head:4222"}, ...}
//	err := runs.Run(ctx, cases, done)              // where the plan is, like sweep.Pool.Run
//
//	crew := &queue.Crew{Server: ..., Workers: 8, Start: ..., Unpack: ...}
//	err := crew.Run(ctx, drain)                    // on every machine that computes
//
// # What the server holds
//
//   - The stream GOSMP_RUNS has a message for each run that is queued or being computed, with the
//     subject gosmp.runs.VERSION.EXPERIMENT.RUN. It is a work queue with at most one message for
//     each subject, so a run that two sweeps need, or that one sweep queues twice, is in it only
//     once.
//   - The stream GOSMP_ROWS has the row of each completed run, with the subject
//     gosmp.rows.EXPERIMENT.RUN, for 30 days.
//   - The stream GOSMP_REFUSALS states which machines could not prepare a run, and why, with the
//     subject gosmp.refusals.EXPERIMENT.RUN.MACHINE.PROCESS, for 30 days. If the machine is
//     preceded by "alone.", the message is about a process that began a run alone.
//   - The object store gosmp-experiments has the files of each experiment, for 30 days.
//
// If the server's administrator created the streams and the store, for example with three replicas,
// they are used unchanged.
//
// # Rules
//
//   - A message leaves the queue when the row of its run is stored. When a worker vanishes, another
//     one receives its run after 30 s. After two such losses, a run is computed alone in its
//     process, because another run may have been the cause. A run is lost after [Deliveries]
//     processes that computed nothing else have vanished.
//   - A run that a machine cannot prepare is a failure of the machine rather than of the run: the
//     machine leaves the run to others, takes no more runs for a while, and gives up after several
//     attempts. A run that [Deliveries] different machines could not prepare is lost.
//   - If a process exits or hangs while its worker is alive, this counts as an attempt, as in a
//     sweep on one machine, and leads to the same row.
//   - Coordinator, workers and server may end at any time, in any order. A restarted coordinator
//     collects the rows that arrived in the meantime and queues the missing runs. It also queues
//     runs that the queue lost.
//   - Workers take only runs for their own version of gosmp.
//
// Anyone who can write to the server can run programs on the workers, so protect it (see [Server]).
package queue
