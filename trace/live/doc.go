// Package live joins traces and co-simulations: [Recorder] is an engine observer that records the
// messages of any participants, and [Source] plays a trace into an engine.
//
// Guarantees: the engine goroutine only copies a message into a bounded queue, whose arena has 4
// MiB or room for two of the largest messages; the recorder compresses and writes in its own
// goroutine. If writing fails, the simulation continues with one warning, and the file can be read
// up to the last flush. Data is flushed every second of simulation time, and whenever 4 MiB have
// accumulated. The same run gives the same bytes.
//
// Types: [Recorder] with [RecorderOptions], [Source].
package live
