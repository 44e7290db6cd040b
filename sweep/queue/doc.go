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
//     subject gosmp.runs.VERSION.EXPERIMENT.RUN. It is a work queue with one message for each
//     subject at most: a run that two sweeps need, or that one sweep queues twice, is in it once.
//   - The stream GOSMP_ROWS has the row of each run that has ended, with the subject
//     gosmp.rows.EXPERIMENT.RUN, for 30 days.
//   - The stream GOSMP_REFUSALS says which machines could not prepare a run, and why, with the
//     subject gosmp.refusals.EXPERIMENT.RUN.MACHINE.PROCESS, for 30 days. With alone. before the
//     machine, the message is about a process that has begun a run alone.
//   - The object store gosmp-experiments has the files of each experiment, for 30 days.
//
// If the server's administrator has created the streams and the store, for example with three
// replicas, they are used unchanged.
//
// # Rules
//
//   - A message leaves the queue when the row of its run is stored. When a worker vanishes,
//     another one gets its run after 30 s. After two such losses a run is computed alone in its
//     process, because another run may have been the cause. A run is lost when [Deliveries]
//     processes have vanished that computed nothing else.
//   - A run that a machine cannot prepare is a failure of the machine and not of the run: the
//     machine leaves the run to others, takes no more for a while, and gives up after some
//     attempts. A run that [Deliveries] different machines could not prepare is lost.
//   - A process that ends or hangs while its worker lives counts as an attempt, as in a sweep on
//     one machine, and leads to the same row.
//   - Coordinator, workers and server may end at any time, in any order. A coordinator that is
//     started again collects the rows that have arrived in the meantime, and queues the missing
//     runs. It also queues runs that the queue has lost.
//   - Workers only take runs of their own version of gosmp.
//
// Anyone who can write to the server can run programs on the workers: protect it (see [Server]).
package queue
